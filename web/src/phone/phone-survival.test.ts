import { describe, expect, it, vi } from "vitest";
import { callMarker } from "./call/call-marker.ts";
import { memoryStorage } from "../../test/memory-storage.ts";
import { PhoneError } from "./phone-error.ts";
import { connected, createBench, dialled, ghana, markedLine, reloaded } from "../../test/scripted-line.ts";
import { callRecord } from "../../test/scripted-service.ts";
import { inScriptedTab, pass } from "../../test/scripted-tab.ts";

inScriptedTab();

describe("a page reloaded during a call", () => {
  it("offers to rejoin, and opens neither line nor microphone until the caller agrees", async () => {
    const bench = await reloaded();
    expect(bench.phone.state).toMatchObject({ status: "idle", line: "off", rejoinable: { id: "call-1" }, elsewhere: null });
    expect(bench.log).toEqual([]);
    bench.phone.dial(ghana);
    await pass(0);
    expect(bench.phone.state.status).toBe("idle");
  });

  it("rejoins the call with the selected microphone, and its timer continues", async () => {
    const bench = await reloaded();
    bench.phone.rejoin();
    await pass(0);
    expect(bench.log).toEqual(["microphone", "connect"]);
    expect(bench.phone.state).toMatchObject({ status: "active", rejoinable: null, call: { reconnecting: true } });
    bench.client().offer(markedLine());
    expect(bench.log).not.toContainEqual(expect.stringContaining("own microphone"));
    expect(bench.phone.state.call).toMatchObject({ reconnecting: false, elapsedSeconds: 12 });
    bench.phone.hangUp();
    await pass(3000);
    expect(bench.service.record("call-1").status).toBe("completed");
    expect(bench.microphone.open).toBe(0);
    expect(bench.phone.state.lastCall?.callId).toBe("call-1");
  });

  it("does not treat a ringing call as answered, whatever the line says", async () => {
    const before = createBench();
    await dialled(before);
    before.service.change("call-1", { status: "ringing" });
    const bench = createBench(undefined, { service: before.service });
    await bench.phone.prepare();
    bench.phone.rejoin();
    await pass(0);
    bench.client().offer(markedLine());
    await pass(1000);
    expect(bench.phone.state.status).toBe("ringing");
    bench.service.change("call-1", { status: "in-progress", answered_at: new Date().toISOString() });
    await pass(1000);
    expect(bench.phone.state.status).toBe("active");
  });

  it("does not say that the phone rings before the exchange does", async () => {
    const before = createBench();
    await dialled(before);
    before.service.change("call-1", { status: "ringing" });
    const bench = createBench(undefined, { service: before.service });
    await bench.phone.prepare();
    bench.phone.rejoin();
    await pass(1000);
    expect(bench.phone.state).toMatchObject({ status: "initializing", call: { callId: "call-1" } });
    // The exchange offers the call and says at once what the far end does.
    const call = bench.client().offer(markedLine(), (offered) => bench.client().park(offered));
    await pass(1000);
    expect(bench.phone.state.status).toBe("initializing");
    bench.client().farRings(call);
    expect(bench.phone.state.status).toBe("ringing");
  });

  it("ends the call with a message if the provider does not return it", async () => {
    const bench = await reloaded();
    bench.phone.rejoin();
    await pass(20_000);
    expect(bench.phone.state).toMatchObject({ status: "idle", lastCall: { endReason: "connection_lost" } });
    expect(bench.service.record("call-1").status).toBe("completed");
    expect(bench.microphone.open).toBe(0);
  });

  it.each(["unknown", "granted"] as const)(
    "offers the call again if the microphone is refused (%s), and never opens it by itself twice",
    async (permission) => {
      const bench = await reloaded("denied");
      bench.microphone.refuse = new PhoneError("microphone_denied");
      bench.phone.rejoin();
      bench.microphone.permit(permission);
      await pass(5000);
      expect(bench.phone.state).toMatchObject({
        status: "idle",
        call: null,
        error: { code: "microphone_denied" },
        rejoinable: { id: "call-1" },
      });
      expect(bench.service.record("call-1").status).toBe("in-progress");
      expect(bench.log.filter((line) => line === "microphone")).toHaveLength(1);
      bench.microphone.refuse = null;
      bench.phone.rejoin();
      await pass(0);
      bench.client().offer(markedLine());
      expect(bench.phone.state).toMatchObject({ status: "active", error: null, call: { reconnecting: false } });
    },
  );

  it("hangs up instead if the caller chooses to, shows the outcome, and is then ready for another call", async () => {
    const bench = await reloaded();
    bench.phone.declineRejoin();
    expect(bench.phone.state.lastCall).toMatchObject({ callId: "call-1", endReason: "hangup" });
    await pass(0);
    expect(bench.service.record("call-1").status).toBe("completed");
    expect(bench.phone.state).toMatchObject({ rejoinable: null, line: "ready", lastCall: { record: { status: "completed" } } });
    bench.phone.dial(ghana);
    await pass(0);
    expect(bench.client().calls).toHaveLength(1);
  });

  it("withdraws the offer if the call ends meanwhile", async () => {
    const bench = await reloaded();
    bench.service.change("call-1", { status: "completed", end_reason: "hangup" });
    await pass(2000);
    expect(bench.phone.state).toMatchObject({ rejoinable: null, lastCall: { callId: "call-1", endReason: "hangup" } });
  });

  it("does not connect while the service cannot say whether the call is running", async () => {
    const before = createBench();
    await connected(before);
    before.service.unreachable = true;
    const bench = createBench(undefined, { service: before.service });
    await bench.phone.prepare();
    expect(bench.log).toEqual([]);
    before.service.unreachable = false;
    bench.wake();
    await pass(0);
    expect(bench.phone.state.rejoinable?.id).toBe("call-1");
  });
});

