import type Stripe from "stripe";
import { z } from "zod";
import {
  expand,
  integer,
  invalid,
  mergeMetadata,
  metadata,
  metadataChange,
  noSuch,
  readParams,
  StripeApiError,
} from "../api/stripe-error.ts";
import { type Cause, recordEvent, seconds } from "../events/stripe-event.ts";
import { dueRefunds, findObject, insertObject, listObjects, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { newId } from "../store/stripe-id.ts";
import { NOT_REFUNDABLE } from "../checkout/other-methods.ts";
import { cardOfCharge } from "./dispute.ts";
import { resolveWarnings } from "./early-fraud-warning.ts";
import { addBalanceTransaction } from "./balance-transaction.ts";

/** The delay of a delayed outcome. */
const LATE_REFUND_SECONDS = 5;

const refundParams = z.strictObject({
  payment_intent: z.string().optional(),
  charge: z.string().optional(),
  amount: integer.refine((n) => n > 0, "must be greater than 0").optional(),
  reason: z.enum(["duplicate", "fraudulent", "requested_by_customer"]).optional(),
  metadata: metadata.optional(),
  expand,
});
const updateParams = z.strictObject({ metadata: metadataChange.optional(), expand });

/** A refund's delayed outcome, which the API does not show. */
interface RefundHidden {
  dueAt?: number;
  outcome?: "succeeded" | "failed";
}

/** Refunds a charge; the whole remainder by default. @throws StripeApiError if the amount exceeds it */
export async function createRefund(tx: Tx, cause: Cause, input: unknown): Promise<Stripe.Refund> {
  const params = readParams(refundParams, input);
  const charge = await chargeToRefund(tx, params);
  await refuseDisputed(tx, charge);
  const way = charge.payment_method_details?.type ?? "card";
  if (NOT_REFUNDABLE.includes(way)) throw new StripeApiError(400, `Payments with ${way} cannot be refunded.`);
  const left = charge.amount - charge.amount_refunded;
  if (left === 0)
    throw new StripeApiError(400, `Charge ${charge.id} has already been refunded.`, { code: "charge_already_refunded" });
  const amount = params.amount ?? left;
  if (amount > left) throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, "amount");
  const late = (await cardOfCharge(tx, charge))?.lateRefund ?? null;
  const refund = buildRefund(charge, { amount, reason: params.reason ?? null, metadata: params.metadata ?? {} }, seconds(cause));
  if (late === "succeeded") Object.assign(refund, { status: "pending", pending_reason: "processing" });
  const movement = { type: "refund", amount: -amount, fee: 0, currency: charge.currency, source: refund.id } as const;
  refund.balance_transaction = (await addBalanceTransaction(tx, cause, { ...movement, description: "REFUND" })).id;
  const hidden: RefundHidden = late === null ? {} : { dueAt: seconds(cause) + LATE_REFUND_SECONDS, outcome: late };
  await insertObject(tx, refund, { ...hidden });
  const previous = await countRefunded(tx, charge, amount);
  await recordEvent(tx, cause, "refund.created", { object: refund });
  await recordEvent(tx, cause, "charge.refunded", { object: charge, previous });
  if (charge.refunded) await resolveWarnings(tx, cause, charge);
  return refund;
}

/** Applies the delayed outcomes that are due. */
export async function finishDueRefunds(tx: Tx, cause: Cause): Promise<void> {
  for (const id of await dueRefunds(tx, seconds(cause))) await finishRefund(tx, cause, id);
}

/**
 * Applies a refund's outcome: the given one or, by default, its card's. After a failure the shop has its money again.
 * @throws StripeApiError if the refund already has an outcome
 */
export async function finishRefund(tx: Tx, cause: Cause, id: string, given?: "succeeded" | "failed"): Promise<Stripe.Refund> {
  const known = await findObject<Stripe.Refund>(tx, "refund", id);
  const chargeId = known?.data.charge;
  if (!known || typeof chargeId !== "string") throw noSuch("refund", id);
  const charge = await findObject<Stripe.Charge>(tx, "charge", chargeId, true); // locked before its refunds, to avoid deadlocks
  const found = await findObject<Stripe.Refund>(tx, "refund", id, true);
  if (!charge || !found) throw noSuch("refund", id);
  const refund = found.data;
  const outcome = given ?? (found.hidden as RefundHidden).outcome ?? "succeeded";
  const previous = { status: refund.status };
  if (refund.status === "failed" || (refund.status === "succeeded" && outcome === "succeeded"))
    throw new StripeApiError(400, `This refund has already ${refund.status}.`);
  refund.status = outcome;
  delete refund.pending_reason;
  if (outcome === "failed") {
    const movement = { type: "refund_failure", amount: refund.amount, fee: 0, currency: refund.currency, source: id } as const;
    refund.failure_balance_transaction = (
      await addBalanceTransaction(tx, cause, { ...movement, description: "REFUND FAILURE" })
    ).id;
    refund.failure_reason = "lost_or_stolen_card";
    await countRefunded(tx, charge.data, -refund.amount);
  }
  await updateObject(tx, refund, {});
  await recordEvent(tx, cause, "refund.updated", { object: refund, previous });
  await recordEvent(tx, cause, "charge.refund.updated", { object: refund, previous });
  if (outcome === "failed") await recordEvent(tx, cause, "refund.failed", { object: refund });
  return refund;
}

export async function updateRefund(tx: Tx, cause: Cause, id: string, input: unknown): Promise<Stripe.Refund> {
  const params = readParams(updateParams, input);
  const found = await findObject<Stripe.Refund>(tx, "refund", id, true);
  if (!found) throw noSuch("refund", id);
  const refund = found.data;
  refund.metadata = mergeMetadata(refund.metadata ?? {}, params.metadata);
  await updateObject(tx, refund);
  await recordEvent(tx, cause, "refund.updated", { object: refund });
  await recordEvent(tx, cause, "charge.refund.updated", { object: refund });
  return refund;
}

/** Adds to the refunded amount. @returns the previous values of the changed fields */
async function countRefunded(tx: Tx, charge: Stripe.Charge, amount: number): Promise<Record<string, unknown>> {
  const { amount_refunded, refunded } = charge;
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  await updateObject(tx, charge);
  return { amount_refunded, ...(refunded !== charge.refunded && { refunded }) };
}

/** A disputed charge cannot be refunded while the bank holds the money. @throws StripeApiError */
async function refuseDisputed(tx: Tx, charge: Stripe.Charge): Promise<void> {
  if (!charge.disputed) return;
  const { rows } = await listObjects<Stripe.Dispute>(tx, { type: "dispute", limit: 1, equal: { charge: charge.id } });
  if (rows[0]?.is_charge_refundable === false && rows[0].status !== "won")
    throw new StripeApiError(400, `Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: "charge_disputed",
    });
}

function buildRefund(
  charge: Stripe.Charge,
  given: { amount: number; reason: Stripe.Refund.Reason | null; metadata: Record<string, string> },
  created: number,
): Stripe.Refund {
  return {
    id: newId("re_3"),
    object: "refund",
    amount: given.amount,
    balance_transaction: null,
    charge: charge.id,
    created,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      card: { reference_status: "pending", reference_type: "acquirer_reference_number", type: "refund" },
      type: "card",
    },
    metadata: given.metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: given.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: "succeeded",
    transfer_reversal: null,
  };
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
        { code: "parameter_missing" },
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
