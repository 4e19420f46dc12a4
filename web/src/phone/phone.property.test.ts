import * as fc from "fast-check";
import { expect, it, vi } from "vitest";
import { ServiceRefusal } from "./call/call-service.ts";
import { PhoneError } from "./phone-error.ts";
import { connected, createBench, dialled, type Bench, type ScriptedCall, ghana } from "../../test/scripted-line.ts";
import { emptyStorage, inScriptedTab } from "../../test/scripted-tab.ts";

inScriptedTab();

/** Where a run begins, because few sequences would lead to an answered call. */
const beginnings = fc.constantFrom<((bench: Bench) => Promise<void>) | null>(null, dialled, connected, connected);

/** A separate browser for each run. */
async function freshBench(begin: ((bench: Bench) => Promise<void>) | null): Promise<Bench> {
  emptyStorage();
  const bench = createBench();
  await begin?.(bench);
  return bench;
}

const newestClient = (bench: Bench) => bench.clients.at(-1);
const newestCall = (bench: Bench): ScriptedCall | undefined => newestClient(bench)?.calls.at(-1);
/** The provider sends no events about a call that ended or was replaced. */
const onCall = (bench: Bench, state: string, detail = {}): void => {
  const call = newestCall(bench);
  if (call !== undefined && newestClient(bench)?.liveCalls().includes(call)) call.change(state, detail);
};
const onRecord = (bench: Bench, patch: () => Parameters<Bench["service"]["change"]>[1]): void => {
  const id = [...bench.service.records.keys()].at(-1);
  if (id === undefined) return;
  const { status } = bench.service.record(id);
  if (status !== "completed" && status !== "failed") bench.service.change(id, patch());
};
const now = (): string => new Date().toISOString();

/** Every action of the caller, the provider, the service, the network and the browser, in any order. */
const actions: Record<string, (bench: Bench) => void> = {
  "caller dials": (bench) => bench.phone.dial(ghana),
  "caller dials at once": (bench) => {
    bench.microphone.permit("granted");
    bench.phone.dial(ghana);
  },
  "service decides slowly": (bench) => (bench.service.initiateWaits = new Promise((resolve) => setTimeout(resolve, 400))),
  "caller hangs up": (bench) => bench.phone.hangUp(),
  "caller mutes": (bench) => void bench.phone.toggleMute(),
  "caller holds": (bench) => void bench.phone.toggleHold(),
  "caller presses keys": (bench) => void bench.phone.sendDigits("1*,#"),
  "caller rejoins": (bench) => bench.phone.rejoin(),
  "caller declines to rejoin": (bench) => bench.phone.declineRejoin(),
  "caller ends the call elsewhere": (bench) => bench.phone.hangUpElsewhere(),
  "caller takes another microphone": (bench) => void bench.phone.setMicrophone("usb"),
  "another tab says something": (bench) => bench.announce(),
  "machine wakes": (bench) => bench.wake(),
  "caller signs out": (bench) => bench.phone.signOut(),
  "page prepares": (bench) => void bench.phone.prepare(),
  "provider takes the call": (bench) => onCall(bench, "trying"),
  "far phone rings": (bench) => {
    const call = newestCall(bench);
    if (call !== undefined) newestClient(bench)?.ring(call);
  },
  "exchange parks the leg": (bench) => {
    const call = newestCall(bench);
    if (call !== undefined) newestClient(bench)?.park(call);
  },
  "exchange says that the far phone rings": (bench) => {
    const call = newestCall(bench);
    if (call !== undefined) newestClient(bench)?.farRings(call);
  },
  "early sound": (bench) => onCall(bench, "early"),
  "line opens": (bench) => onCall(bench, "active"),
  "far end hangs up": (bench) => onCall(bench, "hangup", { cause: "NORMAL_CLEARING" }),
  "far end is busy": (bench) => onCall(bench, "hangup", { cause: "USER_BUSY", sipCode: 486 }),
  "SDK drops the call": (bench) => {
    newestClient(bench)?.emit("telnyx.error", { error: { code: 48501 }, callId: newestCall(bench)?.id ?? "" });
    onCall(bench, "hangup", { cause: "USER_BUSY" });
  },
  "socket is lost": (bench) => newestClient(bench)?.lose(),
  "socket is back": (bench) => newestClient(bench)?.ready(),
  "SDK revives the last call": (bench) => {
    const call = newestCall(bench);
    if (call !== undefined && !call.replaced && newestClient(bench)?.connected) newestClient(bench)?.revive(call);
  },
  "SDK gives up": (bench) => newestClient(bench)?.emit("telnyx.error", { error: { code: 45003 } }),
  "login is refused": (bench) => newestClient(bench)?.emit("telnyx.error", { error: { code: 46001 } }),
  "provider sends us away": (bench) =>
    newestClient(bench)?.emit("telnyx.socket.message", { method: "telnyx_rtc.punt", params: {} }),
  "service says ringing": (bench) => onRecord(bench, () => ({ status: "ringing" })),
  "service says answered": (bench) => onRecord(bench, () => ({ status: "in-progress", answered_at: now() })),
  "service says over": (bench) => onRecord(bench, () => ({ status: "completed", end_reason: "credit_used_up", ended_at: now() })),
  "service refuses calls": (bench) =>
    (bench.service.refuse = new ServiceRefusal({ status: 409, code: "conflict", message: "One call at a time." })),
  "service allows calls": (bench) => (bench.service.refuse = null),
  "service is away": (bench) => (bench.service.unreachable = true),
  "service is back": (bench) => (bench.service.unreachable = false),
  "microphone is taken away": (bench) => (bench.microphone.refuse = new PhoneError("microphone_busy")),
  "microphone is given back": (bench) => (bench.microphone.refuse = null),
};

