import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Bench, dialled, settle, talking } from "../../test/calls-bench.ts";

/** Short, because the carrier charges for every second. */
const NEVER_HEARD_MS = 5_000;
const BEYOND_ALL_GRACE_MS = 50_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function benchWithSilentBrowsers(): Bench {
  const bench = new Bench();
  bench.media.browsersHeard = false;
  return bench;
}

test("a call whose caller was never heard ends seconds after the answer, and reports no silence", async () => {
  const bench = benchWithSilentBrowsers();
  const call = await talking(bench);
  await vi.advanceTimersByTimeAsync(NEVER_HEARD_MS - 1);
  expect(call.over).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(bench.line.end).toMatchObject({ source: "caller", sipStatus: 408 });
  expect([call.far?.heardUntil, bench.network.last.ended]).toEqual([null, true]);
});

test("a caller who was never heard does not gain time by reconnecting or by hold", async () => {
  const bench = benchWithSilentBrowsers();
  const call = await talking(bench);
  for (let passedMs = 0; passedMs < NEVER_HEARD_MS; passedMs += 500) {
    call.connectionLost();
    call.connectionRestored();
    call.hold(passedMs % 1_000 === 0);
    bench.media.last.hear({ heard: false, silentMs: passedMs });
    await vi.advanceTimersByTimeAsync(500);
  }
  expect([call.over, call.far?.heardUntil]).toEqual([true, null]);
});

test.each(["before the answer", "after it"])(
  "a caller who is first heard %s has the usual grace period from then on",
  async (when) => {
    const bench = benchWithSilentBrowsers();
    const call = await (when === "after it" ? talking(bench) : dialled(bench));
    if (when === "after it") await vi.advanceTimersByTimeAsync(NEVER_HEARD_MS - 1);
    bench.media.last.hear({ heard: true });
    if (when !== "after it") bench.network.last.answer();
    await settle();
    await vi.advanceTimersByTimeAsync(BEYOND_ALL_GRACE_MS);
    expect(call.over).toBe(false);
  },
);
