import type { LiveCallResponse } from "@farline/contract/calls.ts";
import { describe, expect, it } from "vitest";
import { callMarker } from "./call-marker.ts";
import { ServiceRefusal } from "./call-service.ts";
import { createBench, type Bench } from "../../../test/scripted-line.ts";
import { callRecord } from "../../../test/scripted-service.ts";
import { inScriptedTab, pass } from "../../../test/scripted-tab.ts";

inScriptedTab();

/** A page that was reloaded during the call `call-1`, which still runs. */
function reloadedInCall(): Bench {
  const bench = createBench();
  bench.service.records.set("call-1", callRecord("call-1", { status: "in-progress", answered_at: new Date().toISOString() }));
  callMarker.set({ callId: "call-1", lineId: "line-1", muted: false, extension: "" });
  return bench;
}

/** Makes requests for a running call fail with `status` until `mend`; counts them. */
function refuseLooks(bench: Bench, status: number): { looks: number; mend(): void } {
  const answer = bench.service.getLiveCall.bind(bench.service);
  const trouble = { looks: 0, mend: () => void (bench.service.getLiveCall = answer) };
  bench.service.getLiveCall = (): Promise<LiveCallResponse> => {
    trouble.looks += 1;
    return Promise.reject(new ServiceRefusal({ status, code: "unavailable", message: "Not now." }));
  };
  return trouble;
}

describe("a page reloaded during a call", () => {
  it.each([408, 425, 429, 500, 503])("retries every second after a %i, and finds its call", async (status) => {
    const bench = reloadedInCall();
    const trouble = refuseLooks(bench, status);
    await bench.phone.prepare();
    await pass(2500);
    expect(trouble.looks).toBe(3);
    expect(callMarker.get()?.callId).toBe("call-1");
    expect(bench.log).toEqual([]);
    trouble.mend();
    await pass(1000);
    expect(bench.phone.state.rejoinable?.id).toBe("call-1");
  });

  it.each([400, 403, 404, 422])("accepts a %i: there is no call to rejoin, and the line opens", async (status) => {
    const bench = reloadedInCall();
    const trouble = refuseLooks(bench, status);
    await bench.phone.prepare();
    expect(callMarker.get()).toBeNull();
    expect(bench.phone.state.line).toBe("ready");
    await pass(60_000);
    expect(trouble.looks).toBe(1);
  });

  it("retries only as long as the provider may keep the call", async () => {
    const bench = reloadedInCall();
    const trouble = refuseLooks(bench, 503);
    await bench.phone.prepare();
    await pass(10 * 60_000);
    expect(trouble.looks).toBe(46);
  });

  it("stops when the user is signed out, and keeps its marker for the next sign-in", async () => {
    const bench = reloadedInCall();
    const trouble = refuseLooks(bench, 401);
    await bench.phone.prepare();
    await pass(60_000);
    expect(trouble.looks).toBe(1);
    expect(callMarker.get()?.callId).toBe("call-1");
    refuseLooks(bench, 503);
    const asked = bench.phone.prepare();
    bench.phone.signOut();
    await asked;
    trouble.mend();
    await pass(60_000);
    expect(bench.phone.state.rejoinable).toBeNull();
  });

  it("does not show one user the answer to another user's request", async () => {
    const bench = reloadedInCall();
    const asked = bench.phone.prepare();
    bench.phone.signOut();
    await asked;
    expect(bench.phone.state).toMatchObject({ rejoinable: null, elsewhere: null });
  });

  it("opens the line once it learns that the call is over", async () => {
    const bench = reloadedInCall();
    const trouble = refuseLooks(bench, 503);
    await bench.phone.prepare();
    expect(bench.phone.state.line).toBe("off");
    bench.service.change("call-1", { status: "completed", end_reason: "connection_lost" });
    trouble.mend();
    await pass(1000);
    expect(bench.phone.state.line).toBe("ready");
  });

  it("keeps the offer on the screen while the service is in trouble", async () => {
    const bench = reloadedInCall();
    await bench.phone.prepare();
    refuseLooks(bench, 503);
    bench.wake();
    await pass(1500);
    expect(bench.phone.state.rejoinable?.id).toBe("call-1");
    expect(callMarker.get()?.callId).toBe("call-1");
  });
});

describe("while a call runs in another tab or on another device", () => {
  async function elsewhere(): Promise<Bench> {
    const bench = reloadedInCall();
    callMarker.clear();
    bench.otherTabCalls = true;
    await bench.phone.prepare();
    expect(bench.phone.state.elsewhere?.id).toBe("call-1");
    return bench;
  }

  it("the line stays closed, because the provider might attach the call to this page; it opens afterwards", async () => {
    const bench = await elsewhere();
    expect(bench.log).toEqual([]);
    bench.service.change("call-1", { status: "completed", end_reason: "hangup" });
    await pass(2500);
    expect(bench.phone.state).toMatchObject({ elsewhere: null, line: "ready" });
  });

  it("the line opens when the caller has ended the call from here", async () => {
    const bench = await elsewhere();
    bench.phone.hangUpElsewhere();
    await pass(0);
    expect(bench.phone.state).toMatchObject({ elsewhere: null, line: "ready" });
  });

  it("a page without interaction opens no line afterwards", async () => {
    const bench = reloadedInCall();
    callMarker.clear();
    bench.wake();
    await pass(0);
    bench.service.change("call-1", { status: "completed", end_reason: "hangup" });
    await pass(2500);
    expect(bench.phone.state).toMatchObject({ elsewhere: null, line: "off" });
  });
});