describe("a call in another tab", () => {
  it("is shown, and prevents a second one", async () => {
    const first = createBench();
    await connected(first);
    vi.stubGlobal("sessionStorage", memoryStorage());
    const second = createBench(undefined, { service: first.service });
    second.otherTabCalls = true;
    await second.phone.prepare();
    expect(second.phone.state).toMatchObject({ rejoinable: null, elsewhere: { id: "call-1" } });
    second.phone.dial(ghana);
    await pass(0);
    expect(second.phone.state).toMatchObject({ status: "idle", error: { code: "other_tab" } });
    expect(second.log).not.toContain("initiate");
  });

  it("appears when that tab reports it, and disappears when it is over", async () => {
    const first = createBench();
    const second = createBench(undefined, { service: first.service });
    await second.phone.prepare();
    expect(second.phone.state.elsewhere).toBeNull();
    await connected(first);
    expect(first.announced).toBeGreaterThan(0);
    second.otherTabCalls = true;
    second.announce();
    await pass(0);
    expect(second.phone.state.elsewhere?.id).toBe("call-1");
    first.phone.hangUp();
    await pass(2000);
    expect(second.phone.state.elsewhere).toBeNull();
  });

  it("can be ended from here, and that tab follows the service within 10 s", async () => {
    const first = createBench();
    await connected(first);
    const second = createBench(undefined, { service: first.service });
    second.otherTabCalls = true;
    await second.phone.prepare();
    second.phone.hangUpElsewhere();
    await pass(2500);
    expect(second.phone.state.elsewhere).toBeNull();
    expect(first.phone.state.status).not.toBe("active");
    expect(first.microphone.open).toBe(0);
  });
});

describe("a call hung up while neither line nor service was reachable", () => {
  it("is not offered to the next page, but ended as soon as the service can be reached", async () => {
    const before = createBench();
    await connected(before);
    before.service.unreachable = true;
    before.phone.hangUp();
    await pass(60_000);
    before.service.unreachable = false;
    const bench = createBench(undefined, { service: before.service });
    bench.microphone.permit("granted");
    await bench.phone.prepare();
    await pass(0);
    expect(bench.phone.state).toMatchObject({ rejoinable: null, elsewhere: null });
    expect(bench.log).not.toContain("microphone");
    expect(bench.service.record("call-1").end_reason).toBe("cancelled");
  });

  it("is ended when the network is back, and its revived object never gets a microphone", async () => {
    const bench = createBench();
    await connected(bench);
    const ended = bench.call();
    bench.client().lose();
    bench.service.unreachable = true;
    bench.phone.hangUp();
    await pass(60_000);
    bench.service.unreachable = false;
    bench.client().ready();
    const revived = bench.client().revive(ended);
    await pass(0);
    expect(revived.hangups).toBe(1);
    expect(bench.service.record("call-1").end_reason).toBe("cancelled");
    expect(bench.microphone.open).toBe(0);
  });

  it("is removed from the screen if line and service stay unreachable: the provider has ended it by then", async () => {
    const bench = createBench();
    await connected(bench);
    bench.client().lose();
    bench.service.unreachable = true;
    await pass(50_000);
    expect(bench.phone.state).toMatchObject({ status: "ended", call: { endReason: "connection_lost" } });
    expect(bench.microphone.open).toBe(0);
  });

  it("checks with the service at once when the machine wakes", async () => {
    const bench = createBench();
    await connected(bench);
    bench.service.change("call-1", { status: "completed", end_reason: "connection_lost" });
    bench.wake();
    await pass(1);
    expect(bench.phone.state).toMatchObject({ status: "ended", call: { endReason: "connection_lost" } });
  });
});

