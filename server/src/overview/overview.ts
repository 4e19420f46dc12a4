import type { PartUse, TroubleResponse } from "@farline/contract/operations.ts";
import type { DayFigures, FirstSteps, OverviewResponse, OverviewTrunk } from "@farline/contract/operator/overview.ts";
import { hasRight } from "@farline/contract/operator/rights.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { countRegistered } from "../accounts/accounts.ts";
import { readMoneyMoved } from "../billing/billing.ts";
import { hasCalls, readTrunkMetrics, sumLiveCalls, sumTurnover, type TrunkMetrics, type TrunkState } from "../calls/calls.ts";
import { actingAs, type Context, type OperatorContext, type ServiceContext } from "../context.ts";
import { type DeckStarts, readDeckStarts } from "../decks/decks.ts";
import { latestCheck } from "../ledger/ledger.ts";
import { operatorOf, readOperators } from "../operator/operator.ts";
import { sharedReading } from "../platform/metric.ts";
import { presentQueueCounts } from "../queue/queue.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";

/** Hints ask for the page each second, from every open console; days and trunks change less. */
const METRICS_GOOD_FOR_MS = 15_000;
const HOUR_MS = DAY_MS / 24;
const WEEK_MS = 7 * DAY_MS;

/** The metrics that take time to add up. */
interface OverviewMetrics {
  readonly today: DayFigures;
  readonly weekAgo: DayFigures;
  /** Of the last hour. */
  readonly trunks: readonly TrunkMetrics[];
}

/** What the reader knows beside the database. */
interface OverviewSources {
  readonly metrics: () => Promise<OverviewMetrics>;
  readonly troubles: () => Promise<readonly TroubleResponse[]>;
  readonly parts: () => Promise<readonly PartUse[]>;
  /** Null while they are unknown. */
  readonly trunks: () => readonly TrunkState[] | null;
}

/** How the service does at this moment, as far as the operator's role may see it. */
export async function readOverview(ctx: OperatorContext, sources: OverviewSources): Promise<OverviewResponse> {
  const may = (right: Parameters<typeof hasRight>[1]) => hasRight(ctx.actor.role, right);
  const [metrics, troubles, parts, queue, live, ledger, decks] = await Promise.all([
    sources.metrics(),
    sources.troubles(),
    sources.parts(),
    presentQueueCounts(ctx),
    sumLiveCalls(ctx),
    latestCheck(ctx.handle.db),
    readDeckStarts(ctx),
  ]);
  const maySeeCosts = may("read-costs");
  const day = (one: DayFigures): DayFigures => (maySeeCosts ? one : { ...one, margin: null });
  const states = sources.trunks();
  return {
    at: ctx.clock.now().toISOString(),
    warnings: [...troubles],
    parts: [...parts],
    queue,
    live: {
      ...{ ringing: live.ringing, answered: live.answered },
      ...{ charge: formatDollars(live.chargeMicros), held: formatDollars(live.heldMicros) },
      cost: maySeeCosts ? formatDollars(live.costMicros) : null,
    },
    today: day(metrics.today),
    week_ago: day(metrics.weekAgo),
    trunks: presentTrunks(states, metrics.trunks),
    ledger: may("reconcile")
      ? {
          checked_at: ledger?.at.toISOString() ?? null,
          good_at: ledger?.goodAt?.toISOString() ?? null,
          deviations: ledger?.deviations ?? 0,
        }
      : null,
    decks: maySeeCosts ? { active: presentStart(decks.active), next: presentStart(decks.next) } : null,
    first_steps: may("operators") ? await readFirstSteps(ctx, { decks, states }) : null,
  };
}

/** Adds up today, the same part of the same weekday a week ago, and the trunks' last hour. */
export async function readOverviewMetrics(ctx: Context): Promise<OverviewMetrics> {
  const now = ctx.clock.now();
  const weekAgo = new Date(now.getTime() - WEEK_MS);
  const [today, before, trunks] = await Promise.all([
    readDay(ctx, now),
    readDay(ctx, weekAgo),
    readTrunkMetrics(ctx.handle.db, { from: new Date(now.getTime() - HOUR_MS), to: now }),
  ]);
  return { today, weekAgo: before, trunks };
}

/** A day in UTC up to a time. */
async function readDay(ctx: Context, to: Date): Promise<DayFigures> {
  const day = to.toISOString().slice(0, 10);
  const span = { from: new Date(`${day}T00:00:00Z`), to };
  const [turnover, money, registered] = await Promise.all([
    sumTurnover(ctx, span),
    readMoneyMoved(ctx.handle.db, span),
    countRegistered(ctx.handle.db, span),
  ]);
  return {
    ...{ day, calls: turnover.calls, seconds: turnover.seconds, revenue: formatDollars(turnover.chargeMicros) },
    margin: formatDollars(turnover.chargeMicros - turnover.costMicros),
    ...{ top_ups: money.topUps, topped_up: formatDollars(money.toppedUpMicros) },
    ...{ refunds: money.refunds, refunded: formatDollars(money.refundedMicros) },
    new_customers: registered,
  };
}

/** Trunks that the exchange knows or that took calls in the last hour, by name. */
function presentTrunks(states: readonly TrunkState[] | null, metrics: readonly TrunkMetrics[]): OverviewTrunk[] {
  const names = new Set([...(states ?? []), ...metrics.map(({ trunk: name }) => ({ name }))].map(({ name }) => name));
  return [...names].toSorted().map((name) => {
    const state = states?.find((one) => one.name === name);
    const { seizures = 0, answered = 0 } = metrics.find(({ trunk }) => trunk === name) ?? {};
    return { name, state: state === undefined ? null : stateOf(state), seizures, answered };
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

/** `GET /api/operator/overview`. */
export function overviewRoutes(app: App, ctx: ServiceContext, sources: Omit<OverviewSources, "metrics">): void {
  const metrics = sharedReading(() => readOverviewMetrics(ctx), METRICS_GOOD_FOR_MS);
  serve(app, "GET /api/operator/overview", (request) =>
    readOverview(actingAs(ctx, operatorOf(request)), { ...sources, metrics }),
  );
}
