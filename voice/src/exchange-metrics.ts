import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { TrunkState } from "./sip/trunk.ts";

/** What the exchange's metrics are read from. */
export interface ExchangeReadings {
  readonly calls: number;
  readonly sockets: number;
  readonly webhooksWaiting: number;
  readonly trunks: readonly TrunkState[];
  /** Share of its time that each media process is busy, 0 to 1. Empty with media proxies, which have metrics of their own. */
  readonly mediaBusy: readonly number[];
}

/** The exchange's metrics in Prometheus' text format, with Node's own ones. */
export function createExchangeMetrics(read: () => Promise<ExchangeReadings>): { write(): Promise<string>; contentType: string } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, label?: string): Gauge =>
    new Gauge({ name: `farline_exchange_${name}`, help, labelNames: label === undefined ? [] : [label], registers: [registry] });
  const calls = gauge("calls", "Live calls");
  const sockets = gauge("sockets", "Connected browsers");
  const webhooks = gauge("webhooks_waiting", "Events that the service has not accepted yet");
  const trunkUp = gauge("trunk_up", "1 if the trunk answers and its carrier accepts our account, 0 if not", "trunk");
  const busy = gauge("media_busy_ratio", "Share of its time that a media process is busy", "process");
  return {
    contentType: registry.contentType,
    async write() {
      const readings = await read();
      calls.set(readings.calls);
      sockets.set(readings.sockets);
      webhooks.set(readings.webhooksWaiting);
      trunkUp.reset();
      for (const trunk of readings.trunks) trunkUp.set({ trunk: trunk.name }, isUp(trunk) ? 1 : 0);
      busy.reset();
      for (const [index, share] of readings.mediaBusy.entries()) busy.set({ process: String(index) }, share);
      return registry.metrics();
    },
  };
}

function isUp({ connected, registration, down, failing, refusedWith }: TrunkState): boolean {
  const isRegistered = registration === null || registration === "registered";
  return connected !== false && isRegistered && !down && !failing && refusedWith === null;
}
