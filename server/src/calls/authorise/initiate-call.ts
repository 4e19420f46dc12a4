import type { InitiateRequest, InitiateResponse } from "@farline/contract/calls.ts";
import { type CallRefusal, REFUSAL_RULES } from "@farline/domain/calls/call-refusal.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import type { ProposedCall } from "@farline/domain/calls/decide-call.ts";
import { uuidv7 } from "uuidv7";
import { type Customer, requireOpen } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import { nameCall } from "../../platform/log.ts";
import { chooseCallerNumber } from "../caller-id/read-caller-id.ts";
import type { CallContext } from "../call-context.ts";
import { isTicketOf, ticketHash } from "../record/call-secrets.ts";
import { TICKET_LIFE_SECONDS } from "../record/calls.tables.ts";
import { draftCall, hasSessionEnded } from "../record/call.store.ts";
import { presentCall, publishCall } from "../record/present-call.ts";
import { presentPrice } from "../../rates/rates.ts";
import { resolveDestination } from "../record/destination.ts";
import { refusalError } from "./refusal-error.ts";
import { readProposedCall } from "../record/proposed-call.ts";

/** A page's request for a call. Repeating it with the same idempotency key and ticket returns the same call. */
type CallRequest = InitiateRequest & { sessionId: string; idempotencyKey: string | null };

/**
 * Handles a customer's request for a call, then wakes a browser leg that is waiting for the decision. The steps below it:
 * `openCall` resolves the number and reads everything that needs no lock, `ctx.authorise` queues the request, `authoriseBatch` decides
 * and writes a batch under the accounts' locks, and `decideCall` is the pure decision. A refusal leaves no call and no hold.
 * @throws AppError as `resolveDestination`, the codes of `CallRefusal`, conflict, and unauthenticated if the session has ended meanwhile
 */
export async function initiateCall(ctx: CallContext, customer: Customer, request: CallRequest): Promise<InitiateResponse> {
  try {
    return await openCall(ctx, customer, request);
  } finally {
    // The browser's leg may already be waiting; it is now dialled or ended.
    if (request.ticket !== undefined) ctx.earlyLegs.decided(ticketHash(request.ticket));
  }
}

async function openCall(ctx: CallContext, customer: Customer, request: CallRequest): Promise<InitiateResponse> {
  if (customer.status === "closing") requireOpen(customer);
  refuseOtherPayer(ctx, customer, request);
  const destination = resolveDestination(ctx, customer, request);
  const [proposed, callerNumber] = await Promise.all([
    proposeCall(ctx, customer, { destination, shownRate: shownRateOf(request) }),
    chooseCallerNumber(ctx, customer, destination.e164),
  ]);
  const id = uuidv7();
  const draft = draftCall({
    id,
    customerId: customer.id,
    payerId: customer.payerId,
    sessionId: request.sessionId,
    idempotencyKey: request.idempotencyKey,
    destination,
    callerNumber,
    createdAt: proposed.at,
    ticketHash: ticketHash(request.ticket ?? ctx.secrets.ticket(id)),
    ticketExpiresAt: new Date(proposed.at.getTime() + TICKET_LIFE_SECONDS * 1000),
  });
  const { call, refused } = await ctx.authorise({ draft, proposed });
  if (refused !== undefined) {
    logRefusal(ctx, customer, proposed, refused);
    throw refusalError(refused, presentPrice(destination.e164, destination.quote));
  }
  if (call === undefined && (await hasSessionEnded(ctx.handle.db, request.sessionId))) throw new AppError("unauthenticated");
  if (call === undefined) throw new AppError("conflict", { reason: "ticket_of_other_call" });
  if (call.destination !== destination.e164) throw new AppError("conflict", { reason: "repeated_with_other_number" });
  const ticket = request.ticket ?? ctx.secrets.ticket(call.id);
  if (!isTicketOf(call, ticket)) throw new AppError("conflict", { reason: "repeated_with_other_ticket" });
  nameCall(call);
  publishCall(ctx.live, call, "money");
  return {
    call: presentCall(call),
    ticket,
    caller_number: call.caller_number ?? ctx.config.telnyx.callerNumber,
    ticket_expires_at: call.ticket_expires_at.toISOString(),
  };
}

/** Nobody must pay for a call that another credit was to pay. The page then shows which one pays now. */
function refuseOtherPayer({ live }: CallContext, customer: Customer, { paid_by_family: shown }: InitiateRequest): void {
  if (shown === undefined || shown === (customer.payerId !== null)) return;
  live.publish(customer.id, { type: "balance" });
  throw new AppError("conflict", { reason: "payer_changed" });
}

function shownRateOf({ shown_price: shown }: InitiateRequest): BillingRate | null {
  if (shown === undefined) return null;
  const { rate_per_minute: rate, first_interval_s: first, next_interval_s: next } = shown;
  return { ratePerMinuteMicros: fromDecimalString(rate), firstIntervalSeconds: first, nextIntervalSeconds: next };
}

/** Logs refusals that suggest abuse: the rule and its inputs. */
function logRefusal({ log }: CallContext, customer: Customer, proposed: ProposedCall, { rule, inputs }: CallRefusal): void {
  if (!REFUSAL_RULES[rule].suggestsAbuse) return;
  const { tier, destination, priceClass, rate } = proposed;
  const seen = { ...inputs, priceClass, rate_micros: String(rate.ratePerMinuteMicros) };
  log.warn({ customer: customer.id, tier, rule, destination, inputs: seen }, "call refused by a rule against abuse");
}

/** Reads everything about a call that needs no lock, and whether a trunk carries it with a margin. */
export async function proposeCall(
  ctx: CallContext,
  customer: Customer,
  request: Parameters<typeof readProposedCall>[2],
): Promise<ProposedCall> {
  const [proposed, isCarried] = await Promise.all([
    readProposedCall(ctx, customer, request),
    ctx.trunks.carries(request.destination),
  ]);
  return { ...proposed, hasMargin: proposed.hasMargin && isCarried };
}
