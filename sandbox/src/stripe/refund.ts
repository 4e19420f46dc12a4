import type Stripe from "stripe";
import { z } from "zod";
import { findObject, insertObject, updateObject } from "./object.store.ts";
import type { Tx } from "./schema.ts";
import { expand, integer, invalid, metadata, noSuch, readParams, StripeApiError } from "./stripe-error.ts";
import { recordEvent, seconds, type Cause } from "./stripe-event.ts";
import { newId } from "./stripe-id.ts";

const refundParams = z.strictObject({
  payment_intent: z.string().optional(),
  charge: z.string().optional(),
  amount: integer.refine((n) => n > 0, "must be greater than 0").optional(),
  reason: z.enum(["duplicate", "fraudulent", "requested_by_customer"]).optional(),
  metadata: metadata.optional(),
  expand,
});

/** Gives money back, all that is left of it unless an amount is given. @throws StripeApiError when there is not so much. */
export async function createRefund(tx: Tx, cause: Cause, input: unknown): Promise<Stripe.Refund> {
  const params = readParams(refundParams, input);
  const charge = await chargeToRefund(tx, params);
  const left = charge.amount - charge.amount_refunded;
  if (left === 0)
    throw new StripeApiError(400, `Charge ${charge.id} has already been refunded.`, { code: "charge_already_refunded" });
  const amount = params.amount ?? left;
  if (amount > left) throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, "amount");
  const refund: Stripe.Refund = {
    id: newId("re_3"),
    object: "refund",
    amount,
    balance_transaction: newId("txn_3"),
    charge: charge.id,
    created: seconds(cause),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    metadata: params.metadata ?? {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: params.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: "succeeded",
    transfer_reversal: null,
  };
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  await insertObject(tx, refund);
  await updateObject(tx, charge);
  await recordEvent(tx, cause, "refund.created", refund);
  await recordEvent(tx, cause, "charge.refunded", charge);
  return refund;
}

async function chargeToRefund(
  tx: Tx,
  params: { payment_intent?: string | undefined; charge?: string | undefined },
): Promise<Stripe.Charge> {
  let id = params.charge;
  if (id === undefined) {
    if (params.payment_intent === undefined)
      throw new StripeApiError(
        400,
        "One of the following params should be provided for this request: payment_intent or charge.",
        {
          code: "parameter_missing",
        },
      );
    const intent = await findObject<Stripe.PaymentIntent>(tx, "payment_intent", params.payment_intent);
    if (!intent) throw noSuch("payment_intent", params.payment_intent, "payment_intent");
    id = (intent.data.latest_charge as string | null) ?? "";
  }
  const charge = await findObject<Stripe.Charge>(tx, "charge", id, true);
  if (!charge) throw noSuch("charge", id, "charge");
  if (!charge.data.paid)
    throw new StripeApiError(400, "This charge has not been paid, so it cannot be refunded.", { param: "charge" });
  return charge.data;
}
