import type { PoolClient } from "pg";
import { z } from "zod";
import { createSession, expireDueSessions, expireSession, loadSession } from "../checkout/checkout-session.ts";
import { lineItemList } from "../checkout/line-items.ts";
import type { Cause } from "../events/stripe-event.ts";
import { createCustomer, deleteCustomer, loadCustomer, updateCustomer } from "../payments/customer.ts";
import { closeDispute, updateDispute } from "../payments/dispute.ts";
import {
  cancelPaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  updatePaymentIntent,
} from "../payments/payment-intent.ts";
import {
  attachPaymentMethod,
  createPaymentMethod,
  detachPaymentMethod,
  updatePaymentMethod,
} from "../payments/payment-method.ts";
import { createPrice, createProduct } from "../payments/product.ts";
import { createRefund, updateRefund } from "../payments/refund.ts";
import { cancelSetupIntent, confirmSetupIntent, createSetupIntent } from "../payments/setup-intent.ts";
import { findObject } from "../store/object.store.ts";
import { expandObject } from "./expand-object.ts";
import type { FormObject } from "./form-body.ts";
import { collections, listCollection, paymentMethodsOf } from "./list-objects.ts";
import { expand, noSuch, readParams, integer, invalid, StripeApiError } from "./stripe-error.ts";
import { CardDeclined } from "../payments/card-declined.ts";
import type { Tx } from "../../database.ts";
import { paySession } from "../checkout/pay-session.ts";

/** An API request and its transaction. */
interface ApiCall {
  tx: PoolClient;
  cause: Cause;
  /** The id in the path; empty without one. */
  id: string;
  input: FormObject;
  publicUrl: string;
  webhookUrl: string | null;
}

export interface Operation {
  method: "GET" | "POST" | "DELETE";
  /** Under /v1. */
  path: string;
  run: (call: ApiCall) => Promise<unknown>;
}

const retrieveParams = z.strictObject({ expand });

const get = (path: string, run: Operation["run"]): Operation => ({ method: "GET", path, run });
const post = (path: string, run: Operation["run"]): Operation => ({ method: "POST", path, run });

function retrieve(type: string): Operation["run"] {
  return async ({ tx, id, input }) => {
    const found = await findObject<unknown>(tx, type, id);
    if (!found) throw noSuch(type, id);
    await expandObject(tx, found.data, readParams(retrieveParams, input).expand);
    return found.data;
  };
}

const lists: readonly Operation[] = collections.map((collection) =>
  get(collection.path, async ({ tx, cause, input }) => {
    if (collection.type === "checkout.session") await expireDueSessions(tx, cause);
    return listCollection(tx, collection, input);
  }),
);
const retrievals: readonly Operation[] = collections
  .filter(({ type }) => type !== "checkout.session")
  .map(({ path, type }) => get(`${path}/:id`, retrieve(type)));

