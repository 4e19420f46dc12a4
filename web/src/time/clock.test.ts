import type * as Clock from "./clock.ts";
import { beforeEach, describe, expect, test, vi } from "vitest";

const TRUE_MS = Date.parse("2026-05-18T19:42:00.400Z");
const YEAR_MS = 365 * 86_400_000;
let clock: typeof Clock;

beforeEach(async () => {
  vi.resetModules();
  vi.useFakeTimers({ now: TRUE_MS + 2 * YEAR_MS });
  clock = await import("./clock.ts");
  return () => vi.useRealTimers();
});

/** The service answers now. */
function answer(at: number, { cache = "no-store", tookMs = 0 } = {}): void {
  const date = new Date(at).toUTCString();
  clock.hearServiceTime(new Response(null, { headers: { Date: date, "Cache-Control": cache } }), performance.now() - tookMs);
}

describe("the service's time", () => {
  test("is the device's before the first response, and right within a second after it", () => {
    expect(clock.serviceNow()).toBe(TRUE_MS + 2 * YEAR_MS);
    answer(TRUE_MS);
    expect(Math.abs(clock.serviceNow() - TRUE_MS)).toBeLessThanOrEqual(500);
  });

  test("gets more exact with each response", async () => {
    answer(TRUE_MS);
    await vi.advanceTimersByTimeAsync(590);
    answer(TRUE_MS + 590);
    await vi.advanceTimersByTimeAsync(20);
    answer(TRUE_MS + 610);
    expect(Math.abs(clock.serviceNow() - (TRUE_MS + 610))).toBeLessThanOrEqual(20);
  });

  test.each([3_600_000, -3_600_000, YEAR_MS, -YEAR_MS])("is the same after the device's clock was set by %d ms", async (byMs) => {
    answer(TRUE_MS);
    const before = clock.serviceNow();
    vi.setSystemTime(Date.now() + byMs);
    await vi.advanceTimersByTimeAsync(1000);
    expect(clock.serviceNow() - before).toBe(1000);
  });

  test("is right again with the first response after a sleep in which performance.now() stood still", () => {
    answer(TRUE_MS);
    const heard = vi.fn<() => void>();
    clock.onServiceTime(heard);
    answer(TRUE_MS + 3_600_000);
    expect(Math.abs(clock.serviceNow() - TRUE_MS - 3_600_000)).toBeLessThanOrEqual(500);
    expect(heard).toHaveBeenCalledOnce();
  });

  test("is not learned from what a cache may have kept, or from what is no date", () => {
    answer(TRUE_MS, { cache: "public, max-age=300" });
    for (const date of ["", "soon", "Thu, 99 Foo 2026 00:00:00 GMT"])
      clock.hearServiceTime(new Response(null, { headers: { Date: date, "Cache-Control": "no-store" } }), 0);
    clock.hearServiceTime(new Response(null, { headers: { "Cache-Control": "no-store" } }), 0);
    expect(clock.serviceNow()).toBe(Date.now());
  });

  test("is as uncertain as a slow request takes", () => {
    answer(TRUE_MS, { tookMs: 4000 });
    expect(Math.abs(clock.serviceNow() - TRUE_MS)).toBeLessThanOrEqual(2500);
  });
});

describe("a stamp of this browser", () => {
  test("is recent for its time, on a device with any clock", async () => {
    const stamp = clock.deviceStamp();
    answer(TRUE_MS);
    await vi.advanceTimersByTimeAsync(1000);
    expect(clock.isRecent(stamp, 1000)).toBe(true);
    expect(clock.isRecent(stamp, 999)).toBe(false);
  });

  test.each([Number.NaN, Infinity, null, "", undefined])("is never %s", (stamp) => {
    expect(clock.isRecent(stamp, 1000)).toBe(false);
  });

  test("from the future has expired: the clock was set back", () => {
    const stamp = clock.deviceStamp();
    vi.setSystemTime(TRUE_MS);
    expect(clock.isRecent(stamp, 1000)).toBe(false);
  });
});
