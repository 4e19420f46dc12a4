import type { AutoTopUpOrder } from "@farline/contract/auto-top-up.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";
import { customerOf, requireOpen, requireStepUp } from "../../accounts/accounts.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { refreshCardSetups } from "../cards/converge-card-setup.ts";
import { presentAutoTopUp } from "./present-auto-top-up.ts";
import { removeCard } from "../cards/remove-card.ts";
import { startCardSetup } from "../cards/save-card.ts";
import { orderTopUp, placeOrRetryLater, topUpOrRetryLater } from "./top-up-if-needed.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import { lockPaymentsOf, type Payer } from "../record/payment.store.ts";
import { AMOUNT_BOUNDS, THRESHOLD_BOUNDS } from "../cards/auto-top-up-rules.ts";
import { switchOff, switchOn } from "../cards/auto-top-up.store.ts";
import { findCard } from "../cards/saved-card.store.ts";

/**
 * Routes for saved cards and automatic top-ups.
 * @param doors while they are closed, changed credit charges no card
 */
export function autoTopUpRoutes(app: App, ctx: Context, doors: { readonly closed: boolean }): void {
  serve(app, "GET /api/billing/auto-top-up", async (request) => {
    const { id } = customerOf(request);
    await refreshCardSetups(ctx, id);
    return presentAutoTopUp(ctx, id);
  });

  serve(app, "PUT /api/billing/auto-top-up", async (request) => {
    const payer = customerOf(request);
    // Switching off needs no proof, because stopping charges must always be easy.
    if (request.body.on) requireStepUp(request, ctx);
    await changeAutoTopUp(ctx, payer, request.body);
    ctx.live.publish(payer.id, { type: "payment", id: payer.id });
    // The credit may already be below the threshold. The response shows the charge without waiting for the bank.
    const charge = request.body.on ? await orderTopUp(ctx, payer.id) : null;
    const answer = await presentAutoTopUp(ctx, payer.id);
    if (charge !== null) void placeOrRetryLater(ctx, charge);
    return answer;
  });

  serve(app, "POST /api/billing/cards", async (request) => {
    const payer = customerOf(request);
    return { checkout_url: await startCardSetup(ctx, payer) };
  });

  serve(app, "DELETE /api/billing/cards/:id", async (request) => {
    const { id } = customerOf(request);
    await removeCard(ctx, id, request.params.id);
    return presentAutoTopUp(ctx, id);
  });

  // A charge, a hold or a top-up changed the credit. The job catches missed hints, and those of a restore, when the books may lack a
  // payment.
  const stopListening = ctx.live.onPublished((customerId, hint) => {
    if (hint.type === "balance" && !doors.closed) void topUpOrRetryLater(ctx, customerId);
  });
  app.addHook("onClose", async () => stopListening());
}

/**
 * Switches automatic top-up on, with card, threshold and amount, or off.
 * @throws AppError validation_failed with the field; not_found for another customer's card; account_frozen
 */
async function changeAutoTopUp(ctx: Context, payer: Payer, order: AutoTopUpOrder): Promise<void> {
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
