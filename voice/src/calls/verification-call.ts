import type { Language } from "@farline/contract/languages.ts";
import type { Logger } from "pino";
import type { Announcement, MediaSource } from "../media/media-plane.ts";
import type { FarCall, FarNetwork } from "../sip/trunk.ts";

const RING_MS = 40_000;
/** From the call on; reading a code three times takes about 40 seconds. */
const LONGEST_MS = RING_MS + 70_000;

export interface VerificationCallOptions {
  readonly media: Pick<MediaSource, "openAnnouncement">;
  readonly network: FarNetwork;
  readonly log: Logger;
}

export interface VerificationCallRequest {
  /** E.164, as `from`. */
  readonly to: string;
  readonly from: string;
  readonly code: string;
  readonly language: Language;
}

/** A call of the exchange's own: it reads a code to whoever answers, and hangs up. */
export class VerificationCall {
  /** Resolves when the call is over, whatever became of it. */
  readonly over: Promise<void>;
  readonly #options: VerificationCallOptions;
  readonly #order: VerificationCallRequest;
  #far: FarCall | null = null;
  #stopped = false;

  constructor(options: VerificationCallOptions, order: VerificationCallRequest) {
    this.#options = options;
    this.#order = order;
    this.over = this.#make().catch((error: unknown) => options.log.warn({ err: error }, "call that reads a code failed"));
  }

  hangUp(): void {
    this.#stopped = true;
    this.#far?.hangUp().catch((error: unknown) => this.#options.log.warn({ err: error }, "code call not hung up cleanly"));
  }

  async #make(): Promise<void> {
    const media = await this.#options.media.openAnnouncement();
    const timer = setTimeout(() => this.hangUp(), LONGEST_MS);
    try {
      if (!this.#stopped) await this.#dial(media);
    } finally {
      clearTimeout(timer);
      await media.close();
    }
  }

  #dial(media: Announcement): Promise<void> {
    const { to, from } = this.#order;
    return new Promise((resolve) => {
      this.#far = this.#options.network.dial(
        { to, from, sdp: media.sdp, codec: "g711", ringTimeoutMs: RING_MS },
        {
          onProgress: () => undefined,
          onAnswer: ({ sdp }) => void this.#speak(media, sdp),
          onEnd: ({ sipStatus, answered }) => {
            this.#options.log.info({ sipStatus, answered }, "call that reads a code is over");
            resolve();
          },
          onRenegotiate: async (sdp) => (await media.connect(sdp)).sdp,
        },
      );
      if (this.#stopped) this.hangUp();
    });
  }

  async #speak(media: Announcement, sdp: string): Promise<void> {
    try {
      await media.connect(sdp);
      await media.readCode(this.#order.code, this.#order.language);
    } catch (error) {
      // Whoever hangs up before the end has heard enough.
      this.#options.log.debug({ err: error }, "code not read to the end");
    }
    this.hangUp();
  }
}
