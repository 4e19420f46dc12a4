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

/** A leg as the exchange sees it: forwards to the media process. */
export class LinkedLeg implements BrowserLeg {
  readonly id: string;
  answerSdp = "";
  codec: CallCodec = "g711";
  readonly #link: MediaLink;
  readonly #log: Logger;
  readonly #forget: () => void;
  #rtp: Promise<{ sdp: string }> | null = null;
  #failed = false;
  #onHeardChange: ((hearing: HeardChange) => void) | null = null;
  #onFarSilent: ((silentMs: number) => void) | null = null;
  #closing: Promise<LegStats | null> | null = null;
  #onEnded: (() => void) | null = null;

  constructor(options: LinkedLegOptions) {
    this.id = options.id;
    this.#link = options.link;
    this.#log = options.log;
    this.#forget = options.forget;
  }

  /** Requested once: by the time the call is dialled, the media process is busy with the DTLS handshake. */
  openRtp(): Promise<{ sdp: string }> {
    this.#rtp ??= this.#link.request("openRtp", { leg: this.id }).catch((error: unknown) => {
      this.#rtp = null;
      throw error;
    });
    return this.#rtp;
  }

  connectRtp(remoteSdp: string): Promise<{ sdp: string }> {
    return this.#link.request("connectRtp", { leg: this.id, remoteSdp });
  }

  playRingback(): void {
    this.#tell(this.#link.request("tone", { leg: this.id, on: true }));
  }

  stopTone(): void {
    this.#tell(this.#link.request("tone", { leg: this.id, on: false }));
  }

  async sendDigits(digits: string): Promise<void> {
    // Unbounded in time because 100 digits and pauses take minutes; the reply comes at the latest when the leg or the process ends.
    await this.#link.request("sendDigits", { leg: this.id, digits }, null);
  }

  hold(on: boolean): void {
    this.#tell(this.#link.request("hold", { leg: this.id, on }));
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

  onHeardChange(callback: (hearing: HeardChange) => void): void {
    this.#onHeardChange = callback;
  }

  onFarSilent(callback: (silentMs: number) => void): void {
    this.#onFarSilent = callback;
  }

  reofferMedia(): Promise<{ offerSdp: string }> {
    return this.#link.request("reofferMedia", { leg: this.id });
  }

  async takeAnswer(answerSdp: string): Promise<void> {
    await this.#link.request("takeAnswer", { leg: this.id, answerSdp });
  }

  echo(): void {
    this.#tell(this.#link.request("echo", { leg: this.id }));
  }

  async hearing(): Promise<boolean> {
    return (await this.#link.request("hearing", { leg: this.id })).hearing;
  }

  stats(): Promise<LegStats> {
    return this.#link.request("stats", { leg: this.id });
  }

  close(): Promise<LegStats | null> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Called by the plane when the leg is over on the other side. */
  fail(): void {
    if (this.#failed || this.#closing !== null) return;
    this.#failed = true;
    this.#onEnded?.();
  }

  /** Called by the plane. */
  emitHeardChange(hearing: HeardChange): void {
    if (!this.#failed && this.#closing === null) this.#onHeardChange?.(hearing);
  }

  /** Called by the plane. */
  emitFarSilent(silentMs: number): void {
    if (!this.#failed && this.#closing === null) this.#onFarSilent?.(silentMs);
  }

  async #close(): Promise<LegStats | null> {
    this.#forget();
    try {
      return await this.#link.request("closeLeg", { leg: this.id });
    } catch (error) {
      this.#log.debug({ err: error, leg: this.id }, "leg was gone before it was closed");
      return null;
    }
  }

  /** Sends a command without waiting for its result; the leg may have ended. */
  #tell(reply: Promise<unknown>): void {
    reply.catch((error: unknown) => this.#log.debug({ err: error, leg: this.id }, "media command not carried out"));
  }
}
