import type { PartUse, TroubleResponse } from "@farline/contract/operations.ts";
import type {
  DayFigures,
  FirstSteps,
  OverviewHours,
  OverviewPart,
  OverviewResponse,
  OverviewTrunk,
} from "@farline/contract/operator/overview.ts";
import { hasRight } from "@farline/contract/operator/rights.ts";
import { DAY_MS, MINUTE_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { momentOnClock, offsetMinutes } from "@farline/domain/wall-clock.ts";
import { countRegistered } from "../accounts/accounts.ts";
import { readMoneyMoved } from "../billing/billing.ts";
import {
  countLiveByTrunk,
  hasCalls,
  readSummedAttempts,
  readTrunkMetrics,
  readTurnoverHours,
  readZone,
  sumLiveCalls,
  sumTurnover,
  type TrunkMetrics,
  type TrunkState,
} from "../calls/calls.ts";
import { actingAs, type Context, type OperatorContext, type ServiceContext } from "../context.ts";
import { type DeckStarts, readDeckStarts } from "../decks/decks.ts";
import { latestCheck } from "../ledger/ledger.ts";
import { operatorOf, readOperators } from "../operator/operator.ts";
import { sharedReading } from "../platform/metric.ts";
import { presentQueueCounts } from "../queue/queue.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { floorHour } from "../platform/split-span.ts";

/** Every open console reads the page again every few seconds; days and trunks change less. */
const METRICS_GOOD_FOR_MS = 15_000;
const HOURS_GOOD_FOR_MS = 60_000;
/** 30 days of any zone, and the same weekdays of four weeks before today. */
const HOURS = 32 * 24;
/** Operators sit in few places. */
const MAX_ZONES = 32;
const WEEK_MS = 7 * DAY_MS;
const USUAL_WEEKS = 4;

/** The metrics that take time to add up. */
interface OverviewMetrics {
  readonly today: DayFigures;
  readonly weekAgo: DayFigures;
}

interface TrunkFigures {
  /** Of the last hour. */
  readonly lastHour: readonly TrunkMetrics[];
  /** Of the same hour of the last four weeks. */
  readonly usual: Awaited<ReturnType<typeof readSummedAttempts>>;
}

/** What the reader knows beside the database. */
interface OverviewSources {
  readonly metrics: () => Promise<OverviewMetrics>;
  readonly trunkFigures: () => Promise<TrunkFigures>;
  readonly troubles: () => Promise<readonly TroubleResponse[]>;
  readonly parts: () => Promise<readonly PartUse[]>;
  /** Null while they are unknown. */
  readonly trunks: () => readonly TrunkState[] | null;
}

/**
 * How the service does at this moment, as far as the operator's role may see it. A part that cannot be read is null and named; the
 * others stay.
 */
export async function readOverview(ctx: OperatorContext, sources: OverviewSources): Promise<OverviewResponse> {
  const may = (right: Parameters<typeof hasRight>[1]) => hasRight(ctx.actor.role, right);
  const maySeeCosts = may("read-costs");
  const unread: OverviewPart[] = [];
  const part = async <Result>(name: OverviewPart, read: () => Promise<Result>): Promise<Result | null> => {
    try {
      return await read();
    } catch (error) {
      ctx.log.error({ err: error, part: name }, "a part of the overview could not be read");
      unread.push(name);
      return null;
    }
  };
  const states = sources.trunks();
  const decks = () => readDeckStarts(ctx);
  const [metrics, troubles, parts, queue, live, trunks, ledger, starts, steps] = await Promise.all([
    part("today", sources.metrics),
    part("warnings", sources.troubles),
    part("parts", sources.parts),
    part("queue", () => presentQueueCounts(ctx)),
    part("live", () => sumLiveCalls(ctx)),
    part("trunks", async () => presentTrunks(states, await sources.trunkFigures(), await countLiveByTrunk(ctx.handle.db))),
    may("reconcile") ? part("ledger", () => latestCheck(ctx.handle.db)) : null,
    maySeeCosts ? part("decks", decks) : null,
    may("operators") ? part("first_steps", async () => readFirstSteps(ctx, { decks: await decks(), states })) : null,
  ]);
  const day = (one: DayFigures | undefined): DayFigures | null =>
    one === undefined ? null : maySeeCosts ? one : { ...one, margin: null };
  return {
    at: ctx.clock.now().toISOString(),
    unread,
    warnings: troubles === null ? null : [...troubles],
    parts: parts === null ? null : [...parts],
    queue,
    live: live === null ? null : presentLive(live, maySeeCosts),
    today: day(metrics?.today),
    week_ago: day(metrics?.weekAgo),
    trunks,
    ledger: may("reconcile") && !unread.includes("ledger") ? presentCheck(ledger) : null,
    decks: starts === null ? null : { active: presentStart(starts.active), next: presentStart(starts.next) },
    first_steps: steps,
  };
}

function presentLive(live: Awaited<ReturnType<typeof sumLiveCalls>>, maySeeCosts: boolean): OverviewResponse["live"] {
  return {
    ringing: live.ringing,
    answered: live.answered,
    charge: formatDollars(live.chargeMicros),
    held: formatDollars(live.heldMicros),
    cost: maySeeCosts ? formatDollars(live.costMicros) : null,
  };
}

function presentCheck(check: Awaited<ReturnType<typeof latestCheck>> | null): OverviewResponse["ledger"] {
  return {
    checked_at: check?.at.toISOString() ?? null,
    good_at: check?.goodAt?.toISOString() ?? null,
    deviations: check?.deviations ?? 0,
  };
}

/** Adds up today, and the same weekday a week ago to the same time on the clock. @param timeZone IANA name */
export async function readOverviewMetrics(ctx: Context, timeZone: string): Promise<OverviewMetrics> {
  const now = ctx.clock.now();
  const clock = new Date(now.getTime() + offsetMinutes(timeZone, now) * MINUTE_MS).toISOString();
  const [date, time] = [clock.slice(0, 10), clock.slice(11, 16)];
  const weekBefore = new Date(Date.parse(date) - WEEK_MS).toISOString().slice(0, 10);
  const moment = (day: string, at: string) => momentOnClock({ date: day, time: at, timeZone });
  const [today, weekAgo] = await Promise.all([
    readDay(ctx, date, { from: moment(date, "00:00"), to: now }),
    readDay(ctx, weekBefore, { from: moment(weekBefore, "00:00"), to: moment(weekBefore, time) }),
  ]);
  return { today, weekAgo };
}

/** The trunks' last hour, and what is usual at this time of the week. */
export async function readTrunkFigures(ctx: Context): Promise<TrunkFigures> {
  const now = ctx.clock.now();
  const lastWhole = floorHour(now.getTime() - HOUR_MS);
  const hours = Array.from({ length: USUAL_WEEKS }, (_, index) => new Date(lastWhole - (index + 1) * WEEK_MS));
  const [lastHour, usual] = await Promise.all([
    readTrunkMetrics(ctx.handle.db, { from: new Date(now.getTime() - HOUR_MS), to: now }),
    readSummedAttempts(ctx.handle.db, hours),
  ]);
  return { lastHour, usual };
}

/** Calls, minutes and money of the last 32 days by the hour, as far as the operator's role may see them. */
async function readHours(ctx: Context): Promise<OverviewHours> {
  const { from, hours, at } = await readTurnoverHours(ctx, HOURS);
  return {
    from: from.toISOString(),
    calls: hours.map((one) => one.calls),
    answered: hours.map((one) => one.answered),
    seconds: hours.map((one) => one.seconds),
    revenue: hours.map((one) => formatDollars(one.chargeMicros)),
    margin: hours.map((one) => formatDollars(one.chargeMicros - one.costMicros)),
    at: at.toISOString(),
  };
}

/** @param day "2026-11-26" */
async function readDay(ctx: Context, day: string, span: { from: Date; to: Date }): Promise<DayFigures> {
  const [turnover, money, registered] = await Promise.all([
    sumTurnover(ctx, span),
    readMoneyMoved(ctx.handle.db, span),
    countRegistered(ctx.handle.db, span),
  ]);
  return {
    day,
    calls: turnover.calls,
    answered: turnover.answered,
    seconds: turnover.seconds,
    revenue: formatDollars(turnover.chargeMicros),
    margin: formatDollars(turnover.chargeMicros - turnover.costMicros),
    top_ups: money.topUps,
    topped_up: formatDollars(money.toppedUpMicros),
    refunds: money.refunds,
    refunded: formatDollars(money.refundedMicros),
    new_customers: registered,
  };
}

/** Trunks that the exchange knows or that took calls in the last hour, by name. */
function presentTrunks(
  states: readonly TrunkState[] | null,
  { lastHour, usual }: TrunkFigures,
  live: ReadonlyMap<string, number>,
): OverviewTrunk[] {
  const names = new Set([...(states ?? []).map(({ name }) => name), ...lastHour.map(({ trunk }) => trunk), ...live.keys()]);
  return [...names].toSorted().map((name) => {
    const state = states?.find((one) => one.name === name);
    const { seizures = 0, answered = 0 } = lastHour.find(({ trunk }) => trunk === name) ?? {};
    const before = usual.find(({ trunk }) => trunk === name);
    return {
      name,
      state: state === undefined ? null : stateOf(state),
      seizures,
      answered,
      live: live.get(name) ?? 0,
      usual_seizures: before?.seizures ?? 0,
      usual_answered: before?.answered ?? 0,
    };
  });
}

function stateOf({ up, refusedWith, failing }: TrunkState): OverviewTrunk["state"] {
  if (up) return "ok";
  if (refusedWith !== null) return "refused";
  return failing ? "failing" : "down";
}

function presentStart(start: DeckStarts["next"]) {
  return start === null ? null : { name: start.name, trunk: start.trunk, effective_at: start.effectiveAt.toISOString() };
}

/** Null once there has been a call. */
async function readFirstSteps(
  ctx: Context,
  { decks, states }: { decks: DeckStarts; states: readonly TrunkState[] | null },
): Promise<FirstSteps | null> {
  if (await hasCalls(ctx.handle.db)) return null;
  return {
    operators: (await readOperators(ctx)).length > 1,
    deck: decks.own,
    // Without trunks to name, the voice provider routes calls by itself.
    trunk: states === null || states.some((one) => stateOf(one) === "ok"),
    payments: ctx.config.mode === "live",
  };
}

/** `GET /api/operator/overview` and its hours. */
export function overviewRoutes(app: App, ctx: ServiceContext, sources: Omit<OverviewSources, "metrics" | "trunkFigures">): void {
  const metrics = readingsByZone((zone) => readOverviewMetrics(ctx, zone));
  const trunkFigures = sharedReading(() => readTrunkFigures(ctx), METRICS_GOOD_FOR_MS);
  const hours = sharedReading(() => readHours(ctx), HOURS_GOOD_FOR_MS);
  serve(app, "GET /api/operator/overview", (request) =>
    readOverview(actingAs(ctx, operatorOf(request)), {
      ...sources,
      metrics: metrics(readZone(request.query.zone)),
      trunkFigures,
    }),
  );
  serve(app, "GET /api/operator/overview/hours", async (request) => {
    const read = await hours();
    return hasRight(operatorOf(request).role, "read-costs") ? read : { ...read, margin: null };
  });
}

/** A shared reading for each time zone that operators use. */
function readingsByZone<Result>(read: (zone: string) => Promise<Result>): (zone: string) => () => Promise<Result> {
  const readings = new Map<string, () => Promise<Result>>();
  return (zone) => {
    const kept = readings.get(zone) ?? sharedReading(() => read(zone), METRICS_GOOD_FOR_MS);
    if (readings.size >= MAX_ZONES) readings.clear();
    readings.set(zone, kept);
    return kept;
  };
}
