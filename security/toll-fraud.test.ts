import { openTestBrowser } from "@farline/voice/test/test-browser.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Attacker } from "./src/attacker.ts";
import { compareCalls, NetworkCalls } from "./src/compare-calls.ts";
import { controlTricks } from "./src/control-tricks.ts";
import { Doors, FULL_SIZE } from "./src/doors.ts";
import { messageTricks } from "./src/message-tricks.ts";
import { startInstallation, type Installation } from "./src/product.ts";
import { SeededRandom } from "./src/seeded-random.ts";
import { longSilenceTricks, silenceTricks } from "./src/silence-tricks.ts";
import { ticketTricks } from "./src/ticket-tricks.ts";
import { timeTricks } from "./src/time-tricks.ts";
import { Turn, type Trick } from "./src/trick.ts";
import { until } from "./src/until.ts";

const CALLER_NUMBER = "+12025550143";
const tricks: readonly Trick[] = [...ticketTricks, ...messageTricks, ...controlTricks, ...timeTricks, ...silenceTricks];
/** Played first, because they wait for most of a minute. */
const longTricks = FULL_SIZE ? longSilenceTricks : [];
/** Every trick once; at full size as often as ten minutes allow on two cores. */
const ROUNDS = FULL_SIZE ? 30 : 1;
/** Concurrent attackers, each with their own account and victim. */
const ATTACKERS = 4;
/** Time limit of one trick. One that tries hundreds of doors takes long on a busy machine. */
const TRICK_LIMIT_MS = 120_000;
const SETTLE_LIMIT_MS = 30_000;
const SEED = Number(process.env["SECURITY_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

let installation: Installation;
let network: NetworkCalls;
let offerSdp: string;
const doors = new Doors();

beforeAll(async () => {
  installation = await startInstallation({ SANDBOX_RING_MS: "0", CALLER_NUMBER });
  network = new NetworkCalls(installation);
  const browser = await openTestBrowser();
  offerSdp = browser.offerSdp;
  await browser.close();
});
afterAll(async () => {
  network?.stop();
  await installation?.close();
});

test(
  `no attacker is connected to an unpaid number, nor for longer than paid (seed ${SEED})`,
  { timeout: 20 * 60_000 },
  async () => {
    const turns: { trick: Trick; turn: Turn }[] = [];
    const broken: string[] = [];
    const waiting = [longTricks, ...Array.from({ length: ROUNDS }, () => tricks)].flat().entries();
    await Promise.all(Array.from({ length: ATTACKERS }, () => attack(waiting, { turns, broken })));
    expect(await until(isQuiet, SETTLE_LIMIT_MS), "all calls end, and are settled").toBe(true);
    const seen = network.all();
    const wrong = await compareCalls(seen, { installation, callerNumber: CALLER_NUMBER });
    for (const { trick, turn } of turns) judge(trick, turn, wrong);
    const talked = seen.filter((call) => call.answeredAt !== null).length;
    expect(talked, "honest calls were connected, so the tricks had something to steal").toBeGreaterThan(tricks.length / 3);
    expect([...wrong], "what the phone network saw and nobody paid for").toEqual([]);
    expect(doors.opened).toEqual([]);
    expect(broken, "tricks that could not be played").toEqual([]);
  },
);

interface Played {
  turns: { trick: Trick; turn: Turn }[];
  broken: string[];
}

async function attack(waiting: Iterator<[number, Trick]>, { turns, broken }: Played): Promise<void> {
  const [attacker, victim] = await Promise.all([1, 2].map(() => Attacker.signUp(installation, { dollars: 400, offerSdp })));
  if (attacker === undefined || victim === undefined) throw new Error("No customer signed up.");
  for (let next = waiting.next(); !next.done; next = waiting.next()) {
    const [serial, trick] = next.value;
    const turn = new Turn({ installation, attacker, victim, random: new SeededRandom(SEED + serial), serial });
    turns.push({ trick, turn });
    try {
      await within(trick.play(turn), TRICK_LIMIT_MS);
    } catch (error) {
      broken.push(`${trick.kind}, ${trick.name}: ${String(error)}`);
    }
    await Promise.all([attacker.leave(), victim.leave()]);
  }
}

function judge(trick: Trick, turn: Turn, wrong: ReadonlyMap<string, readonly string[]>): void {
  for (const { door, refused } of turn.answered) doors.check(trick.kind, `${trick.name}: ${door}`, refused);
  const seen = new Set(network.all().map((call) => call.number));
  for (const number of turn.unpaidNumbers)
    doors.check(trick.kind, `${trick.name}: ${number} was reached without paying`, !seen.has(number));
  for (const number of turn.paidNumbers)
    doors.check(trick.kind, `${trick.name}: ${number}: ${wrong.get(number)?.join("; ") ?? "as paid"}`, !wrong.has(number));
}

/** No call is up at the network, and none waits for its end or its charge. */
async function isQuiet(): Promise<boolean> {
  if (installation.sandbox.network.liveCalls > 0) return false;
  const { rows } = await installation.database.handle.pool.query(
    "select from call c join hold h on h.id = c.id where c.parked_call_control_id is not null and h.state = 'pending' limit 1",
  );
  return rows.length === 0;
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("took too long")), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
