import { judgeUses, KEPT_USES, type UseSummary } from "@farline/domain/health.ts";
import { formatDollars, toDecimalString } from "@farline/domain/money.ts";
import { DAY_MS, MINUTE_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { usualMetric, type Metric } from "../../platform/metric.ts";
import type { Context } from "../../context.ts";
import { sumTurnover } from "./traffic-report.ts";
import {
  readLatestEnds,
  readOpenCalls,
  readTrunkMetrics,
  readTurnover,
  lockSummed,
  setSummedUntil,
  sumHours,
  takeChangedHours,
  type TrunkMetrics,
  type Turnover,
} from "./call-metrics.store.ts";
import { floorHour } from "../../platform/split-span.ts";

/** Trunks are judged by their latest calls. */
const TRUNK_MINUTES = 15;
/** A call that has ended is settled within seconds, or within minutes if its exchange is gone. */
const OVERDUE_SECONDS = 300;
/** Of a trunk's attempts, those that must reach the called phone; fewer attempts say nothing. */
const EFFECTIVE_SHARE = 0.8;
const ATTEMPTS_FOR_A_SHARE = 30;
/** Calls may cost us this much in an hour, and this many times what they did at the same hour yesterday. */
const COST_NEVER_TOO_MUCH_MICROS = 20_000_000n;
const COST_TIMES_YESTERDAYS = 5n;

/** Metrics of calls for monitoring: open ones, the trunks' last quarter of an hour, and the last hour's money. */
export function trafficMetrics({ handle, clock }: Context): Metric[] {
  const since = (minutes: number): Date => new Date(clock.now().getTime() - minutes * MINUTE_MS);
  const openCalls = sharedRead(() => readOpenCalls(handle.db, clock.now()));
  let latest: readonly TrunkMetrics[] = [];
  const trunks = sharedRead(async () => {
    latest = await readTrunkMetrics(handle.db, { from: since(TRUNK_MINUTES), to: clock.now() });
    return latest;
  });
  const lastHour = sharedRead(() => readTurnover(handle.db, since(60)));
  const trunkMetric = (name: string, help: string, valueOf: (trunk: TrunkMetrics) => number): Metric => ({
    name: `farline_trunk_${name}`,
    help: `${help}, of the calls made in the last ${TRUNK_MINUTES} minutes`,
    label: "trunk",
    read: async () => new Map((await trunks()).map((one) => [one.trunk, valueOf(one)])),
  });
  const turnover = (name: string, help: string, part: "chargeMicros" | "costMicros"): Metric => ({
    name: `farline_${name}_hour_dollars`,
    help: `${help} of the calls that ended in the last hour`,
    read: async () => Number(toDecimalString((await lastHour())[part])),
  });
  return [
    usualMetric(clock, "calls", async (span) => (await sumTurnover({ handle }, span)).calls),
    {
      name: "farline_calls_live",
      help: "Calls that are not over",
      label: "state",
      read: async () => {
        const { ringing, answered } = await openCalls();
        return new Map(Object.entries({ ringing, answered }));
      },
    },
    {
      name: "farline_call_overdue_seconds",
      help: "For how long the oldest call that should be over has not been settled",
      read: async () => (await openCalls()).overdueSeconds,
      runbook: "call-not-settled",
      level: "page",
      warning: (seconds) =>
        seconds < OVERDUE_SECONDS
          ? null
          : `A call that should be over has not been settled for ${Math.floor(seconds / 60)} minutes.`,
    },
    trunkMetric("seizures", "Attempts that were sent to the carrier", ({ seizures }) => seizures),
    trunkMetric("answered", "Attempts that were answered", ({ answered }) => answered),
    {
      ...trunkMetric("effective", "Attempts that the network served, also if busy or unanswered", ({ effective }) => effective),
      runbook: "trunk-failing",
      level: "page",
      warning(effective, trunk = "") {
        const { seizures = 0 } = latest.find((one) => one.trunk === trunk) ?? {};
        if (seizures < ATTEMPTS_FOR_A_SHARE || effective >= EFFECTIVE_SHARE * seizures) return null;
        return `Only ${effective} of the last ${seizures} attempts over trunk ${trunk} reached the called phone.`;
      },
    },
    trunkMetric("post_dial_delay_p95_seconds", "95th percentile of the post-dial delay", (one) => one.postDialDelaySeconds ?? 0),
    trunkMetric("mos", "Mean opinion score", ({ mos }) => mos ?? 0),
    turnover("charges", "What customers paid", "chargeMicros"),
    carrierCostMetric(turnover("carrier_cost", "What the carriers charge", "costMicros"), {
      latest: async () => (await lastHour()).costMicros,
      yesterday: () => sumTurnover({ handle }, { from: since(25 * 60), to: since(24 * 60) }),
    }),
  ];
}

/** Warns of a cost that is many times yesterday's at this hour. Where yesterday is not known, as on the first day, it counts as what is never too much. */
function carrierCostMetric(
  metric: Metric,
  read: { readonly latest: () => Promise<bigint>; readonly yesterday: () => Promise<Pick<Turnover, "calls" | "costMicros">> },
): Metric {
  let last = { nowMicros: 0n, yesterdayMicros: 0n };
  return {
    ...metric,
    async read() {
      const [nowMicros, before] = await Promise.all([read.latest(), read.yesterday()]);
      last = { nowMicros, yesterdayMicros: before.calls === 0 ? COST_NEVER_TOO_MUCH_MICROS : before.costMicros };
      return metric.read();
    },
    runbook: "carrier-spend",
    level: "page",
    warning: () =>
      last.nowMicros <= COST_NEVER_TOO_MUCH_MICROS || last.nowMicros <= COST_TIMES_YESTERDAYS * last.yesterdayMicros
        ? null
        : `Calls of the last hour cost us $${formatDollars(last.nowMicros)}, over ${COST_TIMES_YESTERDAYS} times what they did at this hour yesterday.`,
  };
}

/** Fewer failures may be one caller's browser. */
const FAILURES_OF_CALLS = 3;

/** Judges calls by how the latest of the last quarter of an hour ended: did they fail on our side, or the carriers'? */
export async function judgeCalls({ handle, clock }: Context): Promise<UseSummary> {
  const now = clock.now();
  const ends = await readLatestEnds(handle.db, { since: new Date(now.getTime() - TRUNK_MINUTES * MINUTE_MS), limit: KEPT_USES });
  const uses = ends.map(({ at, reason }) => ({ atMs: at.getTime(), failure: reason, onlyRead: false }));
  const { failed, failure, failingSinceMs, ...judged } = judgeUses(uses, now.getTime());
  if (failure === null || failed < FAILURES_OF_CALLS) return { ...judged, failed, failure: null, failingSinceMs: null };
  return { ...judged, failed, failingSinceMs, failure: `The latest ended with "${failure.replaceAll("_", " ")}".` };
}

/** Metrics are read at the same time; those of one query share it. */
function sharedRead<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | null = null;
  return () => {
    running ??= read().finally(() => {
      running = null;
    });
    return running;
  };
}

/** Job: sums the hours that ended an hour ago, and again those in which a call has changed since. */
export async function sumCallHours(ctx: Pick<Context, "transaction" | "clock">, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await sumNext(ctx)));
  while (!signal.aborted && (await sumChanged(ctx)));
}

/** @returns whether there are more */
function sumNext({ transaction, clock }: Pick<Context, "transaction" | "clock">): Promise<boolean> {
  const end = floorHour(clock.now().getTime() - HOUR_MS);
  return transaction(async (tx) => {
    const from = await lockSummed(tx);
    if (from === null || from.getTime() >= end) return false;
    const to = new Date(Math.min(from.getTime() + DAY_MS, end));
    await sumHours(tx, { from, to });
    await setSummedUntil(tx, to);
    return to.getTime() < end;
  });
}

/** A change that is committed later has a mark of its own. @returns whether there may be more */
function sumChanged({ transaction }: Pick<Context, "transaction">): Promise<boolean> {
  return transaction(async (tx) => {
    const until = await lockSummed(tx);
    if (until === null) return false;
    const { hours, more } = await takeChangedHours(tx);
    for (const from of hours) if (from < until) await sumHours(tx, { from, to: new Date(from.getTime() + HOUR_MS) });
    return more;
  });
}
