import { DAY_MS } from "@farline/domain/durations.ts";
import { BREAKERS, type CarrierCostLimits } from "@farline/domain/business/business-settings.ts";
import type { HourlyCost } from "./breaker.store.ts";
import type { Breaker } from "./risk.tables.ts";

/** A breaker to record. Amounts in `inputs` are micro-dollars. */
export type NewBreaker = Pick<Breaker, "kind" | "subject" | "until"> & { readonly inputs: Record<string, string> };

type Known = Pick<Breaker, "kind" | "subject" | "until" | "lifted_at">;

/** The time, and the limits with their scale. */
interface Moment {
  readonly now: Date;
  readonly scale: number;
  readonly limits: CarrierCostLimits;
}

/** Midnight UTC, because carriers bill by UTC days. */
export function startOfDay(now: Date): Date {
  return new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
}

/**
 * Decides whether today's carrier cost requires a warning or a stop until midnight.
 * @param today today's breakers, including lifted ones
 */
export function decideSpend(spentMicros: bigint, today: readonly Known[], { now, scale, limits }: Moment): NewBreaker[] {
  const until = new Date(startOfDay(now).getTime() + DAY_MS);
  const dayMicros = scaled(limits.spendPerDayMicros, scale);
  const made: NewBreaker[] = BREAKERS.warnAtPercent
    .filter((percent) => spentMicros * 100n >= dayMicros * percent)
    .filter((percent) => !today.some((one) => one.kind === "spend_note" && one.subject === String(percent)))
    .map((percent) => ({ kind: "spend_note", subject: String(percent), until, inputs: inputsOf(spentMicros, dayMicros) }));
  const stops = today.filter((one) => one.kind === "carrier_spend");
  const limitMicros = dayMicros * BigInt(stops.length + 1);
  if (spentMicros >= limitMicros && stops.every((one) => one.lifted_at !== null))
    made.push({ kind: "carrier_spend", subject: "", until, inputs: inputsOf(spentMicros, limitMicros) });
  return made;
}

/**
 * Finds prefixes whose cost jumped, and countries whose cost jumped without those prefixes. A breaker that an operator lifted
 * stays open until its pause would have ended.
 */
export function decidePauses(
  costs: readonly HourlyCost[],
  known: readonly Known[],
  { now, scale, limits }: Moment,
): NewBreaker[] {
  const isKnown = (kind: Breaker["kind"], subject: string) =>
    known.some((one) => one.kind === kind && one.subject === subject && one.until > now);
  const until = new Date(now.getTime() + BREAKERS.pauseMs);
  const prefixes = costs.filter((one) => isSudden(one, ignoredHourlyCost(limits, scale)));
  const rest = costs.filter((one) => !prefixes.includes(one) && !isKnown("prefix", one.prefix));
  const countries = [...Map.groupBy(rest, (one) => one.countryCode)]
    .map(([countryCode, own]) => ({
      countryCode,
      hourMicros: own.reduce((sum, one) => sum + one.hourMicros, 0n),
      meanMicros: own.reduce((sum, one) => sum + one.meanMicros, 0n),
    }))
    .filter((one) => isSudden(one, ignoredHourlyCost(limits, scale)));
  return [
    ...prefixes.map((one) => ({ kind: "prefix" as const, subject: one.prefix, until, inputs: costInputs(one) })),
    ...countries.map((one) => ({ kind: "country" as const, subject: one.countryCode, until, inputs: costInputs(one) })),
  ].filter((one) => !isKnown(one.kind, one.subject));
}

/** The hourly cost of a prefix or country below which no increase is suspicious, in micro-dollars. */
export function ignoredHourlyCost(limits: CarrierCostLimits, scale: number): bigint {
  return scaled(limits.hourMicros, scale);
}

function isSudden(cost: Pick<HourlyCost, "hourMicros" | "meanMicros">, ignoredMicros: bigint): boolean {
  return cost.hourMicros > ignoredMicros && cost.hourMicros > cost.meanMicros * BREAKERS.maxTimesMean;
}

function scaled(micros: bigint, scale: number): bigint {
  return (micros * BigInt(Math.ceil(scale * 1000))) / 1000n;
}

function inputsOf(spentMicros: bigint, limitMicros: bigint): Record<string, string> {
  return { spent_micros: String(spentMicros), limit_micros: String(limitMicros) };
}

function costInputs({ hourMicros, meanMicros }: Pick<HourlyCost, "hourMicros" | "meanMicros">): Record<string, string> {
  return { hour_micros: String(hourMicros), mean_micros: String(meanMicros) };
}
