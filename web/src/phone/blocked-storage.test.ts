import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { connected, createBench } from "../../test/scripted-line.ts";

/** As in browsers that block site data: accessing the name throws. */
function blockStorage(): void {
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        throw new DOMException("The operation is insecure.", "SecurityError");
      },
    });
  }
}

/** As in browsers on a full disk: reading works, writing fails. */
function fillStorage(): void {
  const full = {
    getItem: () => null,
    removeItem: () => undefined,
    setItem: () => {
      throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    },
  };
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(globalThis, name, { configurable: true, value: full });
  }
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-05-18T19:42:00.000Z") });
});
afterEach(() => {
  vi.useRealTimers();
  for (const name of ["localStorage", "sessionStorage"]) Reflect.deleteProperty(globalThis, name);
});

it.each([
  ["blocked", blockStorage],
  ["full", fillStorage],
])("where storage is %s a call is made, ended, and told to the service", async (_, spoil) => {
  spoil();
  const bench = createBench();
  await connected(bench);
  expect(bench.phone.state.status).toBe("active");
  bench.phone.hangUp();
  await vi.advanceTimersByTimeAsync(3000);
  expect(bench.phone.state).toMatchObject({ status: "idle", lastCall: { callId: "call-1" } });
  expect(bench.service.record("call-1").end_reason).toBe("cancelled");
  expect(bench.microphone.open).toBe(0);
});

it("if storage is blocked, a microphone stays selected until the page closes", async () => {
  blockStorage();
  const bench = createBench();
  expect(await bench.phone.setMicrophone("usb")).toBe(true);
  await connected(bench);
  expect(bench.microphone.devices).toEqual(["usb"]);
});
