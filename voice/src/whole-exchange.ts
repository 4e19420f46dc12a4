import type { Logger } from "pino";
import type { ExchangeConfig } from "./config.ts";
import { startExchange, type Exchange } from "./exchange.ts";
import { createMediaPlane } from "./media/create-media-plane.ts";
import { createTrunks } from "./sip/create-trunks.ts";

export interface WholeExchange extends Exchange {
  /** The UDP port in use. */
  readonly sipPort: number;
}

/** Starts the exchange with its real media process and its SIP trunks, as its own process and tests of the whole product run it. */
export async function startWholeExchange(config: ExchangeConfig, log: Logger): Promise<WholeExchange> {
  const { mediaAddress, mediaPorts, rtpAddress, rtpPorts, maxCalls } = config;
  const media = await createMediaPlane({
    mediaAddress,
    rtpAddress,
    rtpPorts,
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
    health: () => ({ sip_calls: trunks.activeCalls }),
  });
  return {
    ...exchange,
    sipPort: trunks.port,
    async close() {
      await exchange.close();
      await Promise.all([trunks.close(), media.close()]);
    },
  };
}
