import type { FastifyRequest } from "fastify";
import type { CallQuoteResponse, QuoteRequest } from "@farline/contract/calls.ts";
import { longestCallSeconds } from "@farline/domain/calls/charge.ts";
import { clockOfNumber } from "@farline/domain/countries/clocks.ts";
import { decideCall } from "@farline/domain/calls/decide-call.ts";
import { customerOf, perCustomer, sessionOf, type Customer } from "../accounts/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit } from "../platform/http/rate-limit.ts";
import { initiateCall, proposeCall } from "./authorise/initiate-call.ts";
import type { CallContext } from "./call-context.ts";
import { saveClientHints } from "./record/call.store.ts";
import { hangUpCall, leaveCall, stayInCall } from "./live/end-call.ts";
import type { IssueVoiceToken } from "./credentials/issue-voice-token.ts";
import { presentNamedCall, readCall, readCallByTicket } from "./history/read-history.ts";
import { receiveProviderEvent } from "./webhook/receive-provider-event.ts";
import { presentPrice } from "../rates/rates.ts";
import { readCaller } from "./authorise/callers.store.ts";
import { resolveDestination } from "./record/destination.ts";
import { refusalError } from "./authorise/refusal-error.ts";

const WEBHOOK_LIMIT_BYTES = 256 * 1024;

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;

/** The signed-in customer's routes for calls. */
export function customerRoutes(app: App, ctx: CallContext, issueVoiceToken: IssueVoiceToken): void {
  serve(app, "GET /api/calls/token", async (request) => issueVoiceToken(sessionOf(request)));

  serve(app, "GET /api/calls/:id", async (request) => {
    const customer = customerOf(request);
    const call = await readCall(ctx, customer, request.params.id);
    return { call: await presentNamedCall(ctx.handle.db, call) };
  });

  serve(app, "POST /api/calls/:id/stay", async (request) => {
    const customer = customerOf(request);
    const call = await readCall(ctx, customer, request.params.id);
    await stayInCall(ctx, call, request.body.page);
    return { call: await presentNamedCall(ctx.handle.db, call) };
  });

  serve(app, "POST /api/calls/:id/leave", async (request) => {
    const customer = customerOf(request);
    const call = await readCall(ctx, customer, request.params.id);
    await leaveCall(ctx, call, request.body.page);
    return { call: await presentNamedCall(ctx.handle.db, call) };
  });

  serve(app, "POST /api/calls/:id/hangup", async (request) => {
    const { id } = request.params;
    const ticket = request.body?.ticket;
    const call =
      ticket === undefined ? await readCall(ctx, await ctx.authenticate(request), id) : await readCallByTicket(ctx, id, ticket);
    return { call: await presentNamedCall(ctx.handle.db, await hangUpCall(ctx, call)) };
  });

  serve(app, "PATCH /api/calls/:id/control-id", async (request) => {
    const customer = customerOf(request);
    const call = await readCall(ctx, customer, request.params.id);
    const { telnyx_leg_id: leg, telnyx_session_id: session, call_id: own } = request.body;
    if (!leg && !session && !own) return { call: await presentNamedCall(ctx.handle.db, call) };
    const hints = {
      ...(leg ? { client_leg_id: leg } : {}),
      ...(session ? { client_session_id: session } : {}),
      ...(own ? { client_call_id: own } : {}),
    };
    return { call: await presentNamedCall(ctx.handle.db, await saveClientHints(ctx.handle.db, call.id, hints)) };
  });
}

/** Starts a call. */
export function initiateRoute(app: App, ctx: CallContext): void {
  serve(app, "POST /api/calls/initiate", {
    onRequest: perCustomer(memoryRateLimit(ctx, "initiate")),
    handler: async (request) => {
      const session = sessionOf(request);
      const { sessionId } = session;
      return initiateCall(ctx, session, { ...request.body, sessionId, idempotencyKey: idempotencyKeyOf(request) });
    },
  });
}

/** Quotes for calls. */
export function quoteRoutes(app: App, ctx: CallContext): void {
  serve(app, "POST /api/calls/quote", {
    onRequest: perCustomer(memoryRateLimit(ctx, "quote-call")),
    handler: async (request) => quoteCall(ctx, customerOf(request), request.body),
  });
}

/** The voice provider's webhook. */
export function providerRoutes(app: App, ctx: CallContext): void {
  serve(app, "POST /api/webhooks/telnyx", {
    bodyLimit: WEBHOOK_LIMIT_BYTES,
    handler: async (request) => {
      await receiveProviderEvent(ctx, request.body.toString(), request.headers);
      return { received: true };
    },
  });
}

function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key === "string" && IDEMPOTENCY_KEY.test(key)) return key;
  throw new AppError("validation_failed", { reason: "idempotency_key_invalid", field: "idempotency-key" });
}

/**
 * Returns what `initiateCall` would decide now: the same rules, without the lock, so the answer may change at any time.
 * @throws AppError as `resolveDestination`
 */
async function quoteCall(ctx: CallContext, customer: Customer, request: QuoteRequest): Promise<CallQuoteResponse> {
  const destination = resolveDestination(ctx, customer, request);
  const shown = {
    price: presentPrice(destination.e164, destination.quote),
    time_zone: clockOfNumber(destination.e164, destination.quote.countryCode),
  };
  if (customer.status === "closing")
    return {
      ...shown,
      max_seconds: null,
      free_seconds: null,
      refusal: presentRefusal(new AppError("account_closing")),
    };
  const proposed = await proposeCall(ctx, customer, { destination, shownRate: null });
  const query = { customerId: customer.id, payerId: customer.payerId, proposed, idempotencyKey: null, excludedCallId: null };
  const { counters } = await readCaller(ctx.handle.db, query);
  const { allowed, refused } = decideCall(proposed, counters);
  if (refused !== undefined) {
    return {
      ...shown,
      max_seconds: null,
      free_seconds: null,
      refusal: presentRefusal(refusalError(refused, shown.price)),
    };
  }
  const { holdMicros, freeMicros, capSeconds } = allowed;
  const secondsFor = (micros: bigint) => longestCallSeconds(micros, proposed.rate, capSeconds);
  const freeSeconds = freeMicros === 0n ? null : secondsFor(freeMicros);
  return { ...shown, max_seconds: secondsFor(holdMicros), free_seconds: freeSeconds, refusal: null };
}

function presentRefusal({ code, message, messageRef }: AppError): CallQuoteResponse["refusal"] {
  return { code, message, ...messageRef };
}
