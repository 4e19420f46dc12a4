import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Address } from "../address.ts";
import { FULL_AT, type FullAt } from "./load/process-load.ts";
import type { MediaProcessSettings, PortRange } from "./media-messages.ts";
import {
  DEFAULT_SILENCE_MS,
  MediaError,
  type MediaErrorCode,
  type MediaHealth,
  type MediaPlane,
  type MediaWorkerStats,
} from "./media-plane.ts";
import { MediaWorker } from "./media-worker.ts";

export interface MediaPlaneOptions {
  readonly mediaAddress: Address;
  /** For RTP towards the trunks. */
  readonly rtpAddress: Address;
  /** UDP ports for WebRTC, two per leg; absent: any. */
  readonly webrtcPorts?: PortRange;
  /** UDP ports for RTP, two per leg; default 20000-29999. */
  readonly rtpPorts?: PortRange;
  readonly processes?: number;
  /** Concurrent legs of a process, default 200; further ones are refused with `no_capacity`. */
  readonly maxLegs?: number;
  /** The load above which further legs are refused too. */
  readonly fullAt?: FullAt;
  /** After this long without packets a browser is reported silent; default 5000. */
  readonly silenceMs?: number;
  /** After this long without packets a far end that does not hold is reported silent every second; default 5000. */
  readonly farSilenceMs?: number;
  readonly log: Logger;
}

const DEFAULT_RTP_PORTS: PortRange = { first: 20_000, last: 29_999 };
const DEFAULT_MAX_LEGS = 200;
/** Errors after which another process may succeed. */
const TRY_NEXT: ReadonlySet<MediaErrorCode> = new Set(["no_capacity", "unavailable"]);

export interface ProcessMediaPlane extends MediaPlane {
  stats(): MediaWorkerStats[];
}

/** Starts the media processes. Resolves once they are warmed up. */
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

  /** Tries the process with the fewest legs first, and the others if it is full or down. */
  async function open<Opened>(attempt: (worker: MediaWorker) => Promise<Opened>): Promise<Opened> {
    const inOrder = workers.toSorted((one, other) => one.legs - other.legs);
    for (const worker of inOrder.slice(0, -1)) {
      try {
        return await attempt(worker);
      } catch (error) {
        if (!(error instanceof MediaError) || !TRY_NEXT.has(error.code)) throw error;
      }
    }
    return await attempt(inOrder.at(-1) as MediaWorker);
  }

  const stats = (): MediaWorkerStats[] => workers.map((worker) => worker.stats());
  return {
    openLeg: (offerSdp, wanted = "g711", id = randomUUID()) => open((worker) => worker.openLeg(offerSdp, wanted, id)),
    openAnnouncement: () => open((worker) => worker.openAnnouncement()),
    stats,
    health: () => stats().map(healthOf),
    close: closeAll,
  };
}

/** Splits the WebRTC ports among the processes, because each keeps its own list. RTP ports are shared, because each bind is tried. */
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

function healthOf({ legs, restarts, busy, waitMs, diedAt, ...more }: MediaWorkerStats): MediaHealth {
  const { processId, memoryBytes, droppedPackets, refusedPackets } = more;
  return {
    ...{ up: processId !== null, died_at: diedAt?.toISOString() ?? null },
    ...{ process_id: processId, legs, restarts, memory_bytes: memoryBytes, busy: round(busy), wait_ms: round(waitMs) },
    ...{ dropped_packets: droppedPackets, refused_packets: refusedPackets },
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
