import type { Metric } from "../../platform/metric.ts";
import { judgeUses, KEPT_USES, type UseSummary } from "@farline/domain/health.ts";
import type { Context } from "../../context.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { readLatestEnds, readOpenCalls, readTrunkMetrics, readTurnover, type TrunkMetrics } from "./call-metrics.store.ts";

const MINUTE_MS = 60_000;
/** Trunks are judged by their latest calls. */
const TRUNK_MINUTES = 15;
/** A call that has ended is settled within seconds, or within minutes if its exchange is gone. */
const OVERDUE_SECONDS = 300;

/** Metrics of calls for monitoring: open ones, the trunks' last quarter of an hour, and the last hour's money. */
export function trafficMetrics({ handle, clock }: Context): Metric[] {
  const since = (minutes: number): Date => new Date(clock.now().getTime() - minutes * MINUTE_MS);
  const openCalls = sharedRead(() => readOpenCalls(handle.db, clock.now()));
  const trunks = sharedRead(() => readTrunkMetrics(handle.db, { from: since(TRUNK_MINUTES), to: clock.now() }));
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
    trunkMetric("effective", "Attempts that the network served, also if busy or unanswered", ({ effective }) => effective),
    trunkMetric("post_dial_delay_p95_seconds", "95th percentile of the post-dial delay", (one) => one.postDialDelaySeconds ?? 0),
    trunkMetric("mos", "Mean opinion score", ({ mos }) => mos ?? 0),
    turnover("charges", "What customers paid", "chargeMicros"),
    turnover("carrier_cost", "What the carriers charge", "costMicros"),
  ];
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
