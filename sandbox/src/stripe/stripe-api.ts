import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { PoolClient } from "pg";
import type Stripe from "stripe";
import { z } from "zod";
import { createSession, expireDueSessions, expireSession, loadSession } from "./checkout-session.ts";
import { createCustomer } from "./customer.ts";
import { expandObject } from "./expand-object.ts";
import { decodeForm, FormError, type FormObject } from "./form-body.ts";
import { keepAnswer, keptAnswer, takeKey } from "./idempotency.store.ts";
import { collections, listCollection } from "./list-objects.ts";
import { findObject } from "./object.store.ts";
import { createRefund } from "./refund.ts";
import { expand, noSuch, readParams, StripeApiError } from "./stripe-error.ts";
import { API_VERSION, type Cause } from "./stripe-event.ts";
import { newId } from "./stripe-id.ts";
import { causeOf, change, type StripeParts } from "./stripe-parts.ts";

const MAX_KEY_LENGTH = 255;
const retrieveParams = z.strictObject({ expand });

interface ApiCall {
  tx: PoolClient;
  cause: Cause;
  id: string;
  input: FormObject;
}
type Handler = (call: ApiCall) => Promise<unknown>;

/** Stripe's API under /v1, as far as one-off card payments need it. Register it with the prefix "/v1". */
export async function stripeApi(api: FastifyInstance, parts: StripeParts): Promise<void> {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  api.addHook("onRequest", async (request, reply) => {
    reply.headers({ "request-id": newId("req_", 14), "stripe-version": request.headers["stripe-version"] ?? API_VERSION });
    checkKey(request, parts.secretKey);
  });
  api.setErrorHandler((error, request, reply) => sendError(parts, error, request, reply));
  api.setNotFoundHandler((request) => {
    throw new StripeApiError(404, `Unrecognized request URL (${request.method}: ${pathOf(request)}).`);
  });

  const get = (path: string, handler: Handler) =>
    api.get(path, async (request, reply) =>
      change(parts, (tx) => handler({ tx, input: decodeForm(queryOf(request)), ...contextOf(parts, request, reply) })),
    );
  const post = (path: string, handler: Handler) => api.post(path, (request, reply) => answerOnce(parts, request, reply, handler));

  for (const collection of collections) {
    get(collection.path, async ({ tx, cause, input }) => {
      if (collection.type === "checkout.session") await expireDueSessions(tx, cause);
      return listCollection(tx, collection, input);
    });
    if (collection.type !== "checkout.session") get(`${collection.path}/:id`, retrieve(collection.type));
  }
  get("/payment_methods/:id", retrieve("payment_method"));
  get("/checkout/sessions/:id", retrieveSession);
  get("/checkout/sessions/:id/line_items", async ({ tx, cause, id }) => {
    const found = await loadSession(tx, cause, id);
    if (!found) throw noSuch("checkout.session", id);
    return lineItemList(id, found.hidden.lineItems);
  });
  post("/checkout/sessions", async ({ tx, cause, input }) => createSession(tx, cause, input, parts.publicUrl()));
  post("/checkout/sessions/:id/expire", async ({ tx, cause, id }) => expireSession(tx, cause, id));
  post("/refunds", async ({ tx, cause, input }) => createRefund(tx, cause, input));
  post("/customers", async ({ tx, cause, input }) => createCustomer(tx, cause, input));
}

function retrieve(type: string): Handler {
  return async ({ tx, id, input }) => {
    const found = await findObject<unknown>(tx, type, id);
    if (!found) throw noSuch(type, id);
    await expandObject(tx, found.data, readParams(retrieveParams, input).expand);
    return found.data;
  };
}

async function retrieveSession({ tx, cause, id, input }: ApiCall): Promise<unknown> {
  const found = await loadSession(tx, cause, id);
  if (!found) throw noSuch("checkout.session", id);
  const paths = readParams(retrieveParams, input).expand;
  const withItems = paths?.includes("line_items")
    ? { ...found.session, line_items: lineItemList(id, found.hidden.lineItems) }
    : found.session;
  await expandObject(tx, withItems, paths);
  return withItems;
}

