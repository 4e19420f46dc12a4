import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { connected, createBench } from "../../test/scripted-line.ts";
import { type SpoiltStorage, spoilStorage } from "../../test/spoilt-storage.ts";

let restore: () => void;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-05-18T19:42:00.000Z") });
});
afterEach(() => {
  vi.useRealTimers();
  restore();
});

it.each<SpoiltStorage>(["blocked", "full", "missing"])(
  "where storage is %s a call is made, ended, and told to the service",
  async (how) => {
    restore = spoilStorage(how);
    const bench = createBench();
    await connected(bench);
    expect(bench.phone.state.status).toBe("active");
    bench.phone.hangUp();
    await vi.advanceTimersByTimeAsync(3000);
    expect(bench.phone.state).toMatchObject({ status: "idle", lastCall: { callId: "call-1" } });
    expect(bench.service.record("call-1").end_reason).toBe("cancelled");
    expect(bench.microphone.open).toBe(0);
  },
);

it("if storage is blocked, a microphone stays selected until the page closes", async () => {
  restore = spoilStorage("blocked");
  const bench = createBench();
  expect(await bench.phone.setMicrophone("usb")).toBe(true);
  await connected(bench);
  expect(bench.microphone.devices).toEqual(["usb"]);
});