/** About ten milliseconds each. */
const RUNS = process.env["FULL"] === "1" ? 400 : 150;

const step = fc.record({
  what: fc.constantFrom("caller dials", "caller dials at once", "line opens", ...Object.keys(actions)),
  thenWaitMs: fc.constantFrom(0, 0, 0, 300, 2000, 15_000, 76_000),
});

it("never has two live calls and always returns to idle with the microphone closed, for any sequence of events", async () => {
  await fc.assert(
    fc.asyncProperty(beginnings, fc.array(step, { maxLength: 40 }), async (begin, steps) => {
      const bench = await freshBench(begin);
      const live = (): ScriptedCall[] => bench.clients.flatMap((client) => client.liveCalls());
      for (const { what, thenWaitMs } of steps) {
        actions[what]?.(bench);
        await vi.advanceTimersByTimeAsync(thenWaitMs);
        expect(live().length).toBeLessThanOrEqual(1);
        const { status, call } = bench.phone.state;
        if (status === "idle" || status === "ended") expect(live()).toEqual([]);
        if (status === "idle") expect(bench.microphone.open).toBe(0);
        expect(call === null).toBe(status === "idle");
      }
      bench.phone.hangUp();
      await vi.advanceTimersByTimeAsync(2000);
      expect(bench.phone.state.status).toBe("idle");
      expect(live()).toEqual([]);
      expect(bench.microphone.open).toBe(0);
    }),
    { numRuns: RUNS },
  );
});

it("reports the end of every allowed call to the service, unless the service ended it", async () => {
  await fc.assert(
    fc.asyncProperty(beginnings, fc.array(step, { maxLength: 30 }), async (begin, steps) => {
      const bench = await freshBench(begin);
      for (const { what, thenWaitMs } of steps) {
        if (what !== "service is away") actions[what]?.(bench);
        await vi.advanceTimersByTimeAsync(thenWaitMs);
      }
      bench.phone.hangUp();
      await vi.advanceTimersByTimeAsync(60_000);
      for (const record of bench.service.records.values()) expect(["completed", "failed"]).toContain(record.status);
    }),
    { numRuns: RUNS },
  );
});
