import type { BusinessSettings } from "@farline/domain/business/business-settings.ts";
import { DAY_MS, MINUTE_MS, HOUR_MS } from "@farline/domain/durations.ts";
import type { AutoTopUpStop, AutoTopUpWait } from "@farline/contract/auto-top-up.ts";
import type { Micros } from "@farline/domain/money.ts";
import { decideTopUp, type PayerHistory } from "../limits/decide-top-up.ts";
import { AUTO_TOP_UP_RULES } from "../cards/auto-top-up-rules.ts";

/** The inputs of the decision. */
export interface AutoTopUpFacts {
  readonly settings: {
    readonly isOn: boolean;
    readonly stopped: AutoTopUpStop | null;
    readonly thresholdMicros: Micros;
    readonly amountMicros: Micros;
  };
  /** Whether the card was authenticated when it was saved, which counts as a confirmed payment. */
  readonly cardConfirmed: boolean;
  readonly frozen: boolean;
  readonly passwordResetAt: Date | null;
  readonly debtMicros: Micros;
  /** The balance minus what running calls have used so far. Held credit still counts. */
  readonly creditMicros: Micros;
  /** Whether credit was withdrawn and none used or bought since. */
  readonly isWithdrawn: boolean;
  readonly isCharging: boolean;
  /** Automatic charges of the last day: paid, open or failed; newest first. */
  readonly charges: readonly { readonly at: Date; readonly amountMicros: Micros; readonly paid: boolean }[];
  readonly history: PayerHistory;
}

type AutoTopUpDecision =
  | { readonly kind: "off" | "charging" | "enough" | "charge" }
  | { readonly kind: "stopped"; readonly reason: AutoTopUpStop }
  | { readonly kind: "waiting"; readonly reason: AutoTopUpWait; readonly until: Date | null };

/**
 * Decides whether to charge the card off-session now. Lasting reasons against it take precedence over temporary ones.
 * @param scale multiplies every limit; 0 turns them off
 */
export function decideAutoTopUp(facts: AutoTopUpFacts, moment: Moment): AutoTopUpDecision {
  const { scale } = moment;
  const { settings } = facts;
  if (!settings.isOn) return { kind: "off" };
  if (settings.stopped !== null) return { kind: "stopped", reason: settings.stopped };
  if (facts.isCharging) return { kind: "charging" };
  if (facts.frozen) return wait("frozen", null);
  const notYet = scale === 0 ? null : refuseUntrusted(facts, moment);
  if (notYet !== null) return notYet;
  if (facts.debtMicros > 0n) return wait("debt", null);
  if (facts.creditMicros >= settings.thresholdMicros) return { kind: "enough" };
  // Otherwise the card would pay at once for what just went back to it.
  if (facts.isWithdrawn) return wait("withdrawn", null);
  return (scale === 0 ? null : refuseAboveDailyLimits(facts, moment)) ?? applyTopUpLimits(facts, moment);
}

type Moment = { readonly now: Date; readonly scale: number; readonly limits: BusinessSettings["topUpLimits"] };

/** When an account is old enough for automatic top-ups. @param scale not 0 */
export function accountOldEnoughAt(createdAt: Date, scale: number): Date {
  return new Date(createdAt.getTime() + (AUTO_TOP_UP_RULES.accountDays * DAY_MS) / scale);
}

/** Rules about the account, independent of its credit. */
function refuseUntrusted(facts: AutoTopUpFacts, { now, scale }: Moment): AutoTopUpDecision | null {
  const { confirmedPayments, hoursAfterPasswordReset } = AUTO_TOP_UP_RULES;
  const oldEnoughAt = accountOldEnoughAt(facts.history.createdAt, scale);
  if (oldEnoughAt > now) return wait("account_new", oldEnoughAt);
  if (!facts.cardConfirmed && facts.history.authenticatedPayments < confirmedPayments) return wait("no_confirmed_payment", null);
  if (facts.passwordResetAt === null) return null;
  const calmAt = new Date(facts.passwordResetAt.getTime() + (hoursAfterPasswordReset * HOUR_MS) / scale);
  return calmAt > now ? wait("password_reset", calmAt) : null;
}

/** Limits on the frequency and amount of automatic charges. */
function refuseAboveDailyLimits({ charges, settings }: AutoTopUpFacts, { now, scale }: Moment): AutoTopUpDecision | null {
  const { coolDownMinutes, chargesPerDay, perDayMicros } = AUTO_TOP_UP_RULES;
  const [newest] = charges;
  const coolAt = new Date((newest?.at.getTime() ?? 0) + (coolDownMinutes * MINUTE_MS) / scale);
  if (coolAt > now) return wait("cool_down", coolAt);
  const today = charges.filter(({ at }) => at.getTime() > now.getTime() - DAY_MS);
  const paidMicros = today.reduce((sum, one) => sum + (one.paid ? one.amountMicros : 0n), 0n);
  const maxMicros = (perDayMicros * BigInt(Math.ceil(scale * 1000))) / 1000n;
  const tooMany = today.length >= Math.ceil(chargesPerDay * scale);
  if (!tooMany && paidMicros + settings.amountMicros <= maxMicros) return null;
  return wait("day_limit", new Date((today.at(-1)?.at.getTime() ?? now.getTime()) + DAY_MS));
}

/** The limits that apply to every top-up. */
function applyTopUpLimits({ history, settings }: AutoTopUpFacts, moment: Moment): AutoTopUpDecision {
  const { now } = moment;
  const decision = decideTopUp(history, { ...moment, amountMicros: settings.amountMicros });
  if (decision.allowed) return { kind: "charge" };
  // The customer's open checkouts may still be paid, so they take precedence.
  if (decision.closeFirst !== undefined) return wait("top_up_limit", null);
  return wait("top_up_limit", new Date(now.getTime() + decision.retryAfterSeconds * 1000));
}

function wait(reason: AutoTopUpWait, until: Date | null): AutoTopUpDecision {
  return { kind: "waiting", reason, until };
}
