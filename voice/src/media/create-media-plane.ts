import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Address } from "../address.ts";
import { MediaLink } from "./media-link.ts";
import type { PortRange } from "./media-messages.ts";
import {
  type Announcement,
  type BrowserLeg,
  type Hearing,
  type LegEndReason,
  type LegStats,
  MediaError,
  type MediaPlane,
  type MediaPlaneStats,
} from "./media-plane.ts";

export interface MediaPlaneOptions {
  /** For WebRTC. */
  readonly mediaAddress: Address;
  /** For RTP towards the trunks. */
  readonly rtpAddress: Address;
  /** UDP ports for WebRTC, two a leg; absent: any the system gives. */
  readonly webrtcPorts?: PortRange;
  /** UDP ports for RTP, two a leg; default 20000-29999. */
  readonly rtpPorts?: PortRange;
  /** Legs at a time, default 200; further ones are refused with `no_capacity`. */
  readonly maxLegs?: number;
  /** A browser that sends nothing for this long is reported silent; default 5000. */
  readonly silenceMs?: number;
  /** A far end that sends nothing for this long, without a hold, is reported silent every second; default 5000. */
  readonly farSilenceMs?: number;
  readonly log: Logger;
}

const DEFAULT_RTP_PORTS: PortRange = { first: 20_000, last: 29_999 };
const DEFAULT_MAX_LEGS = 200;
const DEFAULT_SILENCE_MS = 5_000;

/** Starts the media process; resolves once it is warm, so that the first call is as fast as the rest. */
export async function createMediaPlane(options: MediaPlaneOptions): Promise<MediaPlane> {
  const legs = new Map<string, LinkedLeg>();
  const failLeg = (id: string): void => {
    legs.get(id)?.fail();
    legs.delete(id);
  };
  const link = new MediaLink(
    {
      mediaAddress: options.mediaAddress,
      rtpAddress: options.rtpAddress,
      webrtcPorts: options.webrtcPorts ?? null,
      rtpPorts: options.rtpPorts ?? DEFAULT_RTP_PORTS,
      maxLegs: options.maxLegs ?? DEFAULT_MAX_LEGS,
      silenceMs: options.silenceMs ?? DEFAULT_SILENCE_MS,
      farSilenceMs: options.farSilenceMs ?? DEFAULT_SILENCE_MS,
      logLevel: options.log.level,
    },
    {
      failed: failLeg,
      hearing: (id, hearing) => legs.get(id)?.tellHearing(hearing),
      farSilent: (id, silentMs) => legs.get(id)?.tellFarSilent(silentMs),
      died: () => [...legs.keys()].forEach(failLeg),
    },
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
        void leg.close(); // the process may have opened it in spite of the time-out
        throw error;
      }
    },
    openAnnouncement: () => openAnnouncement(link, options.log),
    async stats(): Promise<MediaPlaneStats> {
      const idle = { legs: 0, processId: null, memoryBytes: 0, cpuMs: 0 };
      const usage = await link.request("usage", {}).catch((error: unknown) => {
        if (error instanceof MediaError && error.code === "unavailable") return idle;
        throw error;
      });
      return { ...usage, restarts: link.restarts };
    },
    async close(): Promise<void> {
      for (const id of [...legs.keys()]) failLeg(id);
      await link.close();
    },
  };
}

async function openAnnouncement(link: MediaLink, log: Logger): Promise<Announcement> {
  const leg = randomUUID();
  const close = async (): Promise<void> => {
    // The media process may be gone, and the leg with it.
    await link.request("closeAnnouncement", { leg }).catch((error: unknown) => log.debug({ err: error, leg }, "leg was gone"));
  };
  try {
    const { sdp } = await link.request("openAnnouncement", { leg });
    return {
      sdp,
      connect: (remoteSdp) => link.request("connectAnnouncement", { leg, remoteSdp }),
      // Unbounded in time because it takes as long as the sound; the call has a limit of its own.
      readCode: async (code, language) => void (await link.request("readCode", { leg, code, language }, null)),
      close,
    };
  } catch (error) {
    void close(); // the process may have opened it in spite of the time-out
    throw error;
  }
}

interface LinkedLegOptions {
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
  #failed = false;
  #onHearing: ((hearing: Hearing) => void) | null = null;
  #onFarSilent: ((silentMs: number) => void) | null = null;
  #closing: Promise<LegStats | null> | null = null;
  #onEnded: ((why: LegEndReason) => void) | null = null;

  constructor(options: LinkedLegOptions) {
    this.id = options.id;
    this.#link = options.link;
    this.#log = options.log;
    this.#forget = options.forget;
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
    if (this.#failed) callback("failed");
  }

  onHearing(callback: (hearing: Hearing) => void): void {
    this.#onHearing = callback;
  }

  onFarSilent(callback: (silentMs: number) => void): void {
    this.#onFarSilent = callback;
  }

  offerAgain(): Promise<{ offerSdp: string }> {
    return this.#link.request("offerAgain", { leg: this.id });
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
    this.#onEnded?.("failed");
  }

  /** Called by the plane. */
  tellHearing(hearing: Hearing): void {
    if (!this.#failed && this.#closing === null) this.#onHearing?.(hearing);
  }

  /** Called by the plane. */
  tellFarSilent(silentMs: number): void {
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
