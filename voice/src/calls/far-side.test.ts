import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Bench, dialled, settle } from "../../test/calls-bench.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a dialled call", () => {
  test("plays ringback while the far end rings, until it is heard", async () => {
    const bench = new Bench();
    await dialled(bench);
    bench.network.last.progress(null);
    bench.network.last.progress("early-sdp");
    bench.network.last.progress(null);
    expect(bench.media.last.commands).toEqual(["ringback", "connect early-sdp", "ringback", "ringback"]);
  });

  test("takes audio from the addresses of the trunk that carries it, which another trunk may replace", async () => {
    const bench = new Bench();
    await dialled(bench);
    bench.network.last.progress("early-sdp");
    expect(bench.media.last.audioFrom).toEqual(["192.0.2.1"]);
    bench.network.last.trunkAddresses = ["192.0.2.2"];
    bench.network.last.answer();
    await settle();
    expect(bench.media.last.audioFrom).toEqual(["192.0.2.2"]);
    await bench.network.last.events.onRenegotiate("moved-sdp");
    expect(bench.media.last.audioFrom).toEqual(["192.0.2.2"]);
  });

  test("is not answered if the far media is unusable", async () => {
    const bench = new Bench();
    await dialled(bench);
    bench.network.last.answer("bad-sdp");
    await settle();
    expect(bench.of("call.answered")).toEqual([]);
    expect(bench.line.end).toMatchObject({ cause: "unspecified", source: "callee", sipStatus: 488 });
    expect(bench.network.last.ended).toBe(true);
  });

  test("continues after unusable early media, and can still be answered", async () => {
    const bench = new Bench();
    const call = await dialled(bench);
    bench.network.last.progress("bad-sdp");
    await settle();
    expect(call.over).toBe(false);
    expect(bench.media.last.commands.at(-1)).toBe("ringback");
    bench.network.last.answer();
    await settle();
    expect(bench.of("call.answered")).toHaveLength(2);
    expect(bench.media.last.commands.at(-1)).toBe("stop tone");
  });

  test("ends when the answered far end is silent for 30 seconds, and reports until when it was heard", async () => {
    const bench = new Bench();
    const call = await dialled(bench);
    bench.media.last.farSilent(40_000);
    expect(call.over).toBe(false);
    bench.network.last.answer();
    await vi.advanceTimersByTimeAsync(29_999);
    const answeredAt = call.far?.answeredAt?.getTime() ?? 0;
    bench.media.last.farSilent(70_000);
    expect(call.over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    bench.media.last.farSilent(70_001);
    expect(bench.line.end).toMatchObject({ source: "callee", sipStatus: 408 });
    expect(call.far?.heardUntil?.getTime()).toBe(answeredAt);
    expect(bench.network.last.ended).toBe(true);
  });
});
