import { freezeForReview } from "../../accounts/accounts.ts";
import type { Tx } from "../../platform/database/database.ts";
import { MAX_CUSTOMERS_PER_CARD } from "@farline/domain/business/top-up-limits.ts";
import { stageOf } from "../record/dispute-stage.ts";
import { cardTrouble, othersWithCard, type Payment } from "../record/payment.store.ts";
import type { CheckoutState } from "./read-checkout-state.ts";
import type { Context } from "../../context.ts";

/**
 * Freezes the account, for review by an operator, if its card pays for too many accounts, which suggests one person behind them, or if
 * the card's payment for another account was disputed or reported as fraud. Ignores Stripe's test cards, which everybody uses.
 */
export async function freezeIfCardShared(tx: Tx, ctx: Context, payment: Payment, providerState: CheckoutState): Promise<void> {
  const { limitsScale } = ctx.config;
  const fingerprint = providerState.card?.fingerprint ?? null;
  if (!providerState.live || limitsScale === 0 || fingerprint === null) return;
  const card = { fingerprint, customerId: payment.customer_id };
  const others = await othersWithCard(tx, card);
  const { disputes, warned } = await cardTrouble(tx, card);
  const isDisputed = warned || disputes.some((status) => stageOf(status) !== "kept");
  if (others < Math.ceil(MAX_CUSTOMERS_PER_CARD * limitsScale) && !isDisputed) return;
  ctx.log.error({ payment_id: payment.id, others, disputed: isDisputed }, "card belongs to other accounts");
  await freezeForReview(tx, {
    because: "payment",
    customerId: payment.customer_id,
    reason: isDisputed
      ? `The card of payment ${payment.id} is disputed or reported as fraud for another account.`
      : `The card of payment ${payment.id} pays for other accounts too.`,
    at: ctx.clock.now(),
  });
}
