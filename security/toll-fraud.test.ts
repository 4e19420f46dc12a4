import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { becomes } from "@farline/drills/support/readiness.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Attacker } from "./src/attacker.ts";
import { compareCalls, NetworkCalls } from "./src/compare-calls.ts";
import { controlAttacks } from "./src/control-attacks.ts";
import { Attempts, FULL_SIZE } from "./src/attempts.ts";
import { messageAttacks } from "./src/message-attacks.ts";
import { type Installation, startInstallation } from "./src/product.ts";
import { type Attack, AttackRun, SeededRandom } from "./src/attack.ts";
import { longSilenceAttacks, silenceAttacks } from "./src/silence-attacks.ts";
import { ticketAttacks } from "./src/ticket-attacks.ts";
import { timeAttacks } from "./src/time-attacks.ts";

const CALLER_NUMBER = "+12025550143";
const attacks: readonly Attack[] = [...ticketAttacks, ...messageAttacks, ...controlAttacks, ...timeAttacks, ...silenceAttacks];
/** Started first, because each takes most of a minute. */
const longAttacks = FULL_SIZE ? longSilenceAttacks : [];
/** Every attack once; at full size as often as ten minutes allow on two cores. */
const ROUNDS = FULL_SIZE ? 30 : 1;
/** Concurrent attackers, each with an account and a victim. */
const ATTACKERS = 4;
/** The time limit of one attack. Attacks with hundreds of attempts are slow on a busy machine. */
const ATTACK_LIMIT_MS = 120_000;
const SEED = Number(process.env["SECURITY_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

let installation: Installation;
let network: NetworkCalls;
const attempts = new Attempts();

beforeAll(async () => {
  installation = await startInstallation({ SANDBOX_RING_MS: "0", CALLER_NUMBER });
  network = new NetworkCalls(installation);
});
afterAll(async () => {
  network?.stop();
  await installation?.close();
});

test(
  `no attacker is connected to an unpaid number, nor for longer than paid (seed ${SEED})`,
  { timeout: 20 * 60_000 },
  async () => {
    const runs: { attack: Attack; run: AttackRun }[] = [];
    const broken: string[] = [];
    const waiting = [longAttacks, ...Array.from({ length: ROUNDS }, () => attacks)].flat().entries();
    await Promise.all(Array.from({ length: ATTACKERS }, () => runAttacks(waiting, { runs, broken })));
    expect(await becomes(isQuiet, PATIENCE_MS), "all calls end and are settled").toBe(true);
    const seen = network.all();
    const wrong = await compareCalls(seen, { installation, callerNumber: CALLER_NUMBER });
    for (const { attack, run } of runs) judge(attack, run, wrong);
    const talked = seen.filter((call) => call.answeredAt !== null).length;
    expect(talked, "honest calls were connected, so the attacks had something to steal").toBeGreaterThan(attacks.length / 3);
    expect([...wrong], "calls that the phone network carried and nobody paid for").toEqual([]);
    expect(attempts.succeeded).toEqual([]);
    expect(broken, "attacks that could not be carried out").toEqual([]);
  },
);

interface Results {
  runs: { attack: Attack; run: AttackRun }[];
  broken: string[];
}

async function runAttacks(waiting: Iterator<[number, Attack]>, { runs, broken }: Results): Promise<void> {
  const [attacker, victim] = await Promise.all([1, 2].map(() => Attacker.signUp(installation, { dollars: 400 })));
  if (attacker === undefined || victim === undefined) throw new Error("No customer signed up.");
  for (let next = waiting.next(); !next.done; next = waiting.next()) {
    const [serial, attack] = next.value;
    const run = new AttackRun({ installation, attacker, victim, random: new SeededRandom(SEED + serial), serial });
    runs.push({ attack, run });
    try {
      await within(attack.execute(run), ATTACK_LIMIT_MS);
    } catch (error) {
      broken.push(`${attack.kind}, ${attack.name}: ${String(error)}`);
    }
    await Promise.all([attacker.leave(), victim.leave()]);
  }
}

function judge(attack: Attack, run: AttackRun, wrong: ReadonlyMap<string, readonly string[]>): void {
  for (const { route, refused } of run.answered) attempts.check(attack.kind, `${attack.name}: ${route}`, refused);
  const seen = new Set(network.all().map((call) => call.number));
  for (const number of run.unpaidNumbers)
    attempts.check(attack.kind, `${attack.name}: ${number} was reached without paying`, !seen.has(number));
  for (const number of run.paidNumbers)
    attempts.check(attack.kind, `${attack.name}: ${number}: ${wrong.get(number)?.join("; ") ?? "as paid"}`, !wrong.has(number));
}

/** The network has no live call, and no call waits for its end or its charge. */
async function isQuiet(): Promise<boolean> {
  if (installation.sandbox.network.liveCalls > 0) return false;
  const { rows } = await installation.database.handle.pool.query(
    "select from call c join hold h on h.id = c.id where c.parked_call_control_id is not null and h.state = 'pending' limit 1",
  );
  return rows.length === 0;
}

function within(work: Promise<void>, ms: number): Promise<void> {
  return settleWithin(work, ms, () => Promise.reject(new Error("took too long")));
}