describe("microphones and digits", () => {
  it("dials before the microphone opens if the browser needs no prompt, and sends its sound once it is open", async () => {
    const bench = createBench();
    bench.microphone.permit("granted");
    let give = (): void => undefined;
    bench.microphone.waits = new Promise((resolve) => (give = resolve));
    await dialled(bench);
    expect(bench.log).toEqual(["connect", "initiate", "newCall +233200000142 from +15550001111", "microphone"]);
    expect(bench.call().track).toBeNull();
    give();
    await pass(0);
    expect(bench.call().track).toMatchObject({ kind: "audio", readyState: "live" });
    bench.phone.hangUp();
    await pass(2000);
    expect(bench.microphone.open).toBe(0);
  });

  it("opens the microphone first if none is listed, although the browser needs no prompt", async () => {
    vi.stubGlobal("navigator", { mediaDevices: { enumerateDevices: async () => [], addEventListener: () => undefined } });
    const bench = createBench();
    bench.microphone.permit("granted");
    bench.microphone.refuse = new PhoneError("microphone_missing");
    await dialled(bench);
    expect(bench.log).toEqual(["connect", "microphone"]);
  });

  it("hangs the leg up and releases the credit if the microphone does not open in time, and closes it if it opens later", async () => {
    const bench = createBench();
    bench.microphone.permit("granted");
    let give = (): void => undefined;
    bench.microphone.waits = new Promise((resolve) => (give = resolve));
    await dialled(bench);
    await pass(11_999);
    expect(bench.client().liveCalls()).toHaveLength(1);
    await pass(1);
    expect(bench.phone.state.error?.code).toBe("microphone_busy");
    expect(bench.client().liveCalls()).toEqual([]);
    expect(bench.service.record("call-1").status).toBe("failed");
    give();
    await pass(0);
    expect(bench.microphone.open).toBe(0);
  });

  it("hangs the leg up and releases the credit if the microphone did not open", async () => {
    const bench = createBench();
    bench.microphone.permit("granted");
    bench.microphone.refuse = new PhoneError("microphone_busy");
    await dialled(bench);
    await pass(0);
    expect(bench.phone.state.error?.code).toBe("microphone_busy");
    expect(bench.service.record("call-1").status).toBe("failed");
    expect(bench.client().liveCalls()).toEqual([]);
  });

  it("changes the microphone during the call, remembers it, and closes the old one", async () => {
    const bench = createBench();
    await connected(bench);
    expect(await bench.phone.setMicrophone("usb")).toBe(true);
    expect(bench.microphone.devices).toEqual([null, "usb"]);
    expect(bench.microphone.open).toBe(2); // the microphone and the copy that the call has
    bench.microphone.refuse = new PhoneError("microphone_busy");
    expect(await bench.phone.setMicrophone("other")).toBe(false);
    bench.microphone.refuse = null;
    bench.phone.hangUp();
    await pass(2000);
    expect(bench.microphone.open).toBe(0);
    await dialled(bench);
    expect(bench.microphone.devices.at(-1)).toBe("usb");
  });

  it("sends the extension once after the answer, with its pauses", async () => {
    const bench = createBench();
    await bench.phone.prepare();
    bench.phone.dial({ ...ghana, extension: ",,12#" });
    await pass(0);
    bench.call().change("early");
    await pass(5000);
    expect(bench.call().digits).toBe("");
    bench.call().change("active");
    await pass(3999);
    expect(bench.call().digits).toBe("");
    await pass(1000);
    expect(bench.call().digits).toBe("12#");
    expect(bench.phone.state.call?.digits).toBe(",,12#");
    bench.call().change("active");
    await pass(5000);
    expect(bench.call().digits).toBe("12#");
  });
});

describe("a page that closes", () => {
  it("reports the call it is in, or one it could rejoin; otherwise nothing", async () => {
    const bench = createBench();
    bench.leave();
    expect(bench.log).toEqual([]);
    await connected(bench);
    bench.leave();
    expect(bench.log).toContain("leave call-1");

    const offered = createBench(undefined, { service: bench.service });
    bench.service.change("call-1", { status: "in-progress", answered_at: new Date().toISOString() });
    await offered.phone.prepare();
    bench.log.length = 0;
    offered.leave();
    expect(bench.log).toEqual(["leave call-1"]);
  });

  it("reports nothing about a call in another tab, or one that is over", async () => {
    const bench = createBench();
    await connected(bench);
    bench.service.change("call-1", { status: "in-progress", answered_at: new Date().toISOString() });
    vi.stubGlobal("sessionStorage", memoryStorage());
    const other = createBench(undefined, { service: bench.service });
    await other.phone.prepare();
    expect(other.phone.state.elsewhere).toMatchObject({ id: "call-1" });
    other.leave();
    bench.phone.hangUp();
    await pass(3000);
    bench.leave();
    expect(bench.log.filter((line) => line.startsWith("leave"))).toEqual([]);
  });

  it("is distinguished from the page loaded in its place, which identifies itself with every request", async () => {
    const bench = createBench();
    bench.service.records.set("call-9", callRecord("call-9", { status: "in-progress", answered_at: new Date().toISOString() }));
    callMarker.set({ callId: "call-9", lineId: "line-9", muted: false, extension: "" });
    await bench.phone.prepare();
    expect(bench.service.presences).toEqual(["was in call-9"]);
    await pass(3000);
    expect(bench.service.presences).toEqual(["was in call-9", "in call-9", "in call-9"]);
    callMarker.clear();
    bench.announce();
    await pass(5000);
    expect(bench.phone.state.elsewhere).toMatchObject({ id: "call-9" });
    expect(bench.service.presences).toHaveLength(3);
  });
});
