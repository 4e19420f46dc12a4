import { setTimeout as pause } from "node:timers/promises";
import { MediaError } from "../media-plane.ts";
import { MAX_QUEUED, readDigits } from "../audio/digit-queue.ts";
import type { NgCall } from "./ng-call.ts";

const DIGIT_MS = 100;
/** rtpengine's minimum. */
const GAP_MS = 100;
const PAUSE_MS = 2_000;
/** rtpengine inserts events only into a running stream, so the first digit waits for the browser's first packet. */
const RETRY_MS = 200;
const MAX_RETRIES = 100;
/** A digit sent before the browser's first packet in the changed session would be lost. */
const SETTLE_MS = 300;

/** Sends digits one after another as RFC 4733 events, or as tones if the far end does not support events. */
export class DigitPlayer {
  readonly #call: NgCall;
  readonly #allow: () => Promise<void>;
  readonly #over = new AbortController();
  #queue: Promise<void> = Promise.resolve();
  #queued = 0;

  /** @param allow calls `NgCall.allowDigits` in turn */
  constructor(call: NgCall, allow: () => Promise<void>) {
    this.#call = call;
    this.#allow = allow;
  }

  /** Resolves when the last digit is sent. @throws MediaError `bad_digits`, then nothing is sent; `no_such_leg` if the call ends first */
  send(digits: string): Promise<void> {
    const symbols = readDigits(digits);
    if (this.#queued + symbols.length > MAX_QUEUED)
      throw new MediaError("bad_digits", `At most ${MAX_QUEUED} digits can be queued.`);
    this.#queued += symbols.length;
    const sent = this.#queue.then(() => this.#playAll(symbols));
    this.#queue = sent.catch(() => undefined);
    return sent;
  }

  stop(): void {
    this.#over.abort();
  }

  async #playAll(symbols: readonly string[]): Promise<void> {
    try {
      await this.#prepare();
      for (const symbol of symbols) {
        if (symbol === ",") await this.#wait(PAUSE_MS);
        else await this.#play(symbol);
      }
    } finally {
      this.#queued -= symbols.length;
    }
  }

  async #prepare(): Promise<void> {
    if (this.#call.allowsDigits) return;
    await this.#allow();
    await this.#wait(SETTLE_MS);
  }

  async #play(code: string): Promise<void> {
    for (let tried = 0; tried < MAX_RETRIES; tried += 1) {
      if (this.#over.signal.aborted) break;
      const refusal = await this.#call
        .request("play DTMF", { "from-tag": this.#call.browserTag, code, duration: DIGIT_MS, pause: GAP_MS })
        .then(() => null)
        .catch((error: unknown) => error);
      if (refusal === null) return await this.#wait(DIGIT_MS + GAP_MS);
      if (!(refusal instanceof MediaError) || refusal.code !== "internal") throw refusal;
      await this.#wait(RETRY_MS);
    }
    throw ended();
  }

  async #wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#over.signal }).catch(() => {
      throw ended();
    });
  }
}

function ended(): MediaError {
  return new MediaError("no_such_leg", "The leg has ended.");
}
