import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { MediaHealth } from "./media/media-plane.ts";
import { type CertificateEnd, isTrunkUp, type TrunkState } from "./sip/trunk.ts";

/** What the exchange's metrics are read from. */
export interface ExchangeReadings {
  readonly calls: number;
  readonly maxCalls: number;
  readonly sockets: number;
  readonly webhooksWaiting: number;
  readonly journalWritten: boolean;
  readonly trunks: readonly TrunkState[];
  readonly media: readonly MediaHealth[];
  readonly certificates: readonly CertificateEnd[];
}

/** The exchange's metrics in Prometheus' text format, with Node's own ones. */
export function createExchangeMetrics(read: () => ExchangeReadings): { write(): Promise<string>; contentType: string } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, label?: string): Gauge =>
    new Gauge({ name: `farline_exchange_${name}`, help, labelNames: label === undefined ? [] : [label], registers: [registry] });
  const calls = gauge("calls", "Live calls");
  const maxCalls = gauge("max_calls", "Calls that it may carry at once");
  const sockets = gauge("sockets", "Connected browsers");
  const webhooks = gauge("webhooks_waiting", "Events that the service has not accepted yet");
  const trunkUp = gauge("trunk_up", "1 if the trunk answers and its carrier accepts our account, 0 if not", "trunk");
  const journal = gauge(
    "journal_written",
    "1 if live calls are recorded for a crash, 0 if the disk takes nothing: then new calls are refused",
  );
  const mediaUp = gauge("media_up", "1 if the media process answers, 0 while it is being replaced", "process");
  const ends = gauge(
    "certificate_expires_timestamp_seconds",
    "When a certificate that the exchange uses or has met ends",
    "certificate",
  );
  const busy = gauge("media_busy_ratio", "Share of its time that a media process is busy", "process");
  return {
    contentType: registry.contentType,
    async write() {
      const readings = read();
      calls.set(readings.calls);
      maxCalls.set(readings.maxCalls);
      sockets.set(readings.sockets);
      journal.set(readings.journalWritten ? 1 : 0);
      webhooks.set(readings.webhooksWaiting);
      trunkUp.reset();
      for (const trunk of readings.trunks) trunkUp.set({ trunk: trunk.name }, isTrunkUp(trunk) ? 1 : 0);
      ends.reset();
      for (const { name, endsAt } of readings.certificates) ends.set({ certificate: name }, endsAt.getTime() / 1_000);
      busy.reset();
      mediaUp.reset();
      for (const [index, { up, busy: share }] of readings.media.entries()) {
        mediaUp.set({ process: String(index) }, up ? 1 : 0);
        // Media proxies have metrics of their own.
        if (share !== null) busy.set({ process: String(index) }, share);
      }
      return registry.metrics();
    },
  };
}
