import type { Logger } from "pino";
import type { CallRoute } from "../call-route.ts";
import type { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import type { CallLeg } from "./call-leg.ts";
import type { TransferRequest } from "./leg-requests.ts";
import type { BrowserLeg } from "../media/media-plane.ts";
import type { FarAnswer, FarCall, FarNetwork } from "../sip/trunk.ts";
import { endMediaUnusable, endOfFarCall, type CallEnd } from "./hangup-causes.ts";

export interface FarSideOptions {
  readonly leg: CallLeg;
  readonly media: BrowserLeg;
  readonly network: FarNetwork;
  readonly log: Logger;
  readonly limitedLog: RateLimitedLog;
  /** Whether the call has ended: nothing is dialled or bridged any more. */
  readonly over: () => boolean;
  /** It rings, or its sound begins before the answer. Called at most once. */
  readonly onRinging: () => void;
  /** Answered, and its sound can flow. Called at most once. */
  readonly onAnswer: (answer: FarAnswer) => void;
  readonly onEnd: (end: CallEnd) => void;
}

/** The dialled side of a call: its progress, its sound and its end. */
export class FarSide {
  readonly #options: FarSideOptions;
  #call: FarCall | null = null;
  #answering = false;
  #ringing = false;

  constructor(options: FarSideOptions) {
    this.#options = options;
  }

  /** The trunks so far; null while nothing is dialled. */
  get route(): CallRoute | null {
    return this.#call?.route ?? null;
  }

  /** Dials. Rejects if the sound could not be opened. */
  async dial(request: TransferRequest): Promise<void> {
    const { leg, media, network, over, onEnd } = this.#options;
    const { sdp } = await media.openRtp();
    if (over()) return;
    this.#call = network.dial(
      {
        to: leg.to,
        from: leg.from,
        sdp,
        codec: media.codec,
        ringTimeoutMs: request.ringTimeoutSecs * 1000,
        headers: request.headers,
        ...(request.displayName === undefined ? {} : { displayName: request.displayName }),
        ...(request.prices === undefined ? {} : { prices: request.prices }),
      },
      {
        onProgress: (progress) => this.#onProgress(request.earlyMedia ? progress.sdp : null),
        onAnswer: (answer) => void this.#onAnswer(answer),
        onEnd: (end) => onEnd(endOfFarCall({ ...end, answered: leg.answeredAt !== null })),
        onRenegotiate: async (remoteSdp) => (await media.connectRtp(remoteSdp)).sdp,
      },
    );
    // A network that fails at once reports it before `dial` returns.
    if (over()) await this.#call.hangUp();
  }

  async hangUp(): Promise<void> {
    await this.#call?.hangUp();
  }

  /** The far end's early sound replaces our ringback as soon as it is heard; a description nobody can use is no reason to give up. */
  #onProgress(sdp: string | null): void {
    const { media, limitedLog, over, onRinging } = this.#options;
    if (over() || this.#answering) return;
    if (sdp !== null) media.connectRtp(sdp).catch((error: unknown) => limitedLog.warn({ err: error }, "early media not used"));
    media.playRingback();
    if (this.#ringing) return;
    this.#ringing = true;
    onRinging();
  }

  /** Only a far end whose sound can flow has answered: nobody pays for an answer that cannot be heard. */
  async #onAnswer(answer: FarAnswer): Promise<void> {
    const { media, log, over, onAnswer, onEnd } = this.#options;
    if (over() || this.#answering) return;
    this.#answering = true;
    try {
      await media.connectRtp(answer.sdp);
    } catch (error) {
      log.warn({ err: error }, "answer without usable media");
      return onEnd(endMediaUnusable);
    }
    if (over()) return;
    media.stopTone();
    onAnswer(answer);
  }
}
