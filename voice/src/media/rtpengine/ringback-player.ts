import { setTimeout as pause } from "node:timers/promises";
import { CYCLE_FRAMES, ringbackFrame } from "../audio/ringback.ts";
import type { NgCall } from "./ng-call.ts";
import { wavOf } from "./wav.ts";

/** How long the far end's first sound may be hidden behind the tone. */
const LOOK_MS = 100;
/** Longer than any phone rings. */
const MAX_LOOKS = (10 * 60_000) / LOOK_MS;
const REPEATS = 100;
const CYCLE = wavOf(Buffer.concat(Array.from({ length: CYCLE_FRAMES }, (_, frame) => ringbackFrame(frame))));

/** Ringback that rtpengine plays to the browser instead of the far end's sound, until that begins. */
export class RingbackPlayer {
  readonly #call: NgCall;
  readonly #farHeard: () => Promise<boolean>;
  #playing: AbortController | null = null;

  /** @param farHeard whether the far end has been heard by now */
  constructor(call: NgCall, farHeard: () => Promise<boolean>) {
    this.#call = call;
    this.#farHeard = farHeard;
  }

  /** Resolves when the tone has ended, for whatever reason. */
  async play(): Promise<void> {
    if (this.#playing !== null) return;
    const playing = new AbortController();
    this.#playing = playing;
    const { signal } = playing;
    try {
      if (await this.#farHeard()) return;
      if (signal.aborted) return;
      await this.#call.ask("play media", { "from-tag": this.#call.browserTag, blob: CYCLE, "repeat-times": REPEATS });
      for (let looked = 0; looked < MAX_LOOKS && !signal.aborted; looked += 1) {
        await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
        if (!signal.aborted && (await this.#farHeard())) break;
      }
      await this.#call.ask("stop media", { "from-tag": this.#call.browserTag });
    } finally {
      if (this.#playing === playing) this.#playing = null;
    }
  }

  stop(): void {
    this.#playing?.abort();
    this.#playing = null;
  }
}
