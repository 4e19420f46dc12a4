import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { acceptOnlyForms, formText } from "../../pages/html.ts";
import { API_VERSION, type Cause } from "../events/stripe-event.ts";
import { CardDeclined } from "../payments/card-declined.ts";
import { findResponse, lockKey, type StoredResponse, storeResponse } from "../store/idempotency.store.ts";
import { newId } from "../store/stripe-id.ts";
import { causeOf, change, type StripeContext } from "../stripe-context.ts";
import { expandObject } from "./expand-object.ts";
import { decodeForm, FormError, type FormObject } from "./form-body.ts";
import { type Operation, operations } from "./operations.ts";
import { StripeApiError } from "./stripe-error.ts";
import type { Tx } from "../../database.ts";

const MAX_KEY_LENGTH = 255;

/** The part of Stripe's API that card payments and saved cards need. Register it with the prefix "/v1". */
export async function stripeApi(api: FastifyInstance, context: StripeContext): Promise<void> {
  acceptOnlyForms(api);
  api.addHook("onRequest", async (request, reply) => {
    reply.headers({ "request-id": newId("req_", 14), "stripe-version": request.headers["stripe-version"] ?? API_VERSION });
    checkKey(request, context.secretKey);
  });
  api.setErrorHandler((error, request, reply) => sendError(context, error, request, reply));
  api.setNotFoundHandler((request) => {
    throw new StripeApiError(404, `Unrecognized request URL (${request.method}).`);
  });
  for (const operation of operations)
    api.route({
      method: operation.method,
      url: operation.path,
      config: { access: "development" },
      handler: (request, reply) => answer(context, request, reply, operation),
    });
}

/** Handles a request, with the faults in force. */
async function answer(
  context: StripeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
): Promise<unknown> {
  const creates = operation.method === "POST" && idOf(request) === "";
  await injectRequestFault(context, creates);
  const body =
    operation.method === "GET"
      ? await change(context, (tx) =>
          operation.run({ tx, input: decodeForm(queryOf(request)), ...contextOf(context, request, reply) }),
        )
      : await runOnce(context, request, reply, operation);
  if (!(await dropsResponse(context, creates))) return body;
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}

/**
 * Runs an operation once per Idempotency-Key (docs.stripe.com/api/idempotent_requests). Its changes and its response are stored
 * in one transaction, so that a retry gets the same response even if the first one was lost. Card errors are stored too.
 */
async function runOnce(
  context: StripeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
): Promise<unknown> {
  const input = inputOf(request);
  const key = idempotencyKeyOf(request);
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([request.method, request.routeOptions.url, idOf(request), input]))
    .digest("hex");
  const given = await change(context, async (tx) => {
    const kept = key === null ? null : await earlierResponse(tx, { key, fingerprint, nowMs: context.now() });
    if (kept) {
      reply.header("idempotent-replayed", "true");
      return kept;
    }
    const made = await outcomeOf(async () => {
      const object = await operation.run({ tx, input, ...contextOf(context, request, reply) });
      await expandObject(tx, object, input["expand"] as string[] | undefined);
      return object;
    });
    if (key !== null) await storeResponse(tx, key, { fingerprint, ...made }, context.now());
    return made;
  });
  if (key !== null) reply.header("idempotency-key", key);
  reply.status(given.status);
  return given.body;
}

/** The response to store: success or a card error. Any other error rolls back the transaction. */
async function outcomeOf(run: () => Promise<unknown>): Promise<{ status: number; body: unknown }> {
  try {
    return { status: 200, body: await run() };
  } catch (error) {
    if (!(error instanceof CardDeclined)) throw error;
    return { status: error.status, body: error.body() };
  }
}

function contextOf(
  context: StripeContext,
  request: FastifyRequest,
  reply: FastifyReply,
): { cause: Cause; id: string; publicUrl: string; webhookUrl: string | null } {
  const facts = { requestId: String(reply.getHeader("request-id")), idempotencyKey: idempotencyKeyOf(request) };
  return { cause: causeOf(context, facts), id: idOf(request), publicUrl: context.publicUrl(), webhookUrl: context.delivery.url };
}

function idOf(request: FastifyRequest): string {
  return (request.params as { id?: string }).id ?? "";
}

/** Stripe's command line uses an older API version, in which `allowed_payment_method_types` has another name. */
function inputOf(request: FastifyRequest): FormObject {
  const input = decodeForm(formText(request));
  const { payment_method_types: types, ...rest } = input;
  if (types === undefined || request.headers["stripe-version"] === API_VERSION) return input;
  return { ...rest, allowed_payment_method_types: types };
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

function sendError(context: StripeContext, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toApiError(error);
  if (known.status >= 500 && known !== error)
    context.log.error({ err: error, route: request.routeOptions.url }, "Stripe stand-in failed");
  return reply.status(known.status).send(known.body());
}

function toApiError(error: unknown): StripeApiError {
  if (error instanceof StripeApiError) return error;
  if (error instanceof FormError) return new StripeApiError(400, error.message);
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  if (statusCode !== undefined && statusCode < 500) return new StripeApiError(statusCode, message ?? "Invalid request");
  return new StripeApiError(500, "An unknown error occurred", { type: "api_error" });
}

/** The query string, rebuilt from Fastify's parsed one. */
function queryOf(request: FastifyRequest): string {
  const query = request.query as Record<string, string | string[]>;
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value])),
  ).toString();
}

/** The Idempotency-Key header; null without one. @throws StripeApiError if it is too long */
function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string" || key === "") return null;
  if (key.length > MAX_KEY_LENGTH)
    throw new StripeApiError(400, `Idempotency keys may have ${MAX_KEY_LENGTH} characters at most.`);
  return key;
}

/**
 * The response stored for this key; null if the key is new.
 * @throws StripeApiError 409 while the first request is in progress, 400 if it had other parameters
 */
async function earlierResponse(
  tx: Tx,
  { key, fingerprint, nowMs }: { key: string; fingerprint: string; nowMs: number },
): Promise<StoredResponse | null> {
  if (!(await lockKey(tx, key)))
    throw new StripeApiError(
      409,
      `There is currently another in-progress request using this Stripe Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}.`,
      { type: "idempotency_error", code: "idempotency_key_in_use" },
    );
  const kept = await findResponse(tx, key, nowMs);
  if (kept && kept.fingerprint !== fingerprint)
    throw new StripeApiError(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      { type: "idempotency_error" },
    );
  return kept;
}

/**
 * Rejects a request without processing it, if a fault affects it.
 * @param creates whether the request creates an object
 * @throws StripeApiError 400, 429 or 500
 */
async function injectRequestFault({ chaos, random }: StripeContext, creates: boolean): Promise<void> {
  const { rateLimits, restricted, serverErrors } = chaos.current;
  if ((creates && (await chaos.take("limitNextCreate"))) || random() * 100 < rateLimits)
    throw new StripeApiError(
      429,
      "Request rate limit exceeded. Learn more about rate limits here: docs.stripe.com/rate-limits.",
      { code: "rate_limit" },
    );
  if (creates && random() * 100 < restricted) throw new StripeApiError(400, "Your account cannot currently make live charges.");
  if ((creates && (await chaos.take("failNextCreate"))) || random() * 100 < serverErrors)
    throw new StripeApiError(500, "An unknown error occurred", { type: "api_error" });
}

/** Whether a fault drops the response to a processed request. */
async function dropsResponse({ chaos, random }: StripeContext, creates: boolean): Promise<boolean> {
  return (creates && (await chaos.take("dropNextAnswer"))) || random() * 100 < chaos.current.dropAnswers;
}
