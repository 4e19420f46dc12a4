import { customerOf, requireStepUp } from "../../accounts/accounts.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { changeAutoTopUp } from "./change-auto-top-up.ts";
import { refreshCardSetups } from "../cards/converge-card-setup.ts";
import { presentAutoTopUp } from "./present-auto-top-up.ts";
import { removeCard } from "../cards/remove-card.ts";
import { startCardSetup } from "../cards/save-card.ts";
import { orderTopUp, placeOrRetryLater, topUpOrRetryLater } from "./top-up-if-needed.ts";
import type { Context } from "../../context.ts";

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
