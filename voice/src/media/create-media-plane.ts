import type { Logger } from "pino";
import type { Address } from "../address.ts";
import { FULL_AT, type FullAt } from "./load/process-load.ts";
import type { MediaProcessSettings, PortRange } from "./media-messages.ts";
import { MediaError, type MediaErrorCode, type MediaPlane, type MediaWorkerStats } from "./media-plane.ts";
import { MediaWorker } from "./media-worker.ts";

export interface MediaPlaneOptions {
  /** For WebRTC. */
  readonly mediaAddress: Address;
  /** For RTP towards the trunks. */
  readonly rtpAddress: Address;
  /** UDP ports for WebRTC, two a leg; absent: any the system gives. */
  readonly webrtcPorts?: PortRange;
  /** UDP ports for RTP, two a leg; default 20000-29999. */
  readonly rtpPorts?: PortRange;
  /** Default 1: for one core. */
  readonly processes?: number;
  /** Legs of a process at a time, default 200; further ones are refused with `no_capacity`. */
  readonly maxLegs?: number;
  /** The load from which on calls are refused likewise. */
  readonly fullAt?: FullAt;
  /** A browser that sends nothing for this long is reported silent; default 5000. */
  readonly silenceMs?: number;
  /** A far end that sends nothing for this long, without a hold, is reported silent every second; default 5000. */
  readonly farSilenceMs?: number;
  readonly log: Logger;
}

const DEFAULT_RTP_PORTS: PortRange = { first: 20_000, last: 29_999 };
const DEFAULT_MAX_LEGS = 200;
const DEFAULT_SILENCE_MS = 5_000;
/** Refusals of one process that another one may not share. */
const ELSEWHERE: ReadonlySet<MediaErrorCode> = new Set(["no_capacity", "unavailable"]);

/** A media plane in processes of our own. */
export interface ProcessMediaPlane extends MediaPlane {
  stats(): Promise<MediaWorkerStats[]>;
}

/** Starts the media processes; resolves once they are warm, so that the first call is as fast as the rest. */
export async function createMediaPlane(options: MediaPlaneOptions): Promise<ProcessMediaPlane> {
  const starting = settingsOfProcesses(options).map((settings) => MediaWorker.start(settings, options.log));
  const started = (await Promise.allSettled(starting)).map((result) => (result.status === "fulfilled" ? result.value : null));
  const workers = started.filter((worker) => worker !== null);
  const closeAll = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.close()));
  };
  if (workers.length < starting.length) {
    await closeAll();
    await Promise.all(starting); // rejects with the reason
  }

  /** Asks the process with the fewest legs first, and the others if it is full or away. */
  async function open<Opened>(ask: (worker: MediaWorker) => Promise<Opened>): Promise<Opened> {
    const inOrder = workers.toSorted((one, other) => one.legs - other.legs);
    for (const worker of inOrder.slice(0, -1)) {
      try {
        return await ask(worker);
      } catch (error) {
        if (!(error instanceof MediaError) || !ELSEWHERE.has(error.code)) throw error;
      }
    }
    return await ask(inOrder.at(-1) as MediaWorker);
  }

  const stats = (): Promise<MediaWorkerStats[]> => Promise.all(workers.map((worker) => worker.stats()));
  return {
    openLeg: (offerSdp, wanted = "g711") => open((worker) => worker.openLeg(offerSdp, wanted)),
    openAnnouncement: () => open((worker) => worker.openAnnouncement()),
    stats,
    health: async () => (await stats()).map(healthOf),
    close: closeAll,
  };
}

/** Of every process: its own part of the WebRTC ports, because it takes them by its own list. RTP ports are taken by trying. */
function settingsOfProcesses(options: MediaPlaneOptions): MediaProcessSettings[] {
  const count = options.processes ?? 1;
  const ports = options.webrtcPorts ?? null;
  const share = ports === null ? 0 : Math.floor((ports.last - ports.first + 1) / count);
  return Array.from({ length: count }, (_, i) => ({
    mediaAddress: options.mediaAddress,
    rtpAddress: options.rtpAddress,
    webrtcPorts: ports === null ? null : { first: ports.first + i * share, last: ports.first + (i + 1) * share - 1 },
    rtpPorts: options.rtpPorts ?? DEFAULT_RTP_PORTS,
    maxLegs: options.maxLegs ?? DEFAULT_MAX_LEGS,
    fullAt: options.fullAt ?? FULL_AT,
    silenceMs: options.silenceMs ?? DEFAULT_SILENCE_MS,
    farSilenceMs: options.farSilenceMs ?? DEFAULT_SILENCE_MS,
    logLevel: options.log.level,
  }));
}

function healthOf({ legs, restarts, busy, waitMs, ...more }: MediaWorkerStats): Record<string, number | null> {
  const { processId, memoryBytes, droppedPackets, refusedPackets } = more;
  return {
    ...{ process_id: processId, legs, restarts, memory_bytes: memoryBytes, busy: round(busy), wait_ms: round(waitMs) },
    ...{ dropped_packets: droppedPackets, refused_packets: refusedPackets },
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
