import type { QualityRow, TrafficResponse, TurnoverRow } from "@farline/contract/operator/traffic.ts";
import { DAY_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { isTimeZone, momentOnClock } from "@farline/domain/wall-clock.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import { floorHour } from "../../platform/split-span.ts";
import { readAttemptsBy, readTrunkMetrics, readTurnoverBy, type TrunkMetrics, type Turnover } from "./call-metrics.store.ts";

const MAX_DAYS = 92;
/** Of longer spans, nobody reads the hours. */
const MAX_DAYS_BY_HOUR = 3;
const UTC = "UTC";

/**
 * Minutes, revenue, cost and margin of the calls that ended in a span of days, by hour, day, country and trunk, and what trunks did with
 * their attempts. `contract/src/operator/constants.ts` says what they mean.
 * @param query days on the clock of `zone`, UTC if left out; `to` is exclusive
 * @throws AppError validation_failed for an unknown zone, and for a span that is empty or longer than 92 days
 */
export async function readTrafficReport(
  { read, clock }: Pick<Context, "read" | "clock">,
  query: { from: string; to: string; zone?: string | undefined },
): Promise<TrafficResponse> {
  const timeZone = readZone(query.zone);
  const count = (Date.parse(query.to) - Date.parse(query.from)) / DAY_MS;
  if (!(count >= 1 && count <= MAX_DAYS))
    throw new AppError("validation_failed", { reason: "operator.figures_span", params: { max: MAX_DAYS }, field: "to" });
  const start = (date: string) => momentOnClock({ date, time: "00:00", timeZone });
  const span = { from: start(query.from), to: start(query.to) };
  // One after the other, on one database: its rows may be older than the primary's.
  const { byDay, byHour, byCountry, byTrunk, trunks, countries } = await read(async (db) => ({
    byDay: await readTurnoverBy(db, { dayIn: timeZone }, span),
    byHour: count <= MAX_DAYS_BY_HOUR ? await readTurnoverBy(db, "hour", span) : [],
    byCountry: await readTurnoverBy(db, "country", span),
    byTrunk: await readTurnoverBy(db, "trunk", span),
    trunks: await readTrunkMetrics(db, span),
    countries: await readAttemptsBy(db, "country", span),
  }));
  return {
    total: writeTurnover(byDay.reduce(add, NOTHING)),
    hours: byHour.map(writeTurnover),
    days: byDay.map(writeTurnover),
    countries: byCountry.map(writeTurnover).toSorted((one, other) => Number(other.revenue) - Number(one.revenue)),
    trunks: byTrunk.map(writeTurnover),
    quality: trunks.map(({ trunk, ...one }) => writeQuality({ ...one, key: trunk })),
    country_quality: countries.map((one) => writeQuality({ ...one, medianDelaySeconds: null, postDialDelaySeconds: null })),
    read_at: clock.now().toISOString(),
  };
}

/** @throws AppError validation_failed for an unknown time zone */
export function readZone(zone: string = UTC): string {
  if (!isTimeZone(zone)) throw new AppError("validation_failed", { field: "zone" });
  return zone;
}

/** All calls that ended in a span, however short. */
export async function sumTurnover({ handle }: Pick<Context, "handle">, span: { from: Date; to: Date }): Promise<Turnover> {
  return (await readTurnoverBy(handle.db, { dayIn: UTC }, span)).reduce(add, NOTHING);
}

/** Calls by the hour in which they ended, one entry for each hour of a span that ends now. @param hours how many, the last not over */
export async function readTurnoverHours(
  { read, clock }: Pick<Context, "read" | "clock">,
  hours: number,
): Promise<{ from: Date; hours: Turnover[]; at: Date }> {
  const at = clock.now();
  const from = new Date(floorHour(at.getTime()) - (hours - 1) * HOUR_MS);
  const rows = new Map((await read((db) => readTurnoverBy(db, "hour", { from, to: at }))).map((one) => [one.key, one]));
  const keys = Array.from({ length: hours }, (_, index) => new Date(from.getTime() + index * HOUR_MS).toISOString());
  return { from, hours: keys.map((key) => rows.get(key) ?? { ...NOTHING, key }), at };
}

const NOTHING: Turnover = {
  key: "",
  calls: 0,
  answered: 0,
  seconds: 0,
  chargeMicros: 0n,
  costMicros: 0n,
  estimatedMicros: 0n,
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

function writeQuality(one: Omit<TrunkMetrics, "trunk"> & { readonly key: string }): QualityRow {
  const { key, seizures, answered, effective, mos, meanDelaySeconds, medianDelaySeconds, postDialDelaySeconds } = one;
  return {
    key,
    seizures,
    answered,
    effective,
    mos,
    delay_mean_seconds: meanDelaySeconds,
    delay_median_seconds: medianDelaySeconds,
    delay_p95_seconds: postDialDelaySeconds,
  };
}
