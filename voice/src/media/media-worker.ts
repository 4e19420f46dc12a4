import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { CallCodec } from "../call-codec.ts";
import { LinkedLeg } from "./linked-leg.ts";
import { MediaLink } from "./media-link.ts";
import type { MediaProcessSettings } from "./media-messages.ts";
import type { Announcement, BrowserLeg, MediaWorkerStats } from "./media-plane.ts";

const IDLE = { legs: 0, processId: null, memoryBytes: 0, cpuMs: 0, busy: 0, waitMs: 0, droppedPackets: 0, refusedPackets: 0 };

/** One media process and its legs. */
export class MediaWorker {
  readonly #legs = new Map<string, LinkedLeg>();
  readonly #link: MediaLink;
  readonly #log: Logger;

  private constructor(settings: MediaProcessSettings, log: Logger) {
    this.#log = log;
    const events = {
      failed: (id: string) => this.#fail(id),
      heardChange: (id, change) => this.#legs.get(id)?.emitHeardChange(change),
      farSilent: (id, silentMs) => this.#legs.get(id)?.emitFarSilent(silentMs),
      died: () => this.#failAll(),
    } satisfies ConstructorParameters<typeof MediaLink>[1];
    this.#link = new MediaLink(settings, events, log);
  }

  /** Resolves once the process is warmed up. */
  static async start(settings: MediaProcessSettings, log: Logger): Promise<MediaWorker> {
    const worker = new MediaWorker(settings, log);
    try {
      await worker.#link.start();
      return worker;
    } catch (error) {
      await worker.#link.close();
      throw error;
    }
  }

  get legs(): number {
    return this.#legs.size;
  }

  async openLeg(offerSdp: string, wanted: CallCodec, id: string): Promise<BrowserLeg> {
    const leg = new LinkedLeg({ id, link: this.#link, log: this.#log, forget: () => this.#legs.delete(id) });
    this.#legs.set(id, leg); // before the request, so that a failure right after the answer is not missed
    try {
      Object.assign(leg, await this.#link.request("openLeg", { leg: id, offerSdp, wanted }));
      return leg;
    } catch (error) {
      void leg.close(); // the process may have opened it despite the time-out
      throw error;
    }
  }

  openAnnouncement(): Promise<Announcement> {
    return openAnnouncement(this.#link, this.#log);
  }

  /** As of the latest heartbeat, so that who asks never waits for the process. */
  stats(): MediaWorkerStats {
    const { usage, processId, restarts, diedAt } = this.#link;
    return { ...(usage ?? IDLE), legs: this.legs, processId, restarts, diedAt };
  }

  async close(): Promise<void> {
    this.#failAll();
    await this.#link.close();
  }

  #failAll(): void {
    for (const id of [...this.#legs.keys()]) this.#fail(id);
  }

  #fail(id: string): void {
    this.#legs.get(id)?.fail();
    this.#legs.delete(id);
  }
}

async function openAnnouncement(link: MediaLink, log: Logger): Promise<Announcement> {
  const leg = randomUUID();
  const close = async (): Promise<void> => {
    // The media process may have died.
    await link
      .request("closeAnnouncement", { leg })
      .catch((error: unknown) => log.debug({ err: error, leg }, "leg already ended"));
  };
  try {
    const { sdp } = await link.request("openAnnouncement", { leg });
    return {
      sdp,
      connect: (remoteSdp, trunkAddresses = []) => link.request("connectAnnouncement", { leg, remoteSdp, trunkAddresses }),
      // No time-out: it takes as long as the audio, and the call has its own limit.
      readCode: async (code, language) => void (await link.request("readCode", { leg, code, language }, null)),
      close,
    };
  } catch (error) {
    void close(); // the process may have opened it despite the time-out
    throw error;
  }
}
