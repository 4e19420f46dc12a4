import { setTimeout as pause } from "node:timers/promises";
import type { TroubleResponse } from "@farline/contract/operations.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Clock } from "../platform/clock.ts";
import type { App } from "../platform/http/http.ts";
import { forWord, type Metric, sharedReading, type Warned } from "../platform/metric.ts";

/** Readings are shared for this long, however many scrapers and probes ask. */
const GOOD_FOR_MS = 5_000;
/** How often the service looks by itself, so that it knows since when something is wrong. */
const LOOK_EVERY_MS = 10_000;
/** A metric that takes longer counts as unreadable, so that one that hangs hides no other. */
const READ_WITHIN_MS = 3_000;
/** The share of failed and slow requests is that of the last minutes. */
const MAX_REQUESTS = 1_000;
const REQUESTS_COUNT_MS = 5 * 60_000;
const REQUESTS_FOR_A_SHARE = 20;
const MAX_FAILED_PERCENT = 5;
const SLOW_MS = 2_000;
const MAX_SLOW_PERCENT = 10;
const PROBES: ReadonlySet<string> = new Set(["/api/health", "/api/ready", "/metrics"]);
const DURATION_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Values = ReadonlyMap<string, number>;
type Readings = ReadonlyMap<Metric, Values>;

/** What monitoring reads. */
export interface Monitoring {
  /** Prometheus' text format. */
  write(): Promise<string>;
  readonly contentType: string;
  /** All that is wrong: what wakes somebody up first, then the oldest. */
  troubles(): Promise<TroubleResponse[]>;
  /** Looks regularly, until the signal. */
  watch(signal: AbortSignal): Promise<void>;
}

/** Registers the metrics, Node's own ones, and the duration of every request of the server. */
export function createMonitoring(app: App, clock: Clock, given: readonly Metric[]): Monitoring {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const latest = new LatestRequests();
  timeRequests(app, registry, latest);
  const metrics = [...given, ...requestMetrics(latest)];
  const stored = sharedReading(() => readAll(metrics.filter((one) => !isInMemory(one))), GOOD_FOR_MS);
  const current = metrics.filter(isInMemory);
  const readings = async (): Promise<Readings> => new Map([...(await readAll(current)), ...(await stored())]);
  for (const metric of metrics) showMetric(registry, metric, readings);
  const list = new TroubleList(clock);
  const troubles = async () => list.update(metrics, await readings());
  showWarnings(registry, { metrics, troubles, readings });
  return {
    write: () => registry.metrics(),
    contentType: registry.contentType,
    troubles,
    async watch(signal) {
      while (!signal.aborted) {
        await troubles().catch(() => undefined);
        await pause(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    },
  };
}

function isInMemory(metric: Metric): boolean {
  return metric.inMemory === true;
}

/** The one list of what is wrong, with the time since when. What cannot be read now stays as it was: not knowing is not being well. */
class TroubleList {
  readonly #clock: Clock;
  #known: ReadonlyMap<string, TroubleResponse> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  update(metrics: readonly Metric[], readings: Readings): TroubleResponse[] {
    const found = new Map<string, TroubleResponse>();
    for (const metric of metrics) {
      const values = readings.get(metric);
      if (values === undefined) for (const [id, one] of this.#known) if (id.split(" ", 1)[0] === metric.name) found.set(id, one);
      for (const [word, value] of values ?? []) {
        const one = this.#troubleOf(metric, word, value);
        if (one !== null) found.set(one.id, one);
      }
    }
    this.#known = found;
    return [...found.values()].toSorted(
      (a, b) => Number(a.level === "ticket") - Number(b.level === "ticket") || a.since.localeCompare(b.since),
    );
  }

  #troubleOf(metric: Metric, word: string, value: number): TroubleResponse | null {
    if (metric.warning === undefined) return null;
    const warned = metric.warning(value, word);
    if (warned === null) return null;
    const { text, detail = null, since = null }: Warned = typeof warned === "string" ? { text: warned } : warned;
    const id = word === "" ? metric.name : `${metric.name} ${word}`;
    return {
      id,
      level: forWord(metric.level, word),
      runbook: forWord(metric.runbook, word),
      size: value,
      text,
      detail,
      since: since?.toISOString() ?? this.#known.get(id)?.since ?? this.#clock.now().toISOString(),
    };
  }
}

/** 1 for each trouble, 0 for what could be one: the alert rule needs neither its threshold nor its runbook. */
function showWarnings(
  registry: Registry,
  from: {
    readonly metrics: readonly Metric[];
    readonly troubles: () => Promise<readonly TroubleResponse[]>;
    readonly readings: () => Promise<Readings>;
  },
): void {
  const gauge = new Gauge({
    name: "farline_warning",
    help: "1 if the metric is as the service warns of it, 0 if not; its word, how urgent it is, and what to read",
    labelNames: ["metric", "word", "level", "runbook", "instances"],
    registers: [registry],
    async collect() {
      gauge.reset();
      const troubles = new Set((await from.troubles()).map(({ id }) => id));
      const readings = await from.readings();
      for (const metric of from.metrics) {
        if (metric.warning === undefined) continue;
        const { name, level, runbook, onlyIfEverywhere } = metric;
        const words = new Set(readings.get(metric)?.keys());
        for (const id of troubles) if (id.split(" ", 1)[0] === name) words.add(id.slice(name.length + 1));
        for (const word of words)
          gauge.set(
            {
              metric: name,
              word,
              level: forWord(level, word),
              runbook: forWord(runbook, word),
              instances: onlyIfEverywhere === true ? "every" : "any",
            },
            troubles.has(word === "" ? name : `${name} ${word}`) ? 1 : 0,
          );
      }
    },
  });
}

/** Labels are the route's pattern, method and status class, so that their number is bounded. */
function timeRequests(app: App, registry: Registry, latest: LatestRequests): void {
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
    if (!PROBES.has(labels.route)) latest.add({ failed: reply.statusCode >= 500, slow: reply.elapsedTime > SLOW_MS });
  });
}

