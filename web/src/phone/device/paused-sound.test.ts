import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PausedSound } from "./paused-sound.ts";
import { createRingTone } from "./remote-audio.ts";

/** A context of a browser that allows sound only after a gesture. */
class StubbornContext extends EventTarget {
  state = "suspended";
  allowed = false;
  async resume(): Promise<void> {
    if (!this.allowed) return new Promise(() => undefined);
    this.become("running");
  }
  become(state: string): void {
    this.state = state;
    this.dispatchEvent(new Event("statechange"));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", new EventTarget());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each(["suspended", "interrupted"])("a context in state %s is reported, and resumed by the next tap", async (state) => {
  const told: boolean[] = [];
  const context = new StubbornContext();
  context.state = "running";
  new PausedSound((paused) => told.push(paused)).watchContext(context as unknown as AudioContext);
  context.become(state);
  await vi.advanceTimersByTimeAsync(500);
  expect(told).toEqual([true]);
  window.dispatchEvent(new Event("keydown"));
  await vi.advanceTimersByTimeAsync(0);
  expect(context.state).toBe(state);
  context.allowed = true;
  window.dispatchEvent(new Event("touchend"));
  await vi.advanceTimersByTimeAsync(0);
  expect(context.state).toBe("running");
  expect(told).toEqual([true, false]);
});

// GetStream/stream-video-js#2249: Safari breaks a context that is resumed during an interruption.
test("an interrupted context is resumed by itself only after the interruption, and that is told", async () => {
  const resumed = vi.fn();
  const context = new StubbornContext();
  context.state = "running";
  context.allowed = true;
  new PausedSound(() => undefined, resumed).watchContext(context as unknown as AudioContext);
  context.become("interrupted");
  await vi.advanceTimersByTimeAsync(500);
  expect(context.state).toBe("interrupted");
  expect(resumed).not.toHaveBeenCalled();
  context.become("suspended");
  await vi.advanceTimersByTimeAsync(0);
  expect(context.state).toBe("running");
  expect(resumed).toHaveBeenCalledOnce();
});

test("a context that starts by itself is not reported, nor is one that was closed while it was paused", async () => {
  const told: boolean[] = [];
  const paused = new PausedSound((is) => told.push(is));
  const context = new StubbornContext();
  context.allowed = true;
  paused.watchContext(context as unknown as AudioContext);
  await vi.advanceTimersByTimeAsync(500);
  expect(told).toEqual([]);
  context.allowed = false;
  context.become("interrupted");
  await vi.advanceTimersByTimeAsync(500);
  context.become("closed");
  expect(told).toEqual([true, false]);
});

test("the far end's sound, paused by unplugged headphones, resumes if the browser allows it, otherwise at the next tap", async () => {
  const told: boolean[] = [];
  let allowed = true;
  const element = Object.assign(new EventTarget(), {
    srcObject: {},
    paused: false,
    async play() {
      if (!allowed) throw new DOMException("no gesture", "NotAllowedError");
      element.paused = false;
      element.dispatchEvent(new Event("playing"));
    },
  });
  const pause = async () => {
    element.paused = true;
    element.dispatchEvent(new Event("pause"));
    await vi.advanceTimersByTimeAsync(500);
  };
  new PausedSound((is) => told.push(is)).watchElement(element as unknown as HTMLMediaElement);
  await pause();
  expect(element.paused).toBe(false);
  allowed = false;
  await pause();
  expect(told).toEqual([true]);
  allowed = true;
  window.dispatchEvent(new Event("pointerup"));
  await vi.advanceTimersByTimeAsync(0);
  expect(element.paused).toBe(false);
  expect(told).toEqual([true, false]);
});

// WebAudio/web-audio-api#2585: a context that stays interrupted, whatever is pressed.
test("the ringback of the next call gets a new context after an interruption", () => {
  const contexts: StubbornContext[] = [];
  vi.stubGlobal(
    "AudioContext",
    class extends StubbornContext {
      override allowed = true;
      override state = "running";
      readonly close = async (): Promise<void> => this.become("closed");
      constructor() {
        super();
        contexts.push(this);
      }
    },
  );
  const tone = createRingTone();
  tone.unlock();
  tone.unlock();
  expect(contexts).toHaveLength(1);
  contexts[0]?.become("interrupted");
  tone.unlock();
  expect(contexts.map(({ state }) => state)).toEqual(["closed", "running"]);
});
