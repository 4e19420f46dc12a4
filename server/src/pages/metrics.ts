import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { App } from "../platform/http/http.ts";
import type { Metric } from "../platform/metric.ts";

/** Readings are shared for this long, however many scrapers and probes ask. */
const GOOD_FOR_MS = 5_000;
const DURATION_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Readings = ReadonlyMap<Metric, ReadonlyMap<string, number>>;

/** What monitoring reads. */
export interface Monitoring {
  /** Prometheus' text format. */
  write(): Promise<string>;
  readonly contentType: string;
  /** Sentences for operators; the service still works. */
  warnings(): Promise<string[]>;
}

/** Registers the metrics, Node's own ones, and the duration of every request of the server. */
export function createMonitoring(app: App, metrics: readonly Metric[]): Monitoring {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  timeRequests(app, registry);
  const readings = shared(() => readAll(metrics));
  for (const metric of metrics) showMetric(registry, metric, readings);
  return {
    write: () => registry.metrics(),
    contentType: registry.contentType,
    async warnings() {
      const found = [...(await readings())].flatMap(([metric, values]) =>
        [...values].map(([word, value]) => metric.warning(value, word)),
      );
      return found.filter((warning) => warning !== null);
    },
  };
}

/** Labels are the route's pattern, method and status class, so that their number is bounded. */
function timeRequests(app: App, registry: Registry): void {
  const durations = new Histogram({
    name: "farline_http_request_duration_seconds",
    help: "Time from a request's arrival to the end of its response",
    labelNames: ["route", "method", "status"],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  app.addHook("onResponse", async (request, reply) => {
    const labels = {
      route: request.routeOptions.url ?? "none",
      method: request.method,
      status: `${Math.floor(reply.statusCode / 100)}xx`,
    };
    // A stream of events lasts as long as its page is open, which says nothing about the service.
    if (reply.getHeader("content-type") === "text/event-stream") return;
    durations.observe(labels, reply.elapsedTime / 1_000);
  });
}

/** Metrics that cannot be read, because the database is away, are left out, so that the others are seen. */
async function readAll(metrics: readonly Metric[]): Promise<Readings> {
  const values = await Promise.allSettled(metrics.map((metric) => metric.read()));
  return new Map(
    values.flatMap((one, index) => {
      const metric = metrics[index];
      if (one.status === "rejected" || metric === undefined) return [];
      return [[metric, typeof one.value === "number" ? new Map([["", one.value]]) : one.value] as const];
    }),
  );
}

/** One reading, shared by all who ask within a few seconds. */
function shared(read: () => Promise<Readings>): () => Promise<Readings> {
  let last: { at: number; answer: Promise<Readings> } | null = null;
  return () => {
    const now = performance.now();
    if (last === null || now - last.at > GOOD_FOR_MS) last = { at: now, answer: read() };
    return last.answer;
  };
}

function showMetric(registry: Registry, metric: Metric, readings: () => Promise<Readings>): void {
  const { name, help, label } = metric;
  const gauge = new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const values = (await readings()).get(metric) ?? new Map();
      // Words that are gone must not stay, nor a value that cannot be read.
      gauge.reset();
      if (values.size === 0) gauge.remove({});
      for (const [word, value] of values) gauge.set(label === undefined ? {} : { [label]: word }, value);
    },
  });
}
