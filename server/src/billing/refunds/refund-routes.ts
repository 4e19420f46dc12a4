import { toDecimalString } from "@farline/domain/money.ts";
import { actingAs, type Context } from "../../context.ts";
import { operatorOf } from "../../operator/operator.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { previewRefund } from "./order-refund.ts";

/** `/api/operator/payments`: what a refund by an operator would do. */
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
}
