import type Stripe from "stripe";
import { findTestCard, type TestCard } from "../cards/test-cards.ts";
import type { Cause } from "../events/stripe-event.ts";
import { findObject } from "../store/object.store.ts";
import type { Tx } from "../store/schema.ts";
import { openDispute } from "./dispute.ts";
import { warnOfFraud } from "./early-fraud-warning.ts";

/** What the test card's holder and bank do after a payment, at once. To be called last, so that its events come last. */
export async function sufferAftermath(tx: Tx, cause: Cause, charge: Stripe.Charge, card: TestCard): Promise<void> {
  if (card.earlyFraudWarning) await warnOfFraud(tx, cause, charge, "made_with_stolen_card");
  if (card.dispute === "inquiry") await openDispute(tx, cause, charge, { reason: "general", inquiry: true });
  else if (card.dispute) await openDispute(tx, cause, charge, { reason: card.dispute, inquiry: false });
}

/** The test card a charge was made with. */
export async function cardOfCharge(tx: Tx, charge: Stripe.Charge): Promise<TestCard | null> {
  const method = await findObject<Stripe.PaymentMethod>(tx, "payment_method", charge.payment_method ?? "");
  return findTestCard((method?.hidden as { number?: string } | undefined)?.number ?? "");
}
