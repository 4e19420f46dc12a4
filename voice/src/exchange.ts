import type { Logger } from "pino";
import type { ExchangeConfig } from "./config.ts";
import { type ExchangeCore, startExchangeCore } from "./exchange-core.ts";
import { createMediaPlane } from "./media/create-media-plane.ts";
import type { MediaPlane } from "./media/media-plane.ts";
import { createRtpenginePlane } from "./media/rtpengine/create-rtpengine-plane.ts";
import { createTrunks } from "./sip/create-trunks.ts";
import { TrunkFileWatch } from "./sip/trunk-file-watch.ts";

export interface Exchange extends ExchangeCore {
  readonly sipPort: number;
  /** Reloads the trunk file. Live calls continue; an invalid file is logged and ignored. */
  reloadTrunks(): void;
}

export async function startExchange(config: ExchangeConfig, log: Logger): Promise<Exchange> {
  const { rtpAddress, maxCalls } = config;
  const media = await createPlane(config, log);
  const trunks = await createTrunks(config.trunks, {
    address: rtpAddress,
    port: config.sipPort,
    tls: config.sipTls,
    exchangeNumber: config.callerNumber,
    maxCalls,
    log,
  });
  const exchange = await startExchangeCore({
    config,
    media,
    network: trunks,
    log,
    trunkStates: () => trunks.states(),
    mediaBusy: async () => (await media.health()).flatMap(({ busy }) => (typeof busy === "number" ? [busy] : [])),
    health: async () => ({ sip_calls: trunks.activeCalls, sip_trunks: trunks.states(), media: await media.health() }),
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

function createPlane(config: ExchangeConfig, log: Logger): Promise<MediaPlane> {
  const { rtpengines, mediaAddress, mediaPorts, rtpAddress, rtpPorts, mediaProcesses, maxCalls } = config;
  if (rtpengines.length > 0) return createRtpenginePlane({ engines: rtpengines, log });
  return createMediaPlane({
    ...{ mediaAddress, rtpAddress, rtpPorts, processes: mediaProcesses, maxLegs: maxCalls, log },
    ...(mediaPorts === null ? {} : { webrtcPorts: mediaPorts }),
  });
}
