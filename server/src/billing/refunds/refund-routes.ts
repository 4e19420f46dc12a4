import { toDecimalString } from "@farline/domain/money.ts";
import { actingAs, type Context } from "../../context.ts";
import { operatorOf, orProposed } from "../../operator/operator.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { orderRefund, previewRefund } from "./order-refund.ts";

/** `/api/operator/payments`: refunds by operators. */
export function refundRoutes(app: App, ctx: Context): void {
  serve(app, "GET /api/operator/payments/:id/refund", async (request) => {
    const wanted = { paymentId: request.params.id, amountMicros: request.query.amount ?? null };
    const found = await previewRefund(actingAs(ctx, operatorOf(request)), wanted);
    const { id, customer_id: customerId, charge_micros: charge, card_brand: brand, card_last4: last4 } = found.payment;
    return {
      payment: {
        id,
        customer_id: customerId,
        amount: toDecimalString(charge),
        method: [brand, last4].filter((part) => part !== null).join(" "),
      },
      amount: toDecimalString(found.amountMicros),
      left: toDecimalString(found.leftMicros),
      unspent: toDecimalString(found.unspentMicros),
      kept: toDecimalString(found.keptMicros),
      debt: toDecimalString(found.spentMicros),
      alone: toDecimalString(found.aloneMicros),
    };
  });

  serve(app, "POST /api/operator/payments/:id/refund", async (request) => {
    const { amount = null, ...order } = request.body;
    const refund = { ...order, paymentId: request.params.id, amountMicros: amount };
    const { proposal, done } = await orProposed(orderRefund(actingAs(ctx, operatorOf(request)), refund));
    return { proposal, failure: done?.status === "failed" ? (done.failure ?? "") : null };
  });
}