function lineItemList(sessionId: string, data: Stripe.LineItem[]): unknown {
  return { object: "list", url: `/v1/checkout/sessions/${sessionId}/line_items`, has_more: false, data };
}

/**
 * Does a POST once for its Idempotency-Key: the change and the answer to it are kept in one transaction, so that a repetition
 * gets the same answer whatever was lost in between (docs.stripe.com/api/idempotent_requests).
 */
async function answerOnce(parts: StripeParts, request: FastifyRequest, reply: FastifyReply, handler: Handler): Promise<unknown> {
  const input = decodeForm(typeof request.body === "string" ? request.body : "");
  const key = idempotencyKeyOf(request);
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([request.method, pathOf(request), input]))
    .digest("hex");
  const body = await change(parts, async (tx) => {
    const kept = key === null ? null : await earlierAnswer(tx, key, fingerprint, parts.now());
    if (kept) {
      reply.header("idempotent-replayed", "true").status(kept.status);
      return kept.body;
    }
    const creates = (request.params as { id?: string }).id === undefined;
    if (creates && parts.chaos.failNextCreate > 0) {
      parts.chaos.failNextCreate -= 1;
      throw new StripeApiError(500, "An unknown error occurred", { type: "api_error" });
    }
    const made = await handler({ tx, input, ...contextOf(parts, request, reply) });
    await expandObject(tx, made, input["expand"] as string[] | undefined);
    if (key !== null) await keepAnswer(tx, key, { fingerprint, status: 200, body: made }, parts.now());
    return made;
  });
  if (key !== null) reply.header("idempotency-key", key);
  if ((request.params as { id?: string }).id === undefined && parts.chaos.dropNextAnswer > 0) {
    parts.chaos.dropNextAnswer -= 1;
    reply.hijack();
    request.raw.socket.destroy();
    return reply;
  }
  return body;
}

async function earlierAnswer(tx: PoolClient, key: string, fingerprint: string, nowMs: number) {
  if (!(await takeKey(tx, key)))
    throw new StripeApiError(
      409,
      `There is currently another in-progress request using this Stripe Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}.`,
      { type: "idempotency_error", code: "idempotency_key_in_use" },
    );
  const kept = await keptAnswer(tx, key, nowMs);
  if (kept && kept.fingerprint !== fingerprint)
    throw new StripeApiError(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      { type: "idempotency_error" },
    );
  return kept;
}

function contextOf(parts: StripeParts, request: FastifyRequest, reply: FastifyReply): { cause: Cause; id: string } {
  const cause = causeOf(parts, { requestId: String(reply.getHeader("request-id")), idempotencyKey: idempotencyKeyOf(request) });
  return { cause, id: (request.params as { id?: string }).id ?? "" };
}

function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string" || key === "") return null;
  if (key.length > MAX_KEY_LENGTH) throw new StripeApiError(400, "Idempotency keys may have 255 characters at most.");
  return key;
}

function checkKey(request: FastifyRequest, secretKey: string): void {
  const given = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (given === undefined)
    throw new StripeApiError(
      401,
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.",
    );
  const digest = (text: string) => createHash("sha256").update(text).digest();
  if (!timingSafeEqual(digest(given), digest(secretKey)))
    throw new StripeApiError(401, `Invalid API Key provided: ${given.slice(0, 8)}****${given.slice(-4)}`);
}

function sendError(parts: StripeParts, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toApiError(error);
  if (known.status >= 500 && known !== error) parts.log.error({ err: error, path: pathOf(request) }, "Stripe stand-in failed");
  return reply.status(known.status).send(known.body());
}

function toApiError(error: unknown): StripeApiError {
  if (error instanceof StripeApiError) return error;
  if (error instanceof FormError) return new StripeApiError(400, error.message);
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  if (statusCode !== undefined && statusCode < 500) return new StripeApiError(statusCode, message ?? "Invalid request");
  return new StripeApiError(500, "An unknown error occurred", { type: "api_error" });
}

function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "/";
}

function queryOf(request: FastifyRequest): string {
  const mark = request.url.indexOf("?");
  return mark < 0 ? "" : request.url.slice(mark + 1);
}
