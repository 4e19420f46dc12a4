import {
  callQuery,
  controlIdRequest,
  hangupRequest,
  initiateRequest,
  leaveRequest,
  quoteRequest,
  type CallQuoteResponse,
  type CallResponse,
  type InitiateResponse,
  type VoiceTokenResponse,
} from "@farline/contract/calls.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { customerOf, perCustomer, sessionOf } from "../accounts/accounts.ts";
import { AppError } from "../platform/http/app-error.ts";
import type { App } from "../platform/http/http.ts";
import { memoryRateLimit } from "../platform/http/rate-limit.ts";
import { authoriseCall } from "./authorise/authorise-call.ts";
import { quoteCall } from "./authorise/quote-call.ts";
import type { CallContext } from "./call-context.ts";
import { CALL_REQUESTS_PER_MINUTE, QUOTES_PER_MINUTE } from "./call-times.ts";
import { saveClientHints } from "./call.store.ts";
import { hangUpCall } from "./live/hang-up-call.ts";
import type { IssueVoiceToken } from "./credentials/issue-voice-token.ts";
import { leaveCall, stayInCall } from "./live/leave-call.ts";
import { presentNamedCall } from "./history/present-calls.ts";
import { readCall, readCallByTicket } from "./history/read-calls.ts";
import { receiveProviderEvent } from "./provider/receive-provider-event.ts";

const WEBHOOK_LIMIT_BYTES = 256 * 1024;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,200}$/;
const callParams = z.object({ id: z.string() });

/** The signed-in customer's routes for calls. */
export function customerRoutes(app: App, context: CallContext, issueVoiceToken: IssueVoiceToken): void {
  app.get("/api/calls/token", { config: { access: "customer" } }, async (request): Promise<VoiceTokenResponse> =>
    issueVoiceToken(sessionOf(request)),
  );

  app.get(
    "/api/calls/:id",
    { config: { access: "customer" }, schema: { params: callParams, querystring: callQuery } },
    async (request): Promise<CallResponse> => {
      const customer = customerOf(request);
      const call = await readCall(context, customer, request.params.id);
      await stayInCall(context, call, request.query.page);
      return { call: await presentNamedCall(context.handle.db, call) };
    },
  );

  const leaveSchema = { params: callParams, body: leaveRequest };
  app.post(
    "/api/calls/:id/leave",
    { config: { access: "customer" }, schema: leaveSchema },
    async (request): Promise<CallResponse> => {
      const customer = customerOf(request);
      const call = await readCall(context, customer, request.params.id);
      await leaveCall(context, call, request.body.page);
      return { call: await presentNamedCall(context.handle.db, call) };
    },
  );

  const hangupSchema = { params: callParams, body: hangupRequest };
  app.post(
    "/api/calls/:id/hangup",
    { config: { access: "visitor" }, schema: hangupSchema },
    async (request): Promise<CallResponse> => {
      const { id } = request.params;
      const ticket = request.body?.ticket;
      const call =
        ticket === undefined
          ? await readCall(context, await context.authenticate(request), id)
          : await readCallByTicket(context, id, ticket);
      return { call: await presentNamedCall(context.handle.db, await hangUpCall(context, call)) };
    },
  );

  const controlIdSchema = { params: callParams, body: controlIdRequest };
  app.patch(
    "/api/calls/:id/control-id",
    { config: { access: "customer" }, schema: controlIdSchema },
    async (request): Promise<CallResponse> => {
      const customer = customerOf(request);
      const call = await readCall(context, customer, request.params.id);
      const { telnyx_leg_id: leg, telnyx_session_id: session, call_id: own } = request.body;
      if (!leg && !session && !own) return { call: await presentNamedCall(context.handle.db, call) };
      const hints = {
        ...(leg ? { client_leg_id: leg } : {}),
        ...(session ? { client_session_id: session } : {}),
        ...(own ? { client_call_id: own } : {}),
      };
      return { call: await presentNamedCall(context.handle.db, await saveClientHints(context.handle.db, call.id, hints)) };
    },
  );
}

/** Starts a call. */
export function initiateRoute(app: App, context: CallContext): void {
  // Each request takes the account's lock, also one that a rule refuses.
  const requests = memoryRateLimit({
    name: "initiate",
    points: CALL_REQUESTS_PER_MINUTE,
    perSeconds: 60,
    scale: context.config.limitsScale,
    text: "Too many calls in a short time.",
  });
  app.post(
    "/api/calls/initiate",
    { config: { access: "customer" }, onRequest: perCustomer(requests), schema: { body: initiateRequest } },
    async (request, reply): Promise<InitiateResponse> => {
      const customer = customerOf(request);
      const answer = await authoriseCall(context, customer, { ...request.body, idempotencyKey: idempotencyKeyOf(request) });
      void reply.status(201);
      return answer;
    },
  );
}

/** Quotes for calls. */
export function quoteRoutes(app: App, context: CallContext): void {
  const quotes = memoryRateLimit({
    name: "quote-call",
    points: QUOTES_PER_MINUTE,
    perSeconds: 60,
    scale: context.config.limitsScale,
  });

  app.post(
    "/api/calls/quote",
    { config: { access: "customer" }, onRequest: perCustomer(quotes), schema: { body: quoteRequest } },
    async (request): Promise<CallQuoteResponse> => quoteCall(context, customerOf(request), request.body),
  );
}

/** The voice provider's webhook. The body is kept as raw bytes, because the signature covers them. */
export function providerRoutes(app: App, context: CallContext): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "string", bodyLimit: WEBHOOK_LIMIT_BYTES },
      (_request: FastifyRequest, body: string | Buffer, done: (error: Error | null, body?: string) => void) =>
        done(null, String(body)),
    );
    scope.post("/api/webhooks/telnyx", { config: { access: "provider" }, bodyLimit: WEBHOOK_LIMIT_BYTES }, async (request) => {
      await receiveProviderEvent(context, typeof request.body === "string" ? request.body : "", request.headers);
      return { received: true };
    });
  });
}

function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key === "string" && IDEMPOTENCY_KEY.test(key)) return key;
  const text = "Idempotency-Key must be 1 to 200 visible ASCII characters.";
  throw new AppError("validation_failed", text, { fields: { "idempotency-key": [text] } });
}
