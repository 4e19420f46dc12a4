import { setTimeout as pause } from "node:timers/promises";
import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import { ScriptedCaller } from "@farline/drills/support/scripted-caller.ts";
import { rank } from "@farline/drills/support/spread.ts";
import { withProduct } from "./with-product.ts";

const CALLS_PER_SECOND = 20;
const SECONDS = 60;
/** Not counted: the processes compile their code and open their connections. */
const WARM_UP_SECONDS = 5;
/** Enough for one call at a time each: a caller's next call is due after 60 / 20 seconds, and a call takes far less. */
const CALLERS = 60;
const DOLLARS = 50;
/** The exchange's own limit must not affect the measurement. */
const LIMITS = { MAX_CALLS: "1000" };

/**
 * The complete product under load: 20 call set-ups a second for a minute, each from the request to the service until the called
 * line answers; then the caller hangs up. Service, database, exchange, carrier and callers share the machine. A caller sends the page's
 * requests, the SDK's messages and audio, and dials while the service decides. It neither polls its calls nor listens to events.
 */
export async function setUps(): Promise<Record<string, unknown>> {
  return withProduct(async (product) => {
    const callers: ScriptedCaller[] = [];
    for (let made = 0; made < CALLERS; made += 1) {
      const caller = await ScriptedCaller.signUp(product, { dollars: DOLLARS });
      await caller.connect();
      callers.push(caller);
    }
    await placeCalls(callers, CALLS_PER_SECOND * WARM_UP_SECONDS);
    const outcomes = await placeCalls(callers, CALLS_PER_SECOND * SECONDS);
    for (const caller of callers) await caller.leave();
    const answered = outcomes.filter((one): one is number => typeof one === "number");
    const failed = outcomes.filter((one): one is string => typeof one === "string");
    return {
      callsPerSecond: CALLS_PER_SECOND,
      calls: outcomes.length,
      failures: failed.length,
      kindsOfFailure: [...new Set(failed)].slice(0, 5),
      requestToAnswerMs: { median: rank(answered, 0.5), p95: rank(answered, 0.95), p99: rank(answered, 0.99) },
    };
  }, LIMITS);
}

/** Starts calls at an even pace, however long they take. Each outcome is the milliseconds to the answer, or what failed. */
async function placeCalls(callers: readonly ScriptedCaller[], calls: number): Promise<(number | string)[]> {
  const began = performance.now();
  const outcomes: Promise<number | string>[] = [];
  for (let call = 0; call < calls; call += 1) {
    await pause(Math.max(0, began + (call * 1000) / CALLS_PER_SECOND - performance.now()));
    const caller = callers[call % callers.length];
    if (caller === undefined) throw new Error("There are no callers.");
    outcomes.push(placeCall(caller).catch((error: unknown) => (error instanceof Error ? error.message : String(error))));
  }
  return Promise.all(outcomes);
}

async function placeCall(caller: ScriptedCaller): Promise<number> {
  const { answeredMs } = await caller.call(TONE_LINE);
  await caller.hangUp();
  return answeredMs;
}
