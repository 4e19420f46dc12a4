import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { MediaLink } from "./media-link.ts";
import type { PortRange } from "./media-messages.ts";
import {
  type BrowserLeg,
  type LegEndReason,
  type LegStats,
  MediaError,
  type MediaPlane,
  type MediaPlaneStats,
} from "./media-plane.ts";

export interface MediaPlaneOptions {
  /** Address that is bound for WebRTC and announced to browsers. */
  readonly mediaAddress: string;
  /** Address that is bound for RTP and announced to trunks. */
  readonly rtpAddress: string;
  /** UDP ports for WebRTC, one a leg; absent: any the system gives. */
  readonly webrtcPorts?: PortRange;
  /** UDP ports for RTP, two a leg; default 20000-29999. */
  readonly rtpPorts?: PortRange;
  /** Legs at a time, default 200; further ones are refused with `no_capacity`. */
  readonly maxLegs?: number;
  /** A browser that sends nothing for this long ends its leg; default 30000. */
  readonly mediaTimeoutMs?: number;
  readonly log: Logger;
}

const DEFAULT_RTP_PORTS: PortRange = { first: 20_000, last: 29_999 };
const DEFAULT_MAX_LEGS = 200;
const DEFAULT_MEDIA_TIMEOUT_MS = 30_000;

/** Start the media process and resolve once it is warm, so that the first call is as fast as the others. */
export async function createMediaPlane(options: MediaPlaneOptions): Promise<MediaPlane> {
  const legs = new Map<string, LinkedLeg>();
  const endLeg = (id: string, why: LegEndReason): void => {
    legs.get(id)?.end(why);
    legs.delete(id);
  };
  const link = new MediaLink(
    {
      mediaAddress: options.mediaAddress,
      rtpAddress: options.rtpAddress,
      webrtcPorts: options.webrtcPorts ?? null,
      rtpPorts: options.rtpPorts ?? DEFAULT_RTP_PORTS,
      maxLegs: options.maxLegs ?? DEFAULT_MAX_LEGS,
      mediaTimeoutMs: options.mediaTimeoutMs ?? DEFAULT_MEDIA_TIMEOUT_MS,
      logLevel: options.log.level,
    },
    { ended: endLeg, died: () => [...legs.keys()].forEach((id) => endLeg(id, "failed")) },
    options.log,
  );
  try {
    await link.start();
  } catch (error) {
    await link.close();
    throw error;
  }

  return {
    async openLeg(offerSdp): Promise<BrowserLeg> {
      const id = randomUUID();
      const leg = new LinkedLeg({ id, link, log: options.log, forget: () => legs.delete(id) });
      legs.set(id, leg); // before the request, so that not even an end right after the answer is missed
      try {
        leg.answerSdp = (await link.request("openLeg", { leg: id, offerSdp })).answerSdp;
        return leg;
      } catch (error) {
        void leg.close(); // after a time-out the process may have opened it nevertheless
        throw error;
      }
    },
    async stats(): Promise<MediaPlaneStats> {
      const idle = { legs: 0, processId: null, memoryBytes: 0, cpuMs: 0 };
      const usage = await link.request("usage", {}).catch((error: unknown) => {
        if (error instanceof MediaError && error.code === "unavailable") return idle;
        throw error;
      });
      return { ...usage, restarts: link.restarts };
    },
    async close(): Promise<void> {
      for (const id of [...legs.keys()]) endLeg(id, "closed");
      await link.close();
    },
  };
}

interface LinkedLegParts {
  readonly id: string;
  readonly link: MediaLink;
  readonly log: Logger;
  readonly forget: () => void;
}

/** A leg as the exchange sees it: forwards to the media process. */
class LinkedLeg implements BrowserLeg {
  readonly id: string;
  answerSdp = "";
  readonly #link: MediaLink;
  readonly #log: Logger;
  readonly #forget: () => void;
  #ended: LegEndReason | null = null;
  #closing: Promise<LegStats | null> | null = null;
  #onEnded: ((why: LegEndReason) => void) | null = null;

  constructor(parts: LinkedLegParts) {
    this.id = parts.id;
    this.#link = parts.link;
    this.#log = parts.log;
    this.#forget = parts.forget;
  }

  openRtp(): Promise<{ sdp: string }> {
    return this.#link.request("openRtp", { leg: this.id });
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

  onEnded(callback: (why: LegEndReason) => void): void {
    if (this.#closing !== null) return;
    this.#onEnded = callback;
    if (this.#ended !== null) callback(this.#ended);
  }

  stats(): Promise<LegStats> {
    return this.#link.request("stats", { leg: this.id });
  }

  close(): Promise<LegStats | null> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Called by the plane when the leg is over on the other side. */
  end(why: LegEndReason): void {
    if (this.#ended !== null || this.#closing !== null) return;
    this.#ended = why;
    this.#onEnded?.(why);
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

  /** A command whose result nobody waits for; the leg may have ended meanwhile. */
  #tell(reply: Promise<unknown>): void {
    reply.catch((error: unknown) => this.#log.debug({ err: error, leg: this.id }, "media command not carried out"));
  }
}
