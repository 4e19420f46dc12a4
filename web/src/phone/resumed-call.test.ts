import { describe, expect, it, vi } from "vitest";
import { callMarker } from "./call/call-marker.ts";
import { connected, createBench, ghana, markedLine, reloaded, type Bench, type ScriptedCall } from "../../test/scripted-line.ts";
import { serviceNow } from "../time/clock.ts";
import { inScriptedTab, pass } from "../../test/scripted-tab.ts";

inScriptedTab();

describe("a page reloaded during a call, with the microphone granted", () => {
  it("goes on by itself, and says for six seconds how long the other side waited", async () => {
    const bench = await reloaded("granted");
    await pass(0);
    expect(bench.log).toEqual(["microphone", "connect"]);
    bench.client().offer(markedLine());
    expect(bench.phone.state).toMatchObject({ status: "active", call: { reconnecting: false, backAfterSeconds: 2 } });
    await pass(5999);
    expect(bench.phone.state.call?.backAfterSeconds).toBe(2);
    await pass(1);
    expect(bench.phone.state.call?.backAfterSeconds).toBeNull();
  });

  it.each([
    ["stays muted if it was, before its sound flows", 1, true],
    ["is not muted if it was unmuted again", 2, false],
  ])("%s", async (_, presses, isMuted) => {
    const bench = await reloaded("granted", ({ phone }) => {
      for (let pressed = 0; pressed < presses; pressed += 1) phone.toggleMute();
    });
    await pass(0);
    expect(bench.phone.state.call?.muted).toBe(isMuted);
    const call = bench.client().offer(markedLine(), (offered) => expect(offered.muted).toBe(isMuted));
    expect(call.muted).toBe(isMuted);
    expect(bench.phone.toggleMute()).toBe(!isMuted);
    expect(call.muted).toBe(!isMuted);
  });

  it("sends the extension of a call that still rang after its answer, once", async () => {
    const first = createBench();
    await first.phone.prepare();
    first.phone.dial({ ...ghana, extension: ",,12#" });
    await pass(0);
    first.call().change("early");
    const reload = async (): Promise<[Bench, ScriptedCall]> => {
      const bench = createBench(undefined, { service: first.service });
      bench.microphone.permit("granted");
      await bench.phone.prepare();
      await pass(0);
      return [bench, bench.client().offer(markedLine())];
    };
    const [second, ringing] = await reload();
    await pass(5000);
    expect(ringing.digits).toBe("");
    first.service.change("call-1", { status: "in-progress", answered_at: new Date().toISOString() });
    await pass(10_000);
    expect(ringing.digits).toBe("12#");
    expect(second.phone.state.call?.digits).toBe(",,12#");
    const [, answered] = await reload();
    await pass(10_000);
    expect(answered.digits).toBe("");
  });

  it("goes on as soon as the browser has said that it is granted", async () => {
    const bench = await reloaded();
    expect(bench.phone.state.rejoinable?.id).toBe("call-1");
    bench.microphone.permit("granted");
    expect(bench.phone.state).toMatchObject({ rejoinable: null, status: "active" });
  });

  it.each(["prompt", "denied"] as const)("waits for a press where the browser said %s first", async (permission) => {
    const bench = await reloaded(permission);
    bench.microphone.permit("granted");
    bench.wake();
    await pass(5000);
    expect(bench.phone.state.rejoinable?.id).toBe("call-1");
    expect(bench.log).not.toContain("microphone");
  });

  it("waits while nobody sees the page, and goes on when it is shown", async () => {
    const before = createBench();
    await connected(before);
    before.service.change("call-1", { status: "in-progress", answered_at: new Date().toISOString() });
    const bench = createBench(undefined, { service: before.service });
    bench.mayResume = false;
    bench.microphone.permit("granted");
    await bench.phone.prepare();
    await pass(5000);
    expect(bench.microphone.devices).toEqual([]);
    bench.mayResume = true;
    bench.wake();
    await pass(0);
    expect(bench.phone.state.status).toBe("active");
  });

  it("does not take the call from another tab, also as a copy of that tab", async () => {
    const first = createBench();
    await connected(first);
    const copy = createBench(undefined, { service: first.service });
    copy.otherTabCalls = true;
    copy.microphone.permit("granted");
    await copy.phone.prepare();
    await pass(5000);
    expect(copy.phone.state).toMatchObject({ status: "idle", rejoinable: null, elsewhere: { id: "call-1" } });
    expect(copy.log).not.toContain("microphone");
  });
});

describe("a page reloaded during a call", () => {
  it("says how long the provider keeps the call, counted from the moment the first page was left", async () => {
    const bench = await reloaded();
    const left = (): number => Math.round((bench.phone.state.keptUntil - serviceNow()) / 1000);
    expect(left()).toBe(43);
    await pass(5000);
    bench.leave();
    const third = createBench(undefined, { service: bench.service });
    await third.phone.prepare();
    expect(Math.round((third.phone.state.keptUntil - serviceNow()) / 1000)).toBe(38);
  });

  it("counts from the last time that the page was left, not from one after which it went on", async () => {
    const before = createBench();
    await connected(before);
    before.service.change("call-1", { status: "in-progress", answered_at: new Date().toISOString() });
    before.leave();
    await pass(2000);
    before.wake();
    await pass(60_000);
    // The browser was killed, and restores the page: nothing could be noted.
    const bench = createBench(undefined, { service: before.service });
    await bench.phone.prepare();
    expect(Math.round((bench.phone.state.keptUntil - serviceNow()) / 1000)).toBe(45);
  });

  it.each([
    [9 * 60_000, "call-1"],
    [11 * 60_000, undefined],
  ])("shows the outcome of a call that ended while it was away, for some minutes: after %i ms", async (ms, shown) => {
    const before = createBench();
    await connected(before);
    before.leave();
    before.service.change("call-1", {
      status: "completed",
      answered_at: new Date().toISOString(),
      ended_at: new Date().toISOString(),
      end_reason: "connection_lost",
    });
    vi.setSystemTime(Date.now() + ms);
    const bench = createBench(undefined, { service: before.service });
    await bench.phone.prepare();
    await pass(0);
    expect(bench.phone.state.lastCall?.callId).toBe(shown);
    expect(callMarker.get()).toBeNull();
  });
});
