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
import { expiryProblem, type CardEntry } from "../cards/card-form.ts";
import { authoriseCard } from "../cards/authorise-card.ts";
import { findCardAlias, findTestCard, type TestCard } from "../cards/test-cards.ts";
import { recordEvent, seconds, type Cause } from "../events/stripe-event.ts";
import { findObject, insertObject, updateObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { buildPaymentMethod } from "./build-payment-method.ts";
import { CardDeclined } from "./card-declined.ts";
import { loadCustomer } from "./customer.ts";

/** A payment method with data that the API does not show. */
export interface StoredMethod {
  data: Stripe.PaymentMethod;
  card: TestCard;
  /** Saved for off-session payments, with the cardholder's confirmation. */
  saved: boolean;
  /** Used without a customer, or detached: cannot be used again. */
  spent: boolean;
}

const address = z.record(z.string().max(20), z.string().max(200));
const billingDetails = z.strictObject({ name: z.string(), email: z.string(), phone: z.string(), address }).partial();
const createParams = z.strictObject({
  type: z.enum(["card"], "this sandbox knows only `card`"),
  card: z.union([
    z.strictObject({ token: z.string() }),
    z.strictObject({
      number: z.string().max(32),
      exp_month: integer,
      exp_year: integer,
      cvc: z
        .string()
        .regex(/^\d{3,4}$/, "must be 3 digits")
        .optional(),
    }),
  ]),
  billing_details: billingDetails.optional(),
  metadata: metadata.optional(),
  expand,
});
const updateParams = z.strictObject({
  card: z.strictObject({ exp_month: integer, exp_year: integer }).partial().optional(),
  metadata: metadataChange.optional(),
  expand,
});
const attachParams = z.strictObject({ customer: z.string(), expand });
const ALIAS_EXPIRY = { expMonth: 12, expYear: 2034 };

/** Stores a card for one payment, or to be attached. @throws CardDeclined if the number is not a test card's */
export async function createPaymentMethod(tx: Tx, cause: Cause, input: unknown): Promise<Stripe.PaymentMethod> {
  const params = readParams(createParams, input);
  const details = params.billing_details;
  const entry: CardEntry = {
    ...cardOf(params.card, cause),
    name: details?.name ?? null,
    email: details?.email ?? null,
    postalCode: details?.address?.["postal_code"] ?? null,
  };
  const method = await insertPaymentMethod(tx, cause, entry);
  if (params.metadata) {
    method.data.metadata = params.metadata;
    await savePaymentMethod(tx, method);
  }
  return method.data;
}

function cardOf(card: z.output<typeof createParams>["card"], cause: Cause) {
  if ("token" in card) {
    const known = findCardAlias(card.token);
    if (!known) throw noSuch("token", card.token, "card[token]");
    return { card: known, ...ALIAS_EXPIRY };
  }
  const known = findTestCard(card.number.replace(/[\s-]/g, ""));
  if (!known) throw new CardDeclined(INCORRECT_NUMBER, { param: "number" });
  const expiry = { expMonth: card.exp_month, expYear: card.exp_year };
  const problem = expiryProblem(expiry, new Date(cause.nowMs));
  if (problem !== null)
    throw new CardDeclined({ code: "invalid_expiry_year", declineCode: null, message: problem }, { param: "exp_year" });
  return { card: known, ...expiry };
}

const INCORRECT_NUMBER = { code: "incorrect_number", declineCode: null, message: "Your card number is incorrect." };

/** Stores a validated card. */
export async function insertPaymentMethod(tx: Tx, cause: Cause, entry: CardEntry): Promise<StoredMethod> {
  const data = buildPaymentMethod(entry, seconds(cause));
  await insertObject(tx, data, { number: entry.card.number, saved: false, spent: false });
  return { data, card: entry.card, saved: false, spent: false };
}

export async function savePaymentMethod(tx: Tx, { data, card, saved, spent }: StoredMethod): Promise<void> {
  await updateObject(tx, data, { number: card.number, saved, spent });
}

/** Locks a payment method, or creates one for an alias like `pm_card_visa`. @throws StripeApiError resource_missing */
export async function loadPaymentMethod(tx: Tx, cause: Cause, id: string): Promise<StoredMethod> {
  const alias = findCardAlias(id);
  if (alias) return insertPaymentMethod(tx, cause, { card: alias, ...ALIAS_EXPIRY, name: null, email: null, postalCode: null });
  const found = await findObject<Stripe.PaymentMethod>(tx, "payment_method", id, true);
  const { number, saved, spent } = (found?.hidden ?? {}) as { number?: string; saved?: boolean; spent?: boolean };
  const card = findTestCard(number ?? "");
  if (!found || !card) throw noSuch("PaymentMethod", id, "payment_method");
  return { data: found.data, card, saved: saved === true, spent: spent === true };
}

/** @throws StripeApiError if it has been used, or belongs to another customer */
export function checkUsable(method: StoredMethod, customer: string | null): void {
  if (method.spent)
    throw invalid(
      "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.",
      "payment_method",
      "payment_method_unexpected_state",
    );
  if (method.data.customer !== null && method.data.customer !== customer)
    throw invalid(
      customer === null
        ? "The provided PaymentMethod is attached to a Customer. Provide that Customer as well."
        : "The provided PaymentMethod belongs to another Customer.",
      "payment_method",
    );
}

/** Saves a card with a customer, if its bank approves. @throws CardDeclined, StripeApiError */
export async function attachPaymentMethod(tx: Tx, cause: Cause, id: string, input: unknown): Promise<Stripe.PaymentMethod> {
  const params = readParams(attachParams, input);
  const customer = await loadCustomer(tx, params.customer, "customer");
  const method = await loadPaymentMethod(tx, cause, id);
  checkUsable(method, customer.id);
  if (method.data.customer === customer.id) return method.data;
  const decision = authoriseCard({ card: method.card, purpose: "setup", offSession: false, authenticated: true, saved: false });
  if (decision.kind === "declined") throw new CardDeclined(decision.decline, { payment_method: method.data });
  await attachToCustomer(tx, cause, method, customer.id);
  return method.data;
}

export async function attachToCustomer(tx: Tx, cause: Cause, method: StoredMethod, customerId: string): Promise<void> {
  const already = method.data.customer === customerId;
  method.data.customer = customerId;
  await savePaymentMethod(tx, method);
  if (!already) await recordEvent(tx, cause, "payment_method.attached", { object: method.data });
}

/** Detaches a saved card, which cannot be used again. @throws StripeApiError if it has no customer */
export async function detachPaymentMethod(tx: Tx, cause: Cause, id: string): Promise<Stripe.PaymentMethod> {
  const known = await findObject<Stripe.PaymentMethod>(tx, "payment_method", id);
  const ownerId = known?.data.customer;
  const owner = typeof ownerId === "string" ? await findObject<Stripe.Customer>(tx, "customer", ownerId, true) : null; // locked before its card, to avoid deadlocks
  const method = await loadPaymentMethod(tx, cause, id);
  const { customer } = method.data;
  if (typeof customer !== "string" || customer !== ownerId)
    throw new StripeApiError(400, "The payment method you provided is not attached to a customer so detachment is impossible.");
  if (owner?.data.invoice_settings?.default_payment_method === id) {
    owner.data.invoice_settings.default_payment_method = null;
    await updateObject(tx, owner.data);
  }
  method.data.customer = null;
  await savePaymentMethod(tx, { ...method, spent: true });
  await recordEvent(tx, cause, "payment_method.detached", { object: method.data, previous: { customer } });
  return method.data;
}

/** Changes a saved card's expiry date and metadata. */
export async function updatePaymentMethod(tx: Tx, cause: Cause, id: string, input: unknown): Promise<Stripe.PaymentMethod> {
  const params = readParams(updateParams, input);
  const method = await loadPaymentMethod(tx, cause, id);
  const { data } = method;
  if (data.card && params.card) {
    const { exp_month, exp_year } = { ...data.card, ...params.card };
    const problem = expiryProblem({ expMonth: exp_month, expYear: exp_year }, new Date(cause.nowMs));
    if (problem !== null) throw invalid(problem, "card[exp_year]", "invalid_expiry_year");
    Object.assign(data.card, { exp_month, exp_year });
  }
  data.metadata = mergeMetadata(data.metadata ?? {}, params.metadata);
  await savePaymentMethod(tx, method);
  await recordEvent(tx, cause, "payment_method.updated", { object: data });
  return data;
}