export const operations: readonly Operation[] = [
  ...lists,
  ...retrievals,
  get("/checkout/sessions/:id", async (call) => {
    const { session } = await loadSession(call.tx, call.cause, call.id);
    await expandObject(call.tx, session, readParams(retrieveParams, call.input).expand);
    return session;
  }),
  get("/checkout/sessions/:id/line_items", async ({ tx, cause, id }) =>
    lineItemList(id, (await loadSession(tx, cause, id)).hidden.lineItems),
  ),
  get("/balance", async ({ cause }) => ({
    object: "balance",
    available: [{ amount: 0, currency: cause.chaos.settles }],
    pending: [],
    livemode: false,
  })),
  get("/webhook_endpoints", async ({ webhookUrl: url }) => ({
    object: "list",
    url: "/v1/webhook_endpoints",
    has_more: false,
    data: url === null ? [] : [{ id: "we_sandbox", object: "webhook_endpoint", url, status: "enabled", enabled_events: ["*"] }],
  })),
  get("/payment_pages/:id", ({ tx, cause, id }) => showPaymentPage(tx, cause, id)),
  get("/customers/:id/payment_methods", async ({ tx, id, input }) => {
    await loadCustomer(tx, id);
    return paymentMethodsOf(tx, id, input);
  }),
  post("/checkout/sessions", ({ tx, cause, input, publicUrl }) => createSession(tx, cause, input, publicUrl)),
  post("/checkout/sessions/:id/expire", ({ tx, cause, id }) => expireSession(tx, cause, id)),
  post("/payment_pages/:id/confirm", ({ tx, cause, ...request }) => confirmPaymentPage(tx, cause, request)),
  post("/payment_intents", ({ tx, cause, input, publicUrl }) => createPaymentIntent(tx, cause, input, publicUrl)),
  post("/payment_intents/:id", ({ tx, id, input }) => updatePaymentIntent(tx, id, input)),
  post("/payment_intents/:id/confirm", ({ tx, cause, ...request }) => confirmPaymentIntent(tx, cause, request)),
  post("/payment_intents/:id/cancel", ({ tx, cause, id, input }) => cancelPaymentIntent(tx, cause, id, input)),
  post("/setup_intents", ({ tx, cause, input, publicUrl }) => createSetupIntent(tx, cause, input, publicUrl)),
  post("/setup_intents/:id/confirm", ({ tx, cause, ...request }) => confirmSetupIntent(tx, cause, request)),
  post("/setup_intents/:id/cancel", ({ tx, cause, id, input }) => cancelSetupIntent(tx, cause, id, input)),
  post("/payment_methods", ({ tx, cause, input }) => createPaymentMethod(tx, cause, input)),
  post("/payment_methods/:id", ({ tx, cause, id, input }) => updatePaymentMethod(tx, cause, id, input)),
  post("/payment_methods/:id/attach", ({ tx, cause, id, input }) => attachPaymentMethod(tx, cause, id, input)),
  post("/payment_methods/:id/detach", ({ tx, cause, id }) => detachPaymentMethod(tx, cause, id)),
  post("/customers", ({ tx, cause, input }) => createCustomer(tx, cause, input)),
  post("/customers/:id", ({ tx, cause, id, input }) => updateCustomer(tx, cause, id, input)),
  { method: "DELETE", path: "/customers/:id", run: ({ tx, cause, id }) => deleteCustomer(tx, cause, id) },
  post("/refunds", ({ tx, cause, input }) => createRefund(tx, cause, input)),
  post("/refunds/:id", ({ tx, cause, id, input }) => updateRefund(tx, cause, id, input)),
  post("/disputes/:id", ({ tx, cause, id, input }) => updateDispute(tx, cause, id, input)),
  post("/disputes/:id/close", ({ tx, cause, id }) => closeDispute(tx, cause, id)),
  post("/products", ({ tx, cause, input }) => createProduct(tx, cause, input)),
  post("/prices", ({ tx, cause, input }) => createPrice(tx, cause, input)),
];

const confirmParams = z.strictObject({ payment_method: z.string(), expected_amount: integer.optional(), expand });

/** An undocumented part of the API, with which Stripe's command line pays a session without a browser. */
async function showPaymentPage(tx: Tx, cause: Cause, id: string) {
  const { session } = await loadSession(tx, cause, id);
  return { ...session, object: "payment_page", session_id: id };
}

/** @throws StripeApiError if the session is not open or has another amount than expected; CardDeclined if the bank declines */
async function confirmPaymentPage(tx: Tx, cause: Cause, request: { id: string; input: unknown; publicUrl: string }) {
  const { id: sessionId, publicUrl } = request;
  const params = readParams(confirmParams, request.input);
  const { session } = await loadSession(tx, cause, sessionId);
  if (params.expected_amount !== undefined && params.expected_amount !== (session.amount_total ?? 0))
    throw invalid("The amount is not the one that was expected.", "expected_amount", "checkout_amount_mismatch");
  const card = { methodId: params.payment_method };
  const outcome = await paySession(tx, cause, { sessionId, card, publicUrl });
  if (outcome.kind === "expired" || outcome.kind === "already_done")
    throw new StripeApiError(400, `This Checkout Session is ${outcome.session.status}.`);
  if (outcome.kind === "declined") throw new CardDeclined(outcome.decline);
  return { ...outcome.session, object: "payment_page", session_id: sessionId };
}
