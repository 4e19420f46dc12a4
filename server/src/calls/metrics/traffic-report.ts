import type { TrafficResponse, TurnoverRow } from "@farline/contract/operator/traffic.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import { readTrunkMetrics, readTurnoverBy, type Turnover } from "./call-metrics.store.ts";

const MAX_DAYS = 92;

/**
 * Minutes, revenue, cost and margin of the calls that ended in a span of days (UTC), by day, country and trunk, and what each trunk did
 * with its attempts. `contract/src/operator/constants.ts` says what they mean.
 * @throws AppError validation_failed for a span that is empty or longer than 92 days
 */
export async function readTrafficReport(
  { read, clock }: Pick<Context, "read" | "clock">,
  days: { from: string; to: string },
): Promise<TrafficResponse> {
  const span = { from: new Date(`${days.from}T00:00:00Z`), to: new Date(`${days.to}T00:00:00Z`) };
  const count = (span.to.getTime() - span.from.getTime()) / DAY_MS;
  if (!(count >= 1 && count <= MAX_DAYS))
    throw new AppError("validation_failed", { reason: "operator.figures_span", params: { max: MAX_DAYS }, field: "to" });
  // One after the other, on one database: its rows may be older than the primary's.
  const { byDay, byCountry, byTrunk, trunks } = await read(async (db) => ({
    byDay: await readTurnoverBy(db, "day", span),
    byCountry: await readTurnoverBy(db, "country", span),
    byTrunk: await readTurnoverBy(db, "trunk", span),
    trunks: await readTrunkMetrics(db, span),
  }));
  return {
    total: writeTurnover(byDay.reduce(add, NOTHING)),
    days: byDay.map(writeTurnover),
    countries: byCountry.map(writeTurnover).toSorted((one, other) => Number(other.revenue) - Number(one.revenue)),
    trunks: byTrunk.map(writeTurnover),
    quality: trunks.map(({ trunk, seizures, answered, effective, medianDelaySeconds, postDialDelaySeconds, mos }) => ({
      ...{ trunk, seizures, answered, effective, mos },
      ...{ delay_median_seconds: medianDelaySeconds, delay_p95_seconds: postDialDelaySeconds },
    })),
    read_at: clock.now().toISOString(),
  };
}

/** All calls that ended in a span, however short. */
export async function sumTurnover({ handle }: Pick<Context, "handle">, span: { from: Date; to: Date }): Promise<Turnover> {
  return (await readTurnoverBy(handle.db, "day", span)).reduce(add, NOTHING);
}

const NOTHING: Turnover = {
  ...{ key: "", calls: 0, answered: 0, seconds: 0 },
  ...{ chargeMicros: 0n, costMicros: 0n, estimatedMicros: 0n },
};

function add(one: Turnover, other: Turnover): Turnover {
  return {
    key: "",
    calls: one.calls + other.calls,
    answered: one.answered + other.answered,
    seconds: one.seconds + other.seconds,
    chargeMicros: one.chargeMicros + other.chargeMicros,
    costMicros: one.costMicros + other.costMicros,
    estimatedMicros: one.estimatedMicros + other.estimatedMicros,
  };
}

function writeTurnover({ chargeMicros, costMicros, estimatedMicros, ...counts }: Turnover): TurnoverRow {
  return {
    ...counts,
    revenue: toDecimalString(chargeMicros),
    cost: toDecimalString(costMicros),
    estimated: toDecimalString(estimatedMicros),
    margin: toDecimalString(chargeMicros - costMicros),
  };
}
