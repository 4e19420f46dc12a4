import type { AutoTopUpOrder } from "@farline/contract/auto-top-up.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { requireOpen } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import { lockPaymentsOf, type Payer } from "../record/payment.store.ts";
import { AMOUNT_BOUNDS, THRESHOLD_BOUNDS } from "../cards/auto-top-up-rules.ts";
import { switchOff, switchOn } from "../cards/auto-top-up.store.ts";
import { findCard } from "../cards/saved-card.store.ts";
import type { Context } from "../../context.ts";

/**
 * Switches automatic top-up on, with card, threshold and amount, or off.
 * @throws AppError validation_failed with the field; not_found for another customer's card; account_frozen
 */
export async function changeAutoTopUp(ctx: Context, payer: Payer, order: AutoTopUpOrder): Promise<void> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  const customerId = payer.id;
  if (!order.on) {
    await switchOff(db, { customerId, now });
    return;
  }
  requireOpen(payer);
  const thresholdMicros = checkAmount("threshold", order.threshold, THRESHOLD_BOUNDS);
  const amountMicros = checkAmount("amount", order.amount, AMOUNT_BOUNDS);
  // A smaller amount would trigger the next top-up immediately.
  if (amountMicros < thresholdMicros)
    throw new AppError("amount_invalid", {
      reason: "auto_top_up_too_low",
      params: { min: formatDollars(thresholdMicros) },
      field: "amount",
    });
  await ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, customerId);
    const card = await findCard(tx, customerId, order.card_id);
    if (card === undefined) throw new AppError("not_found", { reason: "card_unknown" });
    await switchOn(tx, { customerId, cardId: card.id, thresholdMicros, amountMicros, now });
  });
  ctx.log.info({ customer: customerId }, "automatic top-up switched on");
}

function checkAmount(
  field: "threshold" | "amount",
  micros: Micros,
  { minMicros, maxMicros }: { minMicros: Micros; maxMicros: Micros },
): Micros {
  if (micros >= minMicros && micros <= maxMicros) return micros;
  const params = { min: formatDollars(minMicros), max: formatDollars(maxMicros) };
  throw new AppError("amount_invalid", { reason: "amount_between", params, field });
}
