import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Call } from "./call.ts";
import { CallProblem } from "./call-leg.ts";
import { Bench, destination, settle } from "../../test/calls-bench.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Step = (call: Call, bench: Bench) => void | Promise<unknown>;

/** Commands may be refused with a CallProblem; any other error fails the test. */
function command(run: (call: Call) => void): Step {
  return (call) => {
    try {
      run(call);
    } catch (error) {
      if (!(error instanceof CallProblem)) throw error;
    }
  };
}

const steps: Record<string, Step> = {
  transfer: command((call) => call.transfer(destination)),
  hangUp: command((call) => call.hangUp()),
  reject: command((call) => call.reject("USER_BUSY")),
  answer: command((call) => call.answer()),
  digits: command((call) => call.sendDigits("12#")),
  hold: command((call) => call.hold(true)),
  // Not awaited, because it resolves only once the media is open.
  restart: (call) => void call.restartMedia("offer").catch((error: unknown) => expect(error).toBeInstanceOf(CallProblem)),
  callerHungUp: (call) => call.callerHungUp(),
  connectionLost: (call) => call.connectionLost(),
  connectionRestored: (call) => call.connectionRestored(),
  farRings: (_call, bench) => bench.network.calls.at(-1)?.progress(null),
  farEarlyMedia: (_call, bench) => bench.network.calls.at(-1)?.progress("early-sdp"),
  farAnswers: (_call, bench) => bench.network.calls.at(-1)?.answer(),
  farAnswersBadly: (_call, bench) => bench.network.calls.at(-1)?.answer("bad-sdp"),
  farBusy: (_call, bench) => bench.network.calls.at(-1)?.end({ sipStatus: 486 }),
  farFails: (_call, bench) => bench.network.calls.at(-1)?.end({ sipStatus: 408, by: "failure" }),
  echo: command((call) => call.echo(20)),
  extend: command((call) => call.extend(90)),
  resume: (call) => call.resume(),
  acceptMediaAnswer: (call) =>
    void call.acceptMediaAnswer("answer").catch((error: unknown) => expect(error).toBeInstanceOf(CallProblem)),
  mediaFails: (_call, bench) => bench.media.legs.at(-1)?.fail(),
  mediaSilent: (_call, bench) => bench.media.legs.at(-1)?.hear({ heard: false, silentMs: 5_000 }),
  mediaHeard: (_call, bench) => bench.media.legs.at(-1)?.hear({ heard: true, hasSpoken: true }),
  mediaOpens: (_call, bench) => bench.media.release(),
  aMoment: () => settle(),
  tenSeconds: () => vi.advanceTimersByTimeAsync(10_000),
};

/** Where an order begins, because few would lead to an answered call. */
const beginnings = fc.constantFrom<readonly string[]>([], ["transfer"], ["transfer", "farRings"], ["transfer", "farAnswers"]);

describe("a call with events in random order", () => {
  test("reports each leg once, ends each exactly once, and releases everything", async () => {
    const names = Object.keys(steps);
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.boolean(),
        beginnings,
        fc.array(fc.constantFrom(...names), { maxLength: 14 }),
        async (slowMedia, badMedia, begin, order) => {
          const bench = new Bench();
          if (slowMedia) bench.media.holdBack();
          if (badMedia) bench.media.failWith = new Error("no media");
          const call = bench.park();
          for (const name of [...begin, ...order]) await steps[name]?.(call, bench);
          bench.media.release();
          await vi.advanceTimersByTimeAsync(5 * 60_000);
          const legs = call.far === null ? ["browser"] : ["browser", "far"];
          for (const side of legs) {
            const own = bench.events.filter((event) => event.side === side).map(({ type }) => type);
            expect(own[0]).toBe("call.initiated");
            expect(own.filter((type) => type === "call.initiated")).toHaveLength(1);
            expect(own.filter((type) => type === "call.answered").length).toBeLessThanOrEqual(1);
            expect(own.filter((type) => type === "call.hangup")).toHaveLength(1);
            expect(own.filter((type) => type !== "call.cost").at(-1)).toBe("call.hangup");
          }
          expect(bench.line.sent.filter((message) => message === "ended")).toHaveLength(1);
          expect(bench.line.sent.at(-1)).toBe("ended");
          for (const media of bench.media.legs) expect(media.commands.filter((command) => command === "close")).toHaveLength(1);
          for (const far of bench.network.calls) expect(far.ended).toBe(true);
          expect(bench.network.calls.length).toBeLessThanOrEqual(1);
          expect(bench.calls.liveCalls).toBe(0);
          expect(vi.getTimerCount()).toBe(0);
        },
      ),
      { numRuns: 600 },
    );
  });
});
