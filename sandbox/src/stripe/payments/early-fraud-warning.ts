import type Stripe from "stripe";
import { recordEvent, seconds, type Cause } from "../events/stripe-event.ts";
import { insertObject, listObjects, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { newId } from "../store/stripe-id.ts";

type Warning = Stripe.Radar.EarlyFraudWarning;

/** The bank warns that a payment was probably fraudulent. */
export async function createFraudWarning(tx: Tx, cause: Cause, charge: Stripe.Charge, fraudType: string): Promise<Warning> {
  const warning: Warning = {
    id: newId("issfr_1"),
    object: "radar.early_fraud_warning",
    actionable: !charge.refunded && !charge.disputed,
    charge: charge.id,
    created: seconds(cause),
    fraud_type: fraudType,
    livemode: false,
    ...(typeof charge.payment_intent === "string" && { payment_intent: charge.payment_intent }),
  };
  await insertObject(tx, warning);
  await recordEvent(tx, cause, "radar.early_fraud_warning.created", { object: warning });
  return warning;
}

/** Warnings need no action once the charge is refunded or disputed. */
export async function resolveWarnings(tx: Tx, cause: Cause, charge: Stripe.Charge): Promise<void> {
  const found = await listObjects<Warning>(tx, {
    type: "radar.early_fraud_warning",
    limit: 100,
    equal: { charge: charge.id },
  });
  for (const warning of found.rows.filter(({ actionable }) => actionable)) {
    warning.actionable = false;
    await updateObject(tx, warning);
    await recordEvent(tx, cause, "radar.early_fraud_warning.updated", { object: warning, previous: { actionable: true } });
  }
}
