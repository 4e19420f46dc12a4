import type Stripe from "stripe";
import { findTestCard, type TestCard } from "../cards/test-cards.ts";
import type { Cause } from "../events/stripe-event.ts";
import { findObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { openDispute } from "./dispute.ts";
import { createFraudWarning } from "./early-fraud-warning.ts";

/** Opens the dispute or sends the fraud warning that the test card stands for. Call it last, so that its events come last. */
export async function applyCardOutcome(tx: Tx, cause: Cause, charge: Stripe.Charge, card: TestCard): Promise<void> {
  if (card.earlyFraudWarning) await createFraudWarning(tx, cause, charge, "made_with_stolen_card");
  if (card.dispute === "inquiry") await openDispute(tx, cause, charge, { reason: "general", inquiry: true });
  else if (card.dispute) await openDispute(tx, cause, charge, { reason: card.dispute, inquiry: false });
}

/** The test card that paid a charge. */
export async function cardOfCharge(tx: Tx, charge: Stripe.Charge): Promise<TestCard | null> {
  const method = await findObject<Stripe.PaymentMethod>(tx, "payment_method", charge.payment_method ?? "");
  return findTestCard((method?.hidden as { number?: string } | undefined)?.number ?? "");
}
