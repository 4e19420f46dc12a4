import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import { playTestNotes, soundKey, soundWarning } from "./key-sounds.ts";

/** The speakers that sound went to, in order. */
const heardFrom: string[] = [];

const contexts: Context[] = [];

class Context {
  state = "running";
  readonly currentTime = 0;
  readonly destination = {};
  #speakerId = "";
  constructor() {
    contexts.push(this);
  }
  /** Safari's never settles once a phone call has interrupted the context. */
  async resume(): Promise<void> {
    return new Promise(() => undefined);
  }
  async close(): Promise<void> {
    this.state = "closed";
  }
  async setSinkId(id: string): Promise<void> {
    this.#speakerId = id;
  }
  createGain() {
    heardFrom.push(this.#speakerId);
    return { gain: { setValueAtTime: () => undefined, linearRampToValueAtTime: () => undefined }, connect: () => undefined };
  }
}

beforeEach(() => {
  heardFrom.length = 0;
  vi.stubGlobal("AudioContext", Context);
  vi.stubGlobal(
    "OscillatorNode",
    class {
      connect(): void {}
      start(): void {}
      stop(): void {}
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

test.each([
  ["a key", (speakerId: string | null) => soundKey("5", speakerId)],
  ["the warning of the last minute", (speakerId: string | null) => soundWarning(60, speakerId)],
  ["the warning of the last seconds", (speakerId: string | null) => soundWarning(15, speakerId)],
  ["the test of a speaker", (speakerId: string | null) => playTestNotes(speakerId)],
])("%s is heard where the call is heard", async (_, play) => {
  play("usb");
  await vi.waitFor(() => expect(new Set(heardFrom)).toEqual(new Set(["usb"])), PATIENCE);
  heardFrom.length = 0;
  play(null);
  await vi.waitFor(() => expect(new Set(heardFrom)).toEqual(new Set([""])), PATIENCE);
});

// goldfire/howler.js#671, GetStream/stream-video-js#2249
test("the credit warning is heard after a phone call has interrupted the sound", async () => {
  soundKey("5", null);
  await vi.waitFor(() => expect(heardFrom).toEqual([""]), PATIENCE);
  const interrupted = contexts.at(-1);
  if (interrupted !== undefined) interrupted.state = "interrupted";
  heardFrom.length = 0;
  soundWarning(60, "usb");
  await vi.waitFor(() => expect(heardFrom).toEqual(["usb", "usb"]), PATIENCE);
  expect(interrupted?.state).toBe("closed");
});
