import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answered, Bench } from "../../test/calls-bench.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ["ahead", 300_000],
  ["back", -300_000],
])("a call lasts as long as it did, although the machine's clock is set %s meanwhile", async (_, byMs) => {
  const bench = new Bench();
  const call = await answered(bench);
  const { far } = call;
  await vi.advanceTimersByTimeAsync(4_000);
  vi.setSystemTime(Date.now() + byMs);
  call.hangUp();
  expect((far?.endedAt?.getTime() ?? 0) - (far?.answeredAt?.getTime() ?? 0)).toBe(4_000);
});
