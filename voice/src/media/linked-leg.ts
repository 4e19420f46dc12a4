import type { Logger } from "pino";
import type { CallCodec } from "../call-codec.ts";
import type { MediaLink } from "./media-link.ts";
import type { BrowserLeg, HeardChange, LegStats } from "./media-plane.ts";

interface LinkedLegOptions {
  readonly id: string;
  readonly link: MediaLink;
  readonly log: Logger;
  readonly forget: () => void;
}

/** The exchange's proxy of a leg in a media process. */
export class LinkedLeg implements BrowserLeg {
  readonly id: string;
  answerSdp = "";
  codec: CallCodec = "g711";
  readonly #link: MediaLink;
  readonly #log: Logger;
  readonly #forget: () => void;
  #rtp: Promise<{ sdp: string }> | null = null;
  #failed = false;
  #onHeardChange: ((change: HeardChange) => void) | null = null;
  #onFarSilent: ((silentMs: number) => void) | null = null;
  #closing: Promise<LegStats | null> | null = null;
  #onEnded: (() => void) | null = null;

  constructor(options: LinkedLegOptions) {
    this.id = options.id;
    this.#link = options.link;
    this.#log = options.log;
    this.#forget = options.forget;
  }

  /** Requested early and once: when the call is dialled, the media process is busy with the DTLS handshake. */
  openRtp(): Promise<{ sdp: string }> {
    this.#rtp ??= this.#link.request("openRtp", { leg: this.id }).catch((error: unknown) => {
      this.#rtp = null;
      throw error;
    });
    return this.#rtp;
  }

  connectRtp(remoteSdp: string, trunkAddresses: readonly string[] = []): Promise<{ sdp: string }> {
    return this.#link.request("connectRtp", { leg: this.id, remoteSdp, trunkAddresses });
  }

  playRingback(): void {
    this.#fireAndForget(this.#link.request("tone", { leg: this.id, on: true }));
  }

  stopTone(): void {
    this.#fireAndForget(this.#link.request("tone", { leg: this.id, on: false }));
  }

  async sendDigits(digits: string): Promise<void> {
    // No time-out, because 100 digits and pauses take minutes. The reply comes at the latest when the leg or the process ends.
    await this.#link.request("sendDigits", { leg: this.id, digits }, null);
  }

  hold(on: boolean): void {
    this.#fireAndForget(this.#link.request("hold", { leg: this.id, on }));
  }

  async restart(offerSdp: string): Promise<string> {
    const { answerSdp } = await this.#link.request("restart", { leg: this.id, offerSdp });
    return answerSdp;
  }

  onEnded(callback: () => void): void {
    if (this.#closing !== null) return;
    this.#onEnded = callback;
    if (this.#failed) callback();
  }

  onHeardChange(callback: (change: HeardChange) => void): void {
    this.#onHeardChange = callback;
  }

  onFarSilent(callback: (silentMs: number) => void): void {
    this.#onFarSilent = callback;
  }

  reofferMedia(): Promise<{ offerSdp: string }> {
    return this.#link.request("reofferMedia", { leg: this.id });
  }

  async acceptAnswer(answerSdp: string): Promise<void> {
    await this.#link.request("acceptAnswer", { leg: this.id, answerSdp });
  }

  echo(): void {
    this.#fireAndForget(this.#link.request("echo", { leg: this.id }));
  }

  async isHeard(): Promise<boolean> {
    return (await this.#link.request("isHeard", { leg: this.id })).heard;
  }

  stats(): Promise<LegStats> {
    return this.#link.request("stats", { leg: this.id });
  }

  close(): Promise<LegStats | null> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Called when the leg has failed in the media process. */
  fail(): void {
    if (this.#failed || this.#closing !== null) return;
    this.#failed = true;
    this.#onEnded?.();
  }

  emitHeardChange(change: HeardChange): void {
    if (!this.#failed && this.#closing === null) this.#onHeardChange?.(change);
  }

  emitFarSilent(silentMs: number): void {
    if (!this.#failed && this.#closing === null) this.#onFarSilent?.(silentMs);
  }

  async #close(): Promise<LegStats | null> {
    this.#forget();
    try {
      return await this.#link.request("closeLeg", { leg: this.id });
    } catch (error) {
      this.#log.debug({ err: error, session: this.id }, "leg ended before it was closed");
      return null;
    }
  }

  /** Does not wait for the result; the leg may have ended. */
  #fireAndForget(reply: Promise<unknown>): void {
    reply.catch((error: unknown) => this.#log.debug({ err: error, session: this.id }, "media command failed"));
  }
}
