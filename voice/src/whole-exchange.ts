import type { Logger } from "pino";
import type { ExchangeConfig } from "./config.ts";
import { startExchange, type Exchange } from "./exchange.ts";
import { createMediaPlane } from "./media/create-media-plane.ts";
import type { MediaWorkerStats } from "./media/media-plane.ts";
import { createTrunks } from "./sip/create-trunks.ts";
import { TrunkFileWatch } from "./sip/trunk-file-watch.ts";

export interface WholeExchange extends Exchange {
  /** The UDP port in use. */
  readonly sipPort: number;
  /** Reads the trunk file again. Live calls go on; a bad file is logged and changes nothing. */
  reloadTrunks(): void;
}

/** Starts the exchange with its real media processes and its SIP trunks, as its own process and tests of the whole product run it. */
export async function startWholeExchange(config: ExchangeConfig, log: Logger): Promise<WholeExchange> {
  const { mediaAddress, mediaPorts, rtpAddress, rtpPorts, mediaProcesses, maxCalls } = config;
  const media = await createMediaPlane({
    mediaAddress,
    rtpAddress,
    rtpPorts,
    processes: mediaProcesses,
    maxLegs: maxCalls,
    log,
    ...(mediaPorts === null ? {} : { webrtcPorts: mediaPorts }),
  });
  const trunks = await createTrunks(config.trunks, {
    address: rtpAddress,
    port: config.sipPort,
    ownNumber: config.callerNumber,
    maxCalls,
    log,
  });
  const exchange = await startExchange({
    config,
    media,
    network: trunks,
    log,
    health: async () => ({
      sip_calls: trunks.activeCalls,
      sip_trunks: trunks.states(),
      media: (await media.stats()).map(mediaHealth),
    }),
  });
  const watch =
    config.trunkFile === null
      ? null
      : new TrunkFileWatch({
          path: config.trunkFile,
          log,
          apply: (now) => {
            trunks.reload(now);
            exchange.useTrunks(now);
          },
        });
  return {
    ...exchange,
    sipPort: trunks.port,
    reloadTrunks: () => watch?.reload(),
    async close() {
      watch?.close();
      await exchange.close();
      await Promise.all([trunks.close(), media.close()]);
    },
  };
}

function mediaHealth({ legs, restarts, busy, waitMs, ...packets }: MediaWorkerStats): Record<string, number> {
  const { droppedPackets, refusedPackets } = packets;
  return {
    ...{ legs, restarts, busy: round(busy), wait_ms: round(waitMs) },
    ...{ dropped_packets: droppedPackets, refused_packets: refusedPackets },
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
