import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { App } from "../platform/http/http.ts";
import { type Metric, sharedReading, type Trouble } from "../platform/metric.ts";

/** Readings are shared for this long, however many scrapers and probes ask. */
const GOOD_FOR_MS = 5_000;
const DURATION_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Readings = ReadonlyMap<Metric, ReadonlyMap<string, number>>;

/** What monitoring reads. */
export interface Monitoring {
  /** Prometheus' text format. */
  write(): Promise<string>;
  readonly contentType: string;
  /** What operators should know; the service still works. */
  warnings(): Promise<Trouble[]>;
}

/** Registers the metrics, Node's own ones, and the duration of every request of the server. */
export function createMonitoring(app: App, metrics: readonly Metric[]): Monitoring {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  timeRequests(app, registry);
  const readings = sharedReading(() => readAll(metrics), GOOD_FOR_MS);
  for (const metric of metrics) showMetric(registry, metric, readings);
  showWarnings(registry, readings);
  return {
    write: () => registry.metrics(),
    contentType: registry.contentType,
    async warnings() {
      return [...(await readings())].flatMap(([metric, values]) => [...values].flatMap((one) => troubleOf(metric, one)));
    },
  };
}

function troubleOf(metric: Metric, [word, value]: readonly [string, number]): Trouble[] {
  if (metric.warning === undefined) return [];
  const text = metric.warning(value, word);
  return text === null ? [] : [{ text, runbook: metric.runbook }];
}

/** 1 for each metric that warns, else 0: the alert rule needs neither its threshold nor its runbook. */
function showWarnings(registry: Registry, readings: () => Promise<Readings>): void {
  const gauge = new Gauge({
    name: "farline_warning",
    help: "1 if the metric is as the service warns of it, 0 if not; its word, how urgent it is, and what to read",
    labelNames: ["metric", "word", "level", "runbook", "instances"],
    registers: [registry],
    async collect() {
      gauge.reset();
      for (const [metric, values] of await readings()) {
        if (metric.warning === undefined) continue;
        const { name, level, runbook, onlyIfEverywhere } = metric;
        const labels = { metric: name, level, runbook, instances: onlyIfEverywhere === true ? "every" : "any" };
        for (const [word, value] of values) gauge.set({ ...labels, word }, metric.warning(value, word) === null ? 0 : 1);
      }
    },
  });
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
