import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PhoneError } from "../phone-error.ts";
import { connected, createBench, type Bench } from "../../../test/scripted-line.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What the browser says of the microphone opened last. */
async function microphoneSays(bench: Bench, event: "ended" | "mute" | "unmute"): Promise<void> {
  bench.microphone.listeners.findLast((one) => one.event === event)?.listener();
  await vi.advanceTimersByTimeAsync(0);
}

const shown = (bench: Bench) => bench.phone.state.call?.microphone;

test("a microphone that is unplugged in a call is replaced by another one", async () => {
  const bench = createBench();
  await connected(bench);
  await microphoneSays(bench, "ended");
  expect(shown(bench)).toBe("open");
  expect(bench.microphone.devices).toEqual([null, null]);
});

test("the loss of the only microphone is shown at once, and it is taken up again when it is back", async () => {
  const bench = createBench();
  await connected(bench);
  bench.microphone.refuse = new PhoneError("microphone_missing");
  await microphoneSays(bench, "ended");
  expect(shown(bench)).toBe("gone");
  bench.microphone.refuse = null;
  bench.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(shown(bench)).toBe("open");
});

test("a microphone that the system mutes is shown as muted until it is heard again", async () => {
  const bench = createBench();
  await connected(bench);
  await microphoneSays(bench, "mute");
  expect(shown(bench)).toBe("muted");
  await microphoneSays(bench, "unmute");
  expect(shown(bench)).toBe("open");
});
