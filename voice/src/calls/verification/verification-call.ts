import { randomUUID } from "node:crypto";
import type { Language } from "@farline/contract/languages.ts";
import type { Logger } from "pino";
import type { Announcement, MediaSource } from "../../media/media-plane.ts";
import type { FarCall, FarNetwork } from "../../sip/trunk.ts";

const RING_MS = 40_000;
/** From the start of the call. Reading a code three times takes about 40 seconds. */
const MAX_CALL_MS = RING_MS + 70_000;

export interface VerificationCallOptions {
  readonly media: Pick<MediaSource, "openAnnouncement">;
  readonly network: FarNetwork;
  readonly log: Logger;
}

interface VerificationCallRequest {
  /** E.164, as `from`. */
  readonly to: string;
  readonly from: string;
  readonly code: string;
  readonly language: Language;
}

/** A call in which the exchange reads a code and hangs up. */
export class VerificationCall {
  /** Resolves when the call is over, answered or not. */
  readonly over: Promise<void>;
  readonly #options: VerificationCallOptions;
  readonly #request: VerificationCallRequest;
  #far: FarCall | null = null;
  #stopped = false;

  constructor(options: VerificationCallOptions, request: VerificationCallRequest) {
    this.#options = options;
    this.#request = request;
    this.over = this.#run().catch((error: unknown) => options.log.warn({ err: error }, "verification call failed"));
  }

  hangUp(): void {
    this.#stopped = true;
    this.#far
      ?.hangUp()
      .catch((error: unknown) => this.#options.log.warn({ err: error }, "hang-up of a verification call failed"));
  }

  async #run(): Promise<void> {
    const media = await this.#options.media.openAnnouncement();
    const timer = setTimeout(() => this.hangUp(), MAX_CALL_MS);
    try {
      if (!this.#stopped) await this.#dial(media);
    } finally {
      clearTimeout(timer);
      await media.close();
    }
  }

  #dial(media: Announcement): Promise<void> {
    const { to, from } = this.#request;
    return new Promise((resolve) => {
      this.#far = this.#options.network.dial(
        { sessionId: randomUUID(), to, from, sdp: media.sdp, codec: "g711", ringTimeoutMs: RING_MS, log: this.#options.log },
        {
          onDialog: () => undefined,
          onProgress: () => undefined,
          onAnswer: ({ sdp }) => void this.#readCode(media, sdp),
          onEnd: ({ sipStatus, answered }) => {
            this.#options.log.info({ sipStatus, answered }, "verification call ended");
            resolve();
          },
          onRenegotiate: async (sdp) => (await media.connect(sdp, this.#far?.trunkAddresses)).sdp,
        },
      );
      if (this.#stopped) this.hangUp();
    });
  }

  async #readCode(media: Announcement, sdp: string): Promise<void> {
    try {
      await media.connect(sdp, this.#far?.trunkAddresses);
      await media.readCode(this.#request.code, this.#request.language);
    } catch (error) {
      // The callee may hang up early.
      this.#options.log.debug({ err: error }, "code not read completely");
    }
    this.hangUp();
  }
}
