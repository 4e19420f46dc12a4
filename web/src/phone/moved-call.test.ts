import { CALL_MOVED_CAUSE } from "@farline/contract/constants.ts";
import { describe, expect, it, vi } from "vitest";
import { memoryStorage } from "../../test/memory-storage.ts";
import { connected, createBench, type Bench } from "../../test/scripted-line.ts";
import { inScriptedTab, pass } from "../../test/scripted-tab.ts";
import { callMarker } from "./call/call-marker.ts";
import { ServiceRefusal } from "./call/call-service.ts";

inScriptedTab();

/** A page in an answered call, and another page of the customer that shows it. */
async function twoPages(): Promise<{ first: Bench; second: Bench; lineId: string }> {
  const first = createBench();
  await connected(first);
  first.service.change("call-1", { status: "in-progress", answered_at: new Date().toISOString() });
  const lineId = callMarker.get()?.lineId ?? "none";
  first.service.lineId = lineId;
  vi.stubGlobal("sessionStorage", memoryStorage());
  const second = createBench(undefined, { service: first.service });
  await second.phone.prepare();
  expect(second.phone.state).toMatchObject({ elsewhere: { id: "call-1" }, movable: lineId });
  second.log.length = 0;
  return { first, second, lineId };
}

describe("a call that is moved here", () => {
  it("opens microphone and line, and then lets the provider hand it over to this page", async () => {
    const { first, second, lineId } = await twoPages();
    first.service.onMove = (session) => {
      expect(session).toBe(second.client().sessionid);
      first.call().change("hangup", { cause: CALL_MOVED_CAUSE });
      second.client().offer(lineId);
    };
    second.phone.moveHere();
    expect(second.phone.state).toMatchObject({ status: "active", call: { reconnecting: true } });
    await pass(0);
    expect(second.log).toEqual(["microphone", "connect"]);
    expect(second.phone.state).toMatchObject({
      status: "active",
      elsewhere: null,
      call: { callId: "call-1", reconnecting: false },
    });
    expect(first.phone.state).toMatchObject({ status: "idle", call: null, lastCall: null, elsewhere: { id: "call-1" } });
    expect(first.microphone.open).toBe(0);
    await pass(20_000);
    expect(first.service.record("call-1").status).toBe("in-progress");
    second.phone.hangUp();
    await pass(3000);
    expect(first.service.record("call-1").status).toBe("completed");
    expect(second.microphone.open).toBe(0);
  });

  it("goes on where it was if the provider cannot move it", async () => {
    const { first, second } = await twoPages();
    first.service.onMove = () => {
      throw new ServiceRefusal({ status: 409, code: "conflict", message: "This call can’t be moved." });
    };
    second.phone.moveHere();
    await pass(0);
    expect(second.phone.state).toMatchObject({
      status: "idle",
      call: null,
      elsewhere: { id: "call-1" },
      error: { message: "This call can’t be moved." },
    });
    expect(second.microphone.open).toBe(0);
    await pass(20_000);
    expect(first.log).not.toContain("hangup call-1");
    expect(first.phone.state).toMatchObject({ status: "active", call: { callId: "call-1" } });
  });

  it("cannot be moved without the provider's help", async () => {
    const { first, second } = await twoPages();
    first.service.lineId = null;
    second.phone.refresh();
    await pass(0);
    expect(second.phone.state).toMatchObject({ elsewhere: { id: "call-1" }, movable: null });
    second.phone.moveHere();
    await pass(0);
    expect(second.log).toEqual([]);
  });
});
