import type { AutoTopUpOrder } from "@farline/contract/auto-top-up.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { requireOpen } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/http/app-error.ts";
import { lockPaymentsOf } from "../record/payment.store.ts";
import { AMOUNT_BOUNDS, THRESHOLD_BOUNDS } from "../cards/auto-top-up-rules.ts";
import { switchOff, switchOn } from "../cards/auto-top-up.store.ts";
import { findCard } from "../cards/saved-card.store.ts";
import type { Payer } from "../payer.ts";
import type { Context } from "../../context.ts";

/**
 * Switches the automatic top-up on (with card, threshold and amount) or off.
 * @throws AppError validation_failed with the field; not_found for another customer's card; account_frozen
 */
export async function changeAutoTopUp(ctx: Context, payer: Payer, wanted: AutoTopUpOrder): Promise<void> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  const customerId = payer.id;
  if (!wanted.on) {
    await switchOff(db, { customerId, now });
    return;
  }
  requireOpen(payer);
  const thresholdMicros = checkAmount("threshold", wanted.threshold, THRESHOLD_BOUNDS);
  const amountMicros = checkAmount("amount", wanted.amount, AMOUNT_BOUNDS);
  // Otherwise each top-up would trigger the next.
  if (amountMicros < thresholdMicros)
    throw new AppError("amount_invalid", {
      reason: "auto_top_up_too_low",
      params: { least: formatDollars(thresholdMicros) },
      field: "amount",
    });
  await ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, customerId);
    const card = await findCard(tx, customerId, wanted.card_id);
    if (card === undefined) throw new AppError("not_found", { reason: "card_unknown" });
    await switchOn(tx, { customerId, cardId: card.id, thresholdMicros, amountMicros, now });
  });
  ctx.log.info({ customer: customerId }, "automatic top-up switched on");
}

function checkAmount(
  field: "threshold" | "amount",
  micros: Micros,
  { leastMicros, mostMicros }: { leastMicros: Micros; mostMicros: Micros },
): Micros {
  if (micros >= leastMicros && micros <= mostMicros) return micros;
  const params = { least: formatDollars(leastMicros), most: formatDollars(mostMicros) };
  throw new AppError("amount_invalid", { reason: "amount_between", params, field });
}
