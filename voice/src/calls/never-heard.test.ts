import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Call } from "./call.ts";
import { Bench, destination, settle } from "../../test/calls-bench.ts";

/** Written out because callers wait for this long. */
const FIRST_HEARD_MS = 10_000;
const MICROPHONE_MS = 15_000;
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
  bench.media.last.hear({ heard: true, hasSpoken: true });
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
  bench.media.last.hear({ heard: true, hasSpoken: true });
  await vi.advanceTimersByTimeAsync(BEYOND_ALL_GRACE_MS);
  expect([bench.network.calls, bench.line.end?.cause]).toEqual([[], "originator_cancel"]);
});

/** A caller whose browser is reached, and who has no microphone yet. */
async function reachedWithoutMicrophone() {
  const bench = benchWithSilentBrowsers();
  const call = bench.park();
  call.transfer(destination);
  await settle();
  bench.media.last.hear({ heard: true, hasSpoken: false });
  await settle();
  return { bench, call };
}

test("a caller without a microphone rings nobody, and the call ends without an answer", async () => {
  const { bench, call } = await reachedWithoutMicrophone();
  await vi.advanceTimersByTimeAsync(MICROPHONE_MS - 1);
  expect([bench.network.calls, call.over]).toEqual([[], false]);
  await vi.advanceTimersByTimeAsync(1);
  expect(bench.line.end).toMatchObject({ cause: "media_timeout", source: "caller" });
  expect([bench.network.calls, call.far?.answeredAt]).toEqual([[], null]);
});

test.each([
  ["their audio arrives", (bench: Bench) => bench.media.last.hear({ heard: true, hasSpoken: true })],
  ["their page says that it is open", (_: Bench, call: Call) => call.microphoneIsOpen()],
])("a caller whose microphone takes 8 seconds is dialled as soon as %s, and stays", async (_, opens) => {
  const { bench, call } = await reachedWithoutMicrophone();
  call.extend(3_600);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(bench.network.calls).toEqual([]);
  opens(bench, call);
  await settle();
  bench.network.last.answer();
  await vi.advanceTimersByTimeAsync(BEYOND_ALL_GRACE_MS);
  expect(call.over).toBe(false);
});

test("a page's word about its microphone counts only once its browser is reached", async () => {
  const bench = benchWithSilentBrowsers();
  const call = bench.park();
  call.transfer(destination);
  call.microphoneIsOpen();
  await vi.advanceTimersByTimeAsync(FIRST_HEARD_MS - 1);
  expect(bench.network.calls).toEqual([]);
  bench.media.last.hear({ heard: true, hasSpoken: false });
  await settle();
  expect(bench.network.calls).toHaveLength(1);
});

test("a caller without a microphone gains no time by silence, reconnecting, hold or another transport", async () => {
  const { bench, call } = await reachedWithoutMicrophone();
  for (let passedMs = 0; passedMs < MICROPHONE_MS; passedMs += 1_000) {
    call.connectionLost();
    call.connectionRestored();
    call.hold(passedMs % 2_000 === 0);
    bench.media.last.hear({ heard: false, silentMs: 5_000 });
    bench.media.last.hear({ heard: true, hasSpoken: false });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect([call.over, bench.network.calls]).toEqual([true, []]);
});

test("what a page says after the end of its call rings nobody", async () => {
  const { bench, call } = await reachedWithoutMicrophone();
  call.callerHungUp();
  call.microphoneIsOpen();
  await settle();
  expect(bench.network.calls).toEqual([]);
});
