import type { Logger } from "pino";
import type { CallRoute } from "../call-route.ts";
import type { RateLimitedLog } from "../rate-limits/rate-limited-log.ts";
import type { CallLeg } from "./call-leg.ts";
import type { TransferRequest } from "./leg-requests.ts";
import type { BrowserLeg } from "../media/media-plane.ts";
import type { FarAnswer, FarCall, FarNetwork } from "../sip/trunk.ts";
import { endMediaUnusable, endOfFarCall, type CallEnd } from "./hangup-causes.ts";

interface FarSideOptions {
  readonly leg: CallLeg;
  readonly media: BrowserLeg;
  readonly network: FarNetwork;
  readonly log: Logger;
  readonly limitedLog: RateLimitedLog;
  readonly over: () => boolean;
  /** The leg has a new `dialog`: a trunk is dialled, or the far end moved. */
  readonly onDialog: () => void;
  /** The far end rings or sends early media. Called at most once. */
  readonly onRinging: () => void;
  /** The far end has answered with usable media. Called at most once. */
  readonly onAnswer: (answer: FarAnswer) => void;
  readonly onEnd: (end: CallEnd) => void;
}

/** The dialled side of a call. */
export class FarSide {
  readonly #options: FarSideOptions;
  #call: FarCall | null = null;
  #answering = false;
  #ringing = false;

  constructor(options: FarSideOptions) {
    this.#options = options;
  }

  /** The trunks so far; null before dialling. */
  get route(): CallRoute | null {
    return this.#call?.route ?? null;
  }

  /** Rejects if the media could not be opened. */
  async dial(request: TransferRequest): Promise<void> {
    const { leg, media, network, log, over, onEnd } = this.#options;
    const { sdp } = await media.openRtp();
    if (over()) return;
    this.#call = network.dial(
      {
        sessionId: leg.sessionId,
        to: leg.to,
        from: leg.from,
        sdp,
        codec: media.codec,
        ringTimeoutMs: request.ringTimeoutSecs * 1000,
        headers: request.headers,
        displayName: request.displayName,
        prices: request.prices,
        log,
      },
      {
        onDialog: (dialog) => {
          if (over()) return;
          leg.dialog = dialog;
          this.#options.onDialog();
        },
        onProgress: (progress) => this.#onProgress(request.earlyMedia ? progress.sdp : null),
        onAnswer: (answer) => void this.#onAnswer(answer),
        onEnd: (end) => onEnd(endOfFarCall({ ...end, answered: leg.answeredAt !== null })),
        onRenegotiate: async (remoteSdp) => (await this.#connectRtp(remoteSdp)).sdp,
      },
    );
    // The call may have ended before `dial` returned.
    if (over()) await this.#call.hangUp();
  }

  async hangUp(): Promise<void> {
    await this.#call?.hangUp();
  }

  #connectRtp(sdp: string): Promise<{ sdp: string }> {
    return this.#options.media.connectRtp(sdp, this.#call?.trunkAddresses);
  }

  /** Early media replaces our ringback once it is heard. Unusable early media is ignored. */
  #onProgress(sdp: string | null): void {
    const { leg, media, limitedLog, over, onRinging } = this.#options;
    if (over() || this.#answering) return;
    if (sdp !== null)
      this.#connectRtp(sdp).catch((error: unknown) =>
        limitedLog.warn({ err: error, session: leg.sessionId }, "early media not used"),
      );
    media.playRingback();
    if (this.#ringing) return;
    this.#ringing = true;
    onRinging();
  }

  /** An answer counts only with usable media: nobody pays for a call that cannot be heard. */
  async #onAnswer(answer: FarAnswer): Promise<void> {
    const { media, log, over, onAnswer, onEnd } = this.#options;
    if (over() || this.#answering) return;
    this.#answering = true;
    try {
      await this.#connectRtp(answer.sdp);
    } catch (error) {
      log.warn({ err: error }, "answer without usable media");
      return onEnd(endMediaUnusable);
    }
    if (over()) return;
    media.stopTone();
    onAnswer(answer);
  }
}
