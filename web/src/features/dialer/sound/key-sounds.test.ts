import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import { playTestNotes, soundKey, soundWarning } from "./key-sounds.ts";

/** The speakers that sound went to, in order. */
const heardFrom: string[] = [];

class Context {
  readonly state = "running";
  readonly currentTime = 0;
  readonly destination = {};
  #speakerId = "";
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
