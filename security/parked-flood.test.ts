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
/** How much longer the median honest call may take beside the flood than alone, on the same machine: a slow one slows both. */
const MOST_TIMES_SLOWER = 3;
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

function medianOf(calls: readonly { readonly ms: number }[]): number {
  return calls.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(calls.length / 2)] ?? Number.NaN;
}

/** Dials with random tickets until stopped. */
async function flood(line: Line, { stopped, dialled }: { stopped: () => boolean; dialled: () => void }): Promise<void> {
  while (!stopped() && line.isOpen) {
    await line.inviteSilently(VICTIM_NUMBER, { clientState: base64(randomBytes(32).toString("base64url")) });
    dialled();
  }
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
  const calls = async (prefix: string) => {
    const made: Awaited<ReturnType<typeof call>>[] = [];
    for (let n = 1; n <= SIZE.calls; n += 1) made.push(await call(customer, `${prefix}${n}`));
    return made;
  };
  await calls("+44203456001"); // so that neither side pays for what happens only once
  const alone = await calls("+44203456002");
  const lines = await Promise.all(attackers.flatMap((attacker) => Array.from({ length: SIZE.sessions }, () => attacker.line())));
  let stopped = false;
  let dialled = 0;
  const floods = lines.map((line) => flood(line, { stopped: () => stopped, dialled: () => (dialled += 1) }));
  await becomes(() => dialled >= LEGS_BEFORE * lines.length, FLOOD_MS);
  const beside = await calls("+44203456003");
  stopped = true;
  await Promise.all(floods);
  await Promise.all(attackers.map((attacker) => attacker.leave()));
  console.log(
    `connected in ${medianOf(alone)} ms alone, in ${medianOf(beside)} ms beside ${dialled} legs with random tickets (medians)`,
  );
  for (const { outcome } of [...alone, ...beside]) expect(outcome).toBe("answered");
  expect(dialled).toBeGreaterThan(LEGS_BEFORE * lines.length);
  const slower = medianOf(beside) / medianOf(alone);
  attempts.check("calls delayed by legs with random tickets", `${slower.toFixed(1)} times as long`, slower <= MOST_TIMES_SLOWER);
  attempts.check("a leg with a random ticket reaches a number", VICTIM_NUMBER, victims().length === 0);
  expect(attempts.succeeded).toEqual([]);
});
