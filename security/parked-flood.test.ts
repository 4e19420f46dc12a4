import { becomes } from "@farline/drills/support/readiness.ts";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Attacker, base64, type Line } from "./src/attacker.ts";
import { Attempts, FULL_SIZE } from "./src/attempts.ts";
import { startInstallation, type Installation } from "./src/product.ts";

/**
 * The attackers' accounts, the sessions of each, and the honest calls that are set up meanwhile. Each account gets two legs a second, each of
 * which waits 1.5 s for its ticket: with ten of them more wait than the service takes events of such legs at a time.
 */
const SIZE = FULL_SIZE ? { attackers: 12, sessions: 4, calls: 9 } : { attackers: 12, sessions: 1, calls: 5 };
/** Legs that each session dials before the honest calls begin, so that the queues are as long as they get. */
const LEGS_BEFORE = 12;
const FLOOD_MS = 30_000;
/** No ticket was issued for a call to this number, so it must never ring. */
const VICTIM_NUMBER = "+447911000000";

let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation({ SANDBOX_RING_MS: "0", CALLER_NUMBER: "+12025550143" });
});
afterAll(() => installation?.close());

const attempts = new Attempts();
const victims = () => installation.sandbox.network.calls({ number: VICTIM_NUMBER });

/** Dials with random tickets until stopped. */
async function flood(line: Line, { stopped, dialled }: { stopped: () => boolean; dialled: () => void }): Promise<void> {
  while (!stopped() && line.isOpen) {
    await line.inviteSilently(VICTIM_NUMBER, { clientState: base64(randomBytes(32).toString("base64url")) });
    dialled();
  }
}

/** An honest call. @returns its outcome */
async function call(caller: Attacker, number: string): Promise<string> {
  const { outcome } = await caller.call(number);
  await caller.leave();
  return outcome;
}

test("honest calls are connected while accounts with many sessions dial with random tickets, and those reach nobody", async () => {
  const [customer, ...attackers] = await Promise.all(
    Array.from({ length: 1 + SIZE.attackers }, () => Attacker.signUp(installation, { dollars: 20 })),
  );
  if (customer === undefined) throw new Error("No customer signed up.");
  const lines = await Promise.all(attackers.flatMap((attacker) => Array.from({ length: SIZE.sessions }, () => attacker.line())));
  let stopped = false;
  let dialled = 0;
  const floods = lines.map((line) => flood(line, { stopped: () => stopped, dialled: () => (dialled += 1) }));
  await becomes(() => dialled >= LEGS_BEFORE * lines.length, FLOOD_MS);
  // Behind all of the flood's legs in one queue, they would wait for longer than a call rings.
  for (let n = 1; n <= SIZE.calls; n += 1) expect(await call(customer, `+44203456003${n}`)).toBe("answered");
  stopped = true;
  await Promise.all(floods);
  await Promise.all(attackers.map((attacker) => attacker.leave()));
  expect(dialled).toBeGreaterThan(LEGS_BEFORE * lines.length);
  attempts.check("a leg with a random ticket reaches a number", VICTIM_NUMBER, victims().length === 0);
  expect(attempts.succeeded).toEqual([]);
});
