import { DAY_MS } from "@farline/domain/durations.ts";
import type { RefundWait } from "@farline/contract/billing.ts";
import type Stripe from "stripe";

/** Cards take refunds within minutes; one that waits longer at the provider lacks something, such as the provider's balance. */
export const SLOW_REFUND_MS = 2 * DAY_MS;
/** How long customers are told that their bank may take. */
export const LONGEST_REFUND_MS = 10 * DAY_MS;
const MAX_REASON_LENGTH = 100;

/** Whom each reason of the provider waits for, and what an operator does about it. */
export const PENDING_REASONS: Readonly<Record<string, { waitsFor: RefundWait; instruction: string }>> = {
  charge_pending: {
    waitsFor: "bank",
    instruction: "The payment itself has not settled. The provider sends the refund afterwards: nothing to do.",
  },
  insufficient_funds: {
    waitsFor: "service",
    instruction: "Our balance at the payment provider is too low. Add funds there: the provider then sends the refund.",
  },
  processing: {
    waitsFor: "bank",
    instruction: "The bank is processing it. If it takes over ten days, ask the provider's support.",
  },
  requires_action: {
    waitsFor: "customer",
    instruction: "The provider has mailed the customer, who must say where the money should go. Remind the customer.",
  },
};

/** What a refund waits for at the provider; null if it does not wait. An unknown reason is kept as written. */
export function pendingReasonOf({ status, pending_reason: reason }: Stripe.Refund): string | null {
  if (status === "requires_action") return status;
  return status === "pending" && reason ? reason.slice(0, MAX_REASON_LENGTH) : null;
}

/** Whom the customer reads that an unsettled refund waits for: of a reason that is not known, the bank. */
export function waitsFor(reason: string | null): RefundWait {
  return (reason === null ? undefined : PENDING_REASONS[reason])?.waitsFor ?? "bank";
}
