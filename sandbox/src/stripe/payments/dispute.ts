import { DAY_SECONDS } from "@farline/domain/durations.ts";
import type Stripe from "stripe";
import { z } from "zod";
import { expand, flag, mergeMetadata, metadataChange, noSuch, readParams, StripeApiError } from "../api/stripe-error.ts";
import { type Cause, recordEvent, seconds } from "../events/stripe-event.ts";
import { findObject, insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { newId } from "../store/stripe-id.ts";
import { addBalanceTransaction } from "./balance-transaction.ts";
import { createFraudWarning, resolveWarnings } from "./early-fraud-warning.ts";
import { findTestCard, type TestCard } from "../cards/test-cards.ts";

type Dispute = Stripe.Dispute;

const FEE_CENTS = 1500;

const RESPONSE_TIME_SECONDS = 7 * DAY_SECONDS;

const OPEN: ReadonlySet<string> = new Set(["needs_response", "under_review", "warning_needs_response", "warning_under_review"]);

const ANSWERABLE: ReadonlySet<string> = new Set(["needs_response", "warning_needs_response"]);

/** Evidence texts that decide a dispute at once (docs.stripe.com/testing, "Disputes"). */
const DECIDING_EVIDENCE: Readonly<Record<string, "won" | "lost">> = { winning_evidence: "won", losing_evidence: "lost" };

export const disputeReasons = [
  "fraudulent",
  "product_not_received",
  "product_unacceptable",
  "duplicate",
  "credit_not_processed",
  "unrecognized",
  "general",
] as const;

const updateParams = z.strictObject({
  evidence: z.record(z.string().max(60), z.string().max(20_000)).optional(),
  submit: flag.default(true),
  metadata: metadataChange.optional(),
  intended_submission_method: z.string().optional(),
  expand,
});

/** The cardholder disputes the payment: the bank withdraws the money at once, except for an inquiry. */
export async function openDispute(
  tx: Tx,
  cause: Cause,
  charge: Stripe.Charge,
  facts: { reason: (typeof disputeReasons)[number]; inquiry: boolean },
): Promise<Dispute> {
  if (!charge.paid) throw new StripeApiError(400, "Only a paid charge can be disputed.");
  if (charge.disputed) throw new StripeApiError(400, "This charge is already disputed.");
  if (charge.amount === charge.amount_refunded) throw new StripeApiError(400, "This charge has already been refunded.");
  const dispute = buildDispute(charge, facts, seconds(cause));
  charge.disputed = true;
  await updateObject(tx, charge);
  await insertObject(tx, dispute);
  await recordEvent(tx, cause, "charge.dispute.created", { object: dispute });
  if (!facts.inquiry) {
    await moveDisputed(tx, cause, dispute, -1);
    await recordEvent(tx, cause, "charge.dispute.funds_withdrawn", { object: dispute });
  }
  await resolveWarnings(tx, cause, charge);
  return dispute;
}

/** Adds evidence and, by default, submits it. @throws StripeApiError if it is too late */
export async function updateDispute(tx: Tx, cause: Cause, id: string, input: unknown): Promise<Dispute> {
  const params = readParams(updateParams, input);
  const dispute = await loadDispute(tx, id);
  dispute.metadata = mergeMetadata(dispute.metadata, params.metadata);
  if (params.evidence) {
    if (!ANSWERABLE.has(dispute.status)) throw new StripeApiError(400, "This dispute no longer accepts evidence.");
    dispute.evidence = { ...dispute.evidence, ...knownEvidence(params.evidence) };
    dispute.evidence_details.has_evidence = true;
    if (params.submit) {
      dispute.status = dispute.status === "needs_response" ? "under_review" : "warning_under_review";
      dispute.evidence_details.submission_count += 1;
      dispute.evidence_details.submission_method = "manual";
    }
  }
  await updateObject(tx, dispute);
  await recordEvent(tx, cause, "charge.dispute.updated", { object: dispute });
  const decided = params.submit ? DECIDING_EVIDENCE[params.evidence?.["uncategorized_text"] ?? ""] : undefined;
  return decided ? decideDispute(tx, cause, id, decided) : dispute;
}

/** The shop accepts the dispute. @throws StripeApiError if it has been decided */
export async function closeDispute(tx: Tx, cause: Cause, id: string): Promise<Dispute> {
  return decideDispute(tx, cause, id, "lost");
}

/** Closes a dispute; if the shop wins, its money is returned. An inquiry has no winner. @throws StripeApiError if it has been decided */
export async function decideDispute(tx: Tx, cause: Cause, id: string, outcome: "won" | "lost"): Promise<Dispute> {
  const dispute = await loadDispute(tx, id);
  if (!OPEN.has(dispute.status)) throw new StripeApiError(400, "This dispute is already closed.");
  const inquiry = dispute.status.startsWith("warning_");
  dispute.status = inquiry ? "warning_closed" : outcome;
  dispute.is_charge_refundable = dispute.status === "warning_closed";
  await updateObject(tx, dispute);
  if (dispute.status === "won") {
    await moveDisputed(tx, cause, dispute, 1);
    await recordEvent(tx, cause, "charge.dispute.funds_reinstated", { object: dispute });
  }
  await recordEvent(tx, cause, "charge.dispute.closed", { object: dispute });
  return dispute;
}

async function loadDispute(tx: Tx, id: string): Promise<Dispute> {
  const found = await findObject<Dispute>(tx, "dispute", id, true);
  if (!found) throw noSuch("dispute", id);
  return found.data;
}

function knownEvidence(given: Readonly<Record<string, string>>): Partial<Stripe.Dispute.Evidence> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(noEvidence, name));
  if (unknown !== undefined)
    throw new StripeApiError(400, `Received unknown parameter: evidence[${unknown}]`, {
      code: "parameter_unknown",
      param: `evidence[${unknown}]`,
    });
  return given;
}

/** Withdraws the money (-1) or returns it (1); Stripe keeps its fee either way. */
async function moveDisputed(tx: Tx, cause: Cause, dispute: Dispute, direction: 1 | -1): Promise<void> {
  const movement = await addBalanceTransaction(tx, cause, {
    type: "adjustment",
    amount: direction * dispute.amount,
    fee: direction === -1 ? FEE_CENTS : 0,
    currency: dispute.currency,
    source: dispute.id,
    description: `Chargeback ${direction === -1 ? "withdrawal" : "reversal"} for ${dispute.charge as string}`,
  });
  dispute.balance_transactions.push(movement);
  await updateObject(tx, dispute);
}

function buildDispute(charge: Stripe.Charge, facts: { reason: string; inquiry: boolean }, created: number): Dispute {
  return {
    id: newId("du_1"),
    object: "dispute",
    amount: charge.amount - charge.amount_refunded,
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: { ...noEvidence },
    evidence_details: {
      due_by: created + RESPONSE_TIME_SECONDS,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "not_submitted",
    },
    intended_submission_method: null,
    is_charge_refundable: facts.inquiry,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: {
        brand: charge.payment_method_details?.card?.brand ?? "visa",
        case_type: facts.inquiry ? "inquiry" : "chargeback",
        network: charge.payment_method_details?.card?.network ?? "visa",
        network_reason_code: facts.reason === "fraudulent" ? "10.4" : null,
      },
      type: "card",
    },
    reason: facts.reason,
    status: facts.inquiry ? "warning_needs_response" : "needs_response",
  };
}

/** A new dispute's evidence: all fields, empty. */
const noEvidence: Readonly<Stripe.Dispute.Evidence> = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

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
