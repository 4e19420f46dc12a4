import { beforeEach, expect, test, vi } from "vitest";
import { onClockJump } from "./wake.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

test("nothing jumps while both clocks go on", async () => {
  const jumped = vi.fn<() => void>();
  onClockJump(jumped);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(jumped).not.toHaveBeenCalled();
});

test.each([3_600_000, -3_600_000, 365 * 86_400_000, -365 * 86_400_000])("a clock set by %d ms is noticed once", async (byMs) => {
  const jumped = vi.fn<() => void>();
  const stop = onClockJump(jumped);
  await vi.advanceTimersByTimeAsync(1000);
  vi.setSystemTime(Date.now() + byMs);
  await vi.advanceTimersByTimeAsync(5000);
  expect(jumped).toHaveBeenCalledOnce();
  stop();
  vi.setSystemTime(Date.now() + byMs);
  await vi.advanceTimersByTimeAsync(5000);
  expect(jumped).toHaveBeenCalledOnce();
});

test("a sleep that only performance.now() shows is noticed, because the device's clock was set back meanwhile", async () => {
  const jumped = vi.fn<() => void>();
  onClockJump(jumped);
  await vi.advanceTimersByTimeAsync(1000);
  const sleptMs = 30_000;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + sleptMs);
  await vi.advanceTimersByTimeAsync(1000);
  expect(jumped).toHaveBeenCalledOnce();
});
