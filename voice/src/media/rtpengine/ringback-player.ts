import { setTimeout as pause } from "node:timers/promises";
import { CYCLE_FRAMES, ringbackFrame } from "../audio/ringback.ts";
import type { NgCall } from "./ng-call.ts";
import { Toggle } from "./toggle.ts";
import { wavOf } from "./wav.ts";

/** The tone may hide the far end's audio for this long. */
const POLL_MS = 100;
/** Longer than any phone rings. */
const MAX_POLLS = (10 * 60_000) / POLL_MS;
const REPEATS = 100;
const CYCLE = wavOf(Buffer.concat(Array.from({ length: CYCLE_FRAMES }, (_, frame) => ringbackFrame(frame))));

/** Plays ringback to the browser through rtpengine until the far end is heard. */
export class RingbackPlayer {
  readonly tone: Toggle;
  readonly #farHeard: () => Promise<boolean>;
  #playing: AbortController | null = null;

  constructor(call: NgCall, farHeard: () => Promise<boolean>) {
    this.tone = new Toggle((on) => {
      const tag = { "from-tag": call.browserTag };
      return on ? call.request("play media", { ...tag, blob: CYCLE, "repeat-times": REPEATS }) : call.request("stop media", tag);
    });
    this.#farHeard = () => farHeard().catch(() => false);
  }

  /** Resolves when the tone has ended. Never rejects: a command that fails is left to `tone`'s next turn. */
  async play(): Promise<void> {
    if (this.#playing !== null) return;
    const playing = new AbortController();
    this.#playing = playing;
    const { signal } = playing;
    const isHeard = await this.#farHeard();
    if (signal.aborted) return;
    this.tone.on = !isHeard;
    await this.#apply();
    for (let polls = 0; polls < MAX_POLLS && this.tone.on && !signal.aborted; polls += 1) {
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted && (await this.#farHeard())) break;
    }
    if (this.#playing === playing) this.stop();
    await this.#apply();
  }

  stop(): void {
    this.#playing?.abort();
    this.#playing = null;
    this.tone.on = false;
  }

  async #apply(): Promise<void> {
    await this.tone.apply().catch(() => undefined);
  }
}
