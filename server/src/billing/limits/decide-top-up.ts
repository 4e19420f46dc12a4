import { topUpLimitsUnder, type StandingFacts } from "@farline/domain/business/customer-terms.ts";
import { MIN_TOP_UP_MICROS, type TopUpLimits } from "@farline/domain/business/top-up-limits.ts";
import { DAY_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { tierOf, type RiskTier } from "@farline/domain/calls/risk-tier.ts";
import type { Params, Reason } from "@farline/texts/reason.ts";

const WEEK_MS = 7 * DAY_MS;

/** A payer's facts at the time of a top-up. */
export interface PayerHistory extends StandingFacts {
  /** Paid or pending in the last week, newest first. */
  readonly recentlyPaid: readonly { readonly at: Date; readonly amountMicros: Micros }[];
  /** Open checkouts. */
  readonly open: readonly { readonly id: string; readonly amountMicros: Micros }[];
  /** When checkouts were started in the last day, newest first. */
  readonly checkouts: readonly Date[];
  /** Declined charges of the last two days, oldest first. */
  readonly declines: readonly { readonly at: Date; readonly card: string | null }[];
}

type TopUpDecision =
  | { readonly allowed: true; readonly tier: RiskTier }
  /** Allowed once these abandoned checkouts are expired. */
  | { readonly allowed: false; readonly closeFirst: readonly string[] }
  | ({ readonly allowed: false; readonly closeFirst?: undefined; readonly retryAfterSeconds: number } & Refusal);

/** The error for the payer and the rule for the log. */
interface Refusal {
  readonly rule: "declines" | "checkouts" | "amount";
  readonly code: "payments_declined" | "rate_limited" | "top_up_limit_reached";
  readonly reason: Reason;
  readonly params?: Params;
}

/**
 * Decides whether a payer may start a top-up of this amount now.
 * @param scale multiplies every limit; 0 turns them off
 */
export function decideTopUp(
  history: PayerHistory,
  topUp: { amountMicros: Micros; now: Date; scale: number; limits: Readonly<Record<RiskTier, TopUpLimits>> },
): TopUpDecision {
  const { now, scale } = topUp;
  const tier = tierOf(history, now);
  if (scale === 0) return { allowed: true, tier };
  const limits = topUpLimitsUnder(history.terms, topUp.limits[tier]);
  const count = (limit: number) => Math.ceil(limit * scale);
  const blockedUntil = declineBlock(history.declines, count(limits.declinesPerHour), count(limits.declinedCardsPerDay));
  if (blockedUntil > now.getTime()) return refuse(DECLINED, blockedUntil - now.getTime());
  for (const [limit, windowMs] of [
    [count(limits.checkoutsPerHour), HOUR_MS],
    [count(limits.checkoutsPerDay), DAY_MS],
  ] as const) {
    const freesAt = (history.checkouts[limit - 1]?.getTime() ?? 0) + windowMs;
    if (freesAt > now.getTime()) return refuse(CHECKOUTS, freesAt - now.getTime());
  }
  return decideAmount(history, { ...topUp, limits }, tier);
}

function decideAmount(
  history: PayerHistory,
  { amountMicros, now, scale, limits }: { amountMicros: Micros; now: Date; scale: number; limits: TopUpLimits },
  tier: RiskTier,
): TopUpDecision {
  const openMicros = history.open.reduce((sum, one) => sum + one.amountMicros, 0n);
  for (const [limitMicros, windowMs, span] of [
    [scaled(limits.perDayMicros, scale), DAY_MS, "day"],
    [scaled(limits.perWeekMicros, scale), WEEK_MS, "week"],
  ] as const) {
    const since = now.getTime() - windowMs;
    const paid = history.recentlyPaid.filter(({ at }) => at.getTime() > since);
    const leftMicros = limitMicros - paid.reduce((sum, one) => sum + one.amountMicros, 0n);
    if (amountMicros > leftMicros) {
      const frees = (paid.at(-1)?.at.getTime() ?? now.getTime()) + windowMs - now.getTime();
      return refuse(overLimit(limitMicros, leftMicros, span), frees);
    }
    if (amountMicros + openMicros > leftMicros) return { allowed: false, closeFirst: history.open.map((one) => one.id) };
  }
  return { allowed: true, tier };
}

function overLimit(limitMicros: Micros, leftMicros: Micros, span: "day" | "week"): Refusal {
  const isUsable = leftMicros >= MIN_TOP_UP_MICROS;
  return {
    rule: "amount",
    code: "top_up_limit_reached",
    reason: isUsable ? `top_up_limit_${span}_left` : `top_up_limit_${span}`,
    params: { limit: formatDollars(limitMicros), ...(isUsable ? { left: formatDollars(leftMicros) } : {}) },
  };
}

function scaled(micros: Micros, scale: number): Micros {
  return (micros * BigInt(Math.ceil(scale * 1000))) / 1000n;
}

const DECLINED: Refusal = {
  rule: "declines",
  code: "payments_declined",
  reason: "payments_declined",
};
const CHECKOUTS: Refusal = {
  rule: "checkouts",
  code: "rate_limited",
  reason: "checkouts_too_often",
};

function refuse(refusal: Refusal, waitMs: number): TopUpDecision {
  return { allowed: false, ...refusal, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
}

/**
 * Until when cards are refused, in milliseconds since 1970; 0 if they are not. A burst of declines, or declines of many different
 * cards, indicates card testing.
 */
function declineBlock(declines: PayerHistory["declines"], perHour: number, cardsPerDay: number): number {
  let until = 0;
  declines.forEach(({ at }, index) => {
    const time = at.getTime();
    const within = (windowMs: number) => declines.slice(0, index + 1).filter((one) => one.at.getTime() > time - windowMs);
    const cards = new Set(within(DAY_MS).flatMap(({ card }) => (card === null ? [] : [card])));
    if (within(HOUR_MS).length >= perHour || cards.size >= cardsPerDay) until = time + DAY_MS;
  });
  return until;
}
