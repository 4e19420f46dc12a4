import { DAY_MS, MINUTE_MS } from "@farline/domain/durations.ts";
import type { PaymentStatus } from "@farline/contract/operator/constants.ts";

/** Checks after the start of a payment. The webhook normally arrives within seconds. */
const EARLY_CHECKS_MS = [2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];
/** By then the provider has closed its page, so this check is normally the last. */
const AFTER_EXPIRY_MS = 5 * MINUTE_MS;
const LATE_CHECK_EVERY_MS = 15 * MINUTE_MS;
/** Stripe redelivers events for as long. */
const GIVE_UP_AFTER_MS = 3 * DAY_MS;
/** Vouchers are payable for days, and bank debits take up to two weeks. Events normally report the outcome. */
const PENDING_CHECK_EVERY_MS = DAY_MS / 4;
const PENDING_GIVE_UP_AFTER_MS = 30 * DAY_MS;

/** When to check an undecided payment next; null to give up. */
export function nextCheckAt(payment: { created_at: Date; expires_at: Date; status?: PaymentStatus }, now: Date): Date | null {
  const created = payment.created_at.getTime();
  if (payment.status === "pending")
    return now.getTime() < created + PENDING_GIVE_UP_AFTER_MS ? new Date(now.getTime() + PENDING_CHECK_EVERY_MS) : null;
  const planned = [...EARLY_CHECKS_MS.map((ms) => created + ms), payment.expires_at.getTime() + AFTER_EXPIRY_MS];
  const next = planned.find((at) => at > now.getTime());
  if (next !== undefined) return new Date(next);
  if (now.getTime() >= created + GIVE_UP_AFTER_MS) return null;
  return new Date(now.getTime() + LATE_CHECK_EVERY_MS);
}

/** Whether the provider no longer accepts payment, allowing for clock skew. */
export function isPastExpiry(payment: { expires_at: Date }, now: Date): boolean {
  return now.getTime() >= payment.expires_at.getTime() + AFTER_EXPIRY_MS;
}
