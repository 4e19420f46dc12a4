import { setTimeout as pause } from "node:timers/promises";
import { CYCLE_FRAMES, ringbackFrame } from "../audio/ringback.ts";
import type { NgCall } from "./ng-call.ts";
import { wavOf } from "./wav.ts";

/** The tone may hide the far end's audio for this long. */
const POLL_MS = 100;
/** Longer than any phone rings. */
const MAX_POLLS = (10 * 60_000) / POLL_MS;
const REPEATS = 100;
const CYCLE = wavOf(Buffer.concat(Array.from({ length: CYCLE_FRAMES }, (_, frame) => ringbackFrame(frame))));

/** Plays ringback to the browser through rtpengine until the far end is heard. */
export class RingbackPlayer {
  readonly #call: NgCall;
  readonly #farHeard: () => Promise<boolean>;
  #playing: AbortController | null = null;

  constructor(call: NgCall, farHeard: () => Promise<boolean>) {
    this.#call = call;
    this.#farHeard = farHeard;
  }

  /** Resolves when the tone has ended. */
  async play(): Promise<void> {
    if (this.#playing !== null) return;
    const playing = new AbortController();
    this.#playing = playing;
    const { signal } = playing;
    try {
      if (await this.#farHeard()) return;
      if (signal.aborted) return;
      await this.#call.request("play media", { "from-tag": this.#call.browserTag, blob: CYCLE, "repeat-times": REPEATS });
      for (let polls = 0; polls < MAX_POLLS && !signal.aborted; polls += 1) {
        await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
        if (!signal.aborted && (await this.#farHeard())) break;
      }
      await this.#call.request("stop media", { "from-tag": this.#call.browserTag });
    } finally {
      if (this.#playing === playing) this.#playing = null;
    }
  }

  stop(): void {
    this.#playing?.abort();
    this.#playing = null;
  }
}
