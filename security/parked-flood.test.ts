import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Attacker, base64, type Line } from "./src/attacker.ts";
import { FULL_SIZE } from "./src/attempts.ts";
import { startInstallation, type Installation } from "./src/product.ts";

/** The attackers' accounts, the sessions of each, and the honest calls that are set up meanwhile. */
const SIZE = FULL_SIZE ? { attackers: 5, sessions: 8, calls: 10 } : { attackers: 3, sessions: 3, calls: 3 };
/** No ticket was issued for a call to this number, so it must never ring. */
const VICTIM_NUMBER = "+447911000000";

let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation({ SANDBOX_RING_MS: "0", CALLER_NUMBER: "+12025550143" });
});
afterAll(() => installation?.close());

/** Dials with random tickets until stopped. */
async function flood(line: Line, stopped: () => boolean): Promise<number> {
  let dialled = 0;
  while (!stopped() && line.isOpen) {
    await line.inviteSilently(VICTIM_NUMBER, { clientState: base64(randomBytes(32).toString("base64url")) });
    dialled += 1;
  }
  return dialled;
}

/** An honest call. @returns its outcome, and the milliseconds until it was answered */
async function call(caller: Attacker, number: string): Promise<{ outcome: string; ms: number }> {
  const line = await caller.line();
  const began = performance.now();
  const { ticket } = await caller.authorise(number);
  const outcome = await line.outcome(await line.invite(number, { clientState: base64(ticket) }));
  const ms = Math.round(performance.now() - began);
  await caller.leave();
  return { outcome, ms };
}

test("honest calls are connected while accounts with many sessions dial with random tickets, and those reach nobody", async () => {
  const [customer, ...attackers] = await Promise.all(
    Array.from({ length: 1 + SIZE.attackers }, () => Attacker.signUp(installation, { dollars: 20 })),
  );
  if (customer === undefined) throw new Error("No customer signed up.");
  const alone = await call(customer, "+442034560000");
  const lines = await Promise.all(attackers.flatMap((attacker) => Array.from({ length: SIZE.sessions }, () => attacker.line())));
  let stopped = false;
  const floods = lines.map((line) => flood(line, () => stopped));
  const calls: { outcome: string; ms: number }[] = [];
  for (let n = 1; n <= SIZE.calls; n += 1) calls.push(await call(customer, `+44203456${String(n).padStart(4, "0")}`));
  stopped = true;
  const dialled = (await Promise.all(floods)).reduce((sum, one) => sum + one, 0);
  await Promise.all(attackers.map((attacker) => attacker.leave()));
  console.log(
    `connected in ${alone.ms} ms alone, in ${calls.map(({ ms }) => ms).join(", ")} ms beside ${dialled} legs with random tickets`,
  );
  expect(calls.map(({ outcome }) => outcome)).toEqual(calls.map(() => "answered"));
  expect(installation.sandbox.network.calls({ number: VICTIM_NUMBER })).toEqual([]);
}, 60_000);