/** How the latest requests went. */
class LatestRequests {
  readonly #kept: { readonly atMs: number; readonly failed: boolean; readonly slow: boolean }[] = [];

  add(outcome: { readonly failed: boolean; readonly slow: boolean }): void {
    this.#kept.push({ ...outcome, atMs: performance.now() });
    if (this.#kept.length > MAX_REQUESTS) this.#kept.shift();
  }

  /** @returns null if there were too few */
  percent(kind: "failed" | "slow"): number | null {
    const sinceMs = performance.now() - REQUESTS_COUNT_MS;
    const counted = this.#kept.filter(({ atMs }) => atMs >= sinceMs);
    if (counted.length < REQUESTS_FOR_A_SHARE) return null;
    return (100 * counted.filter((one) => one[kind]).length) / counted.length;
  }
}

function requestMetrics(latest: LatestRequests): Metric[] {
  const share = (kind: "failed" | "slow", limit: number, words: string): Metric => ({
    name: `farline_requests_${kind}_percent`,
    help: `Of this instance's latest requests, those that ${words}; probes are not counted`,
    inMemory: true,
    read: async () => Math.round(latest.percent(kind) ?? 0),
    runbook: "service-errors",
    level: "page",
    warning: (percent) => (percent <= limit ? null : `${percent} % of the latest requests ${words}.`),
  });
  return [
    share("failed", MAX_FAILED_PERCENT, "failed with a 5xx"),
    share("slow", MAX_SLOW_PERCENT, `took more than ${SLOW_MS / 1_000} seconds`),
  ];
}

/** Readings that have not ended. One that hangs is not begun again, or hung ones would take all connections. */
const running = new WeakMap<Metric, ReturnType<Metric["read"]>>();

function readOnce(metric: Metric): ReturnType<Metric["read"]> {
  const reading = running.get(metric) ?? metric.read().finally(() => running.delete(metric));
  running.set(metric, reading);
  return reading;
}

/** Metrics that cannot be read, because the database is away, are left out, so that the others are seen. */
async function readAll(metrics: readonly Metric[]): Promise<Readings> {
  const late = () => Promise.reject(new Error("not read in time"));
  const values = await Promise.allSettled(metrics.map(async (metric) => settleWithin(readOnce(metric), READ_WITHIN_MS, late)));
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
