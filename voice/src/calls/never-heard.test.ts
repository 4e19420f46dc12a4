import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Bench, destination, settle } from "../../test/calls-bench.ts";

/** Written out because callers wait for this long. */
const FIRST_HEARD_MS = 10_000;
const BEYOND_ALL_GRACE_MS = 50_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function benchWithSilentBrowsers(): Bench {
  const bench = new Bench();
  bench.media.browsersHeard = false;
  return bench;
}

test("a caller who is never heard rings nobody, and the call ends without an answer", async () => {
  const bench = benchWithSilentBrowsers();
  const call = bench.park();
  call.transfer(destination);
  await vi.advanceTimersByTimeAsync(FIRST_HEARD_MS - 1);
  expect([bench.network.calls, call.over]).toEqual([[], false]);
  await vi.advanceTimersByTimeAsync(1);
  expect(bench.line.end).toMatchObject({ cause: "media_timeout", source: "caller", sipStatus: 408 });
  expect(bench.of("call.hangup").map(({ side }) => side)).toEqual(["browser", "far"]);
  expect([bench.network.calls, call.far?.answeredAt, call.far?.heardUntil]).toEqual([[], null, null]);
});

test("a caller who is never heard does not gain time by reconnecting, by hold or by an answer to the browser", async () => {
  const bench = benchWithSilentBrowsers();
  const call = bench.park();
  call.transfer(destination);
  call.answer();
  await settle();
  for (let passedMs = 0; passedMs < FIRST_HEARD_MS; passedMs += 1_000) {
    call.connectionLost();
    call.connectionRestored();
    call.hold(passedMs % 2_000 === 0);
    bench.media.last.hear({ heard: false, silentMs: passedMs });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect([call.over, bench.network.calls]).toEqual([true, []]);
});

test("a caller who is heard late is dialled at that moment, and has the usual grace period from then on", async () => {
  const bench = benchWithSilentBrowsers();
  const call = bench.park();
  call.transfer({ ...destination, timeLimitSecs: 3_600 });
  await vi.advanceTimersByTimeAsync(FIRST_HEARD_MS - 1);
  bench.media.last.hear({ heard: true });
  await settle();
  bench.network.last.answer();
  await vi.advanceTimersByTimeAsync(BEYOND_ALL_GRACE_MS);
  expect(call.over).toBe(false);
});

test("a call that ends while its caller is not heard is never dialled", async () => {
  const bench = benchWithSilentBrowsers();
  const call = bench.park();
  call.transfer(destination);
  await settle();
  call.callerHungUp();
  bench.media.last.hear({ heard: true });
  await vi.advanceTimersByTimeAsync(BEYOND_ALL_GRACE_MS);
  expect([bench.network.calls, bench.line.end?.cause]).toEqual([[], "originator_cancel"]);
});
