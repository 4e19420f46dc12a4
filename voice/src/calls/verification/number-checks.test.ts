import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ScriptedMediaSource, ScriptedNetwork, silentLog } from "../../../test/scripted-ports.ts";
import { CallerIds } from "../caller-ids.ts";
import { CODE_LIFE_MS, NumberChecks } from "./number-checks.ts";

const number = "+13035550100";
const own = "+12025550143";
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

class Bench {
  readonly media = new ScriptedMediaSource();
  readonly network = new ScriptedNetwork();
  readonly callerIds = new CallerIds(own, [new Uint8Array(32)]);
  readonly checks: NumberChecks;

  constructor(canShow = true) {
    const { media, network, callerIds } = this;
    this.checks = new NumberChecks({ media, network, callerIds, canShow: () => canShow, log: silentLog });
  }

  /** Starts a verification and answers the call. @returns the code */
  async heardCode(to = number): Promise<string> {
    this.checks.start(to, "es");
    await settle();
    this.network.last.answer();
    await settle();
    return this.media.announcements.at(-1)?.code ?? "";
  }

  async hungUp(): Promise<void> {
    this.network.last.end({ by: "callee" });
    await settle();
  }
}

const problem = (code: string) => expect.objectContaining({ code });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a number being verified", () => {
  test("is called with the exchange's caller id, and the code yields a proof", async () => {
    const bench = new Bench();
    const code = await bench.heardCode();
    expect(code).toMatch(/^\d{6}$/);
    expect(bench.network.last.request).toMatchObject({ to: number, from: own, sdp: "announcement-sdp" });
    expect(bench.media.announcements[0]).toMatchObject({ language: "es", closed: false });
    bench.media.announcements[0]?.read.resolve();
    await settle();
    expect(bench.network.last.ended).toBe(true);
    expect(bench.media.announcements[0]?.closed).toBe(true);
    const { proof } = bench.checks.confirm(number, code);
    expect(bench.callerIds.allows(number, proof)).toBe(true);
    expect(bench.callerIds.allows("+13035550101", proof)).toBe(false);
    expect(() => bench.checks.confirm(number, code)).toThrow(problem("no_check"));
  });

  test("is not proven by a fourth attempt, even with the right code", async () => {
    const bench = new Bench();
    const code = await bench.heardCode();
    const wrong = code === "000000" ? "000001" : "000000";
    for (let tries = 0; tries < 3; tries += 1) expect(() => bench.checks.confirm(number, wrong)).toThrow(problem("wrong_code"));
    expect(() => bench.checks.confirm(number, code)).toThrow(problem("no_check"));
  });

  test("is not proven after ten minutes, by another number's code, or by an earlier call's code", async () => {
    const bench = new Bench();
    const first = await bench.heardCode();
    await bench.hungUp();
    const second = await bench.heardCode();
    expect(() => bench.checks.confirm("+13035550101", second)).toThrow(problem("no_check"));
    if (first !== second) expect(() => bench.checks.confirm(number, first)).toThrow(problem("wrong_code"));
    await vi.advanceTimersByTimeAsync(CODE_LIFE_MS);
    expect(() => bench.checks.confirm(number, second)).toThrow(problem("no_check"));
  });

  test.each([
    ["not E.164", "3035550100"],
    ["an emergency number", "+1911"],
    ["a premium number", "+19005550100"],
    ["a satellite phone", "+881612345678"],
    ["the exchange's own", own],
  ])("is never called if it is %s", async (_what, to) => {
    const bench = new Bench();
    expect(() => bench.checks.start(to, "en")).toThrow(problem("bad_number"));
    await settle();
    expect(bench.network.calls).toHaveLength(0);
  });

  test("is never called while no trunk may show it", () => {
    expect(() => new Bench(false).checks.start(number, "en")).toThrow(problem("not_possible"));
  });

  test("gets one call at a time, and at most five a day", async () => {
    const bench = new Bench();
    bench.checks.start(number, "en");
    await settle();
    expect(() => bench.checks.start(number, "en")).toThrow(problem("busy"));
    await bench.hungUp();
    for (let calls = 1; calls < 5; calls += 1) {
      await bench.heardCode();
      await bench.hungUp();
    }
    expect(() => bench.checks.start(number, "en")).toThrow(problem("too_many"));
    await vi.advanceTimersByTimeAsync(24 * 60 * 60_000);
    expect(() => bench.checks.start(number, "en")).not.toThrow();
  });

  test("has its call hung up when it is removed, and can be called again at once", async () => {
    const bench = new Bench();
    const code = await bench.heardCode();
    const first = bench.network.last;
    bench.checks.remove(number);
    expect(first.ended).toBe(true);
    expect(() => bench.checks.confirm(number, code)).toThrow(problem("no_check"));
    const second = await bench.heardCode();
    expect(() => bench.checks.start(number, "en")).toThrow(problem("busy"));
    expect(() => bench.checks.confirm(number, second)).not.toThrow();
  });

  test("has its call hung up if it takes too long", async () => {
    const bench = new Bench();
    await bench.heardCode();
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    expect(bench.network.last.ended).toBe(true);
  });
});
