import { isUuid } from "@farline/domain/uuid.ts";
import { moveMoney, MOVES_NOTHING, recordOperation, resultOf, type Moved } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { findCallById } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { insertRequestOf, isRefundable, publishRefundDecision, refundCharge } from "./request-refund.ts";
import type { RefundRequestRow } from "./details.tables.ts";
import {
  countOpenRefundRequests,
  decideRefundRequest,
  findRefundRequest,
  listOpenRefundRequests,
} from "./refund-request.store.ts";
import type { Context, OperatorContext } from "../../context.ts";

/** Requests per list. */
const MAX_SHOWN = 100;

/** A refund request as operators see it. */
export interface OpenRefundRequest {
  readonly request: RefundRequestRow;
  readonly call: CallRow;
}

/** Open requests, oldest first, with their evidence. */
export async function openRefundRequests({ handle }: Context): Promise<OpenRefundRequest[]> {
  const requests = await listOpenRefundRequests(handle.db, MAX_SHOWN);
  const calls = await Promise.all(requests.map((request) => findCallById(handle.db, request.call_id)));
  return requests.flatMap((request, index) => {
    const call = calls[index];
    return call === undefined ? [] : [{ request, call }];
  });
}

/** How many requests are open, of which `openRefundRequests` lists the oldest 100. */
export function countRefundRequests({ handle }: Context): Promise<number> {
  return countOpenRefundRequests(handle.db);
}

/** An operator's decision on a request. */
interface Decision {
  readonly grant: boolean;
  /** The operator's message to the caller; required to decline. */
  readonly answer: string | null;
  /** Why, for the record. With it a call is refunded although its customer has not asked. */
  readonly reason?: string | null;
  /** Another operator's proposal to grant it. */
  readonly confirms?: string;
}

/**
 * Refunds the full charge, or declines with a message for the caller.
 * @throws AppError not_found if the call has no open request and no reason is given; conflict if nothing of it can be refunded; conflict if a second operator is required, or this one may not
 * confirm
 */
export async function decideRefund(ctx: OperatorContext, callId: string, decision: Decision): Promise<RefundRequestRow> {
  if (!isUuid(callId)) throw noRequest();
  const decide = decision.grant ? grant : decline;
  const call = await findCallById(ctx.handle.db, callId);
  if (call === undefined) throw new AppError("not_found", { reason: "operator.no_call", params: { call: callId } });
  const decided = resultOf(await ctx.transaction((tx) => decide(tx, ctx, call, decision)));
  publishRefundDecision(ctx, decided, call);
  return decided;
}

async function grant(
  tx: Transaction,
  ctx: OperatorContext,
  call: CallRow,
  { answer, confirms, reason = null }: Decision,
): Promise<Moved<RefundRequestRow>> {
  const request = await findRefundRequest(tx, call.id);
  if (request === null && reason === null) throw noRequest();
  if (request !== null && request.state !== "open") throw decidedAlready();
  const now = ctx.clock.now();
  if (request === null && !isRefundable(call, now)) throw new AppError("conflict", { reason: "refund_no_charge" });
  const operation = {
    action: "grant-call-refund",
    customerId: call.payer_id ?? call.customer_id,
    subject: call.id,
    amountMicros: call.charge_micros,
    reason: reason ?? answer ?? `Requested by the customer: ${request?.reason}`,
    detail: (answer === null ? {} : { answer }) as Record<string, string>,
    confirms: confirms ?? null,
    once: null,
  } as const;
  return moveMoney(tx, ctx, operation, async () => {
    if (request === null) await insertRequestOf(tx, ctx, call, now);
    const decided = await refundCharge(ctx, tx, { call, decidedBy: ctx.actor.name, answer, now });
    if (decided === null) throw decidedAlready();
    return { result: decided };
  });
}

async function decline(
  tx: Transaction,
  ctx: OperatorContext,
  call: CallRow,
  { answer }: Decision,
): Promise<Moved<RefundRequestRow>> {
  const now = ctx.clock.now();
  const decided = await decideRefundRequest(tx, call.id, {
    state: "declined",
    amountMicros: 0n,
    decidedBy: ctx.actor.name,
    answer,
    decidedAt: now,
  });
  if (decided === null) throw noRequest();
  await recordOperation(tx, ctx, {
    moves: MOVES_NOTHING,
    action: "decline-call-refund",
    customerId: decided.customer_id,
    subject: call.id,
    reason: answer ?? `Requested by the customer: ${decided.reason}`,
  });
  return { proposal: null, result: decided };
}

function decidedAlready(): AppError {
  return new AppError("not_found", { reason: "operator.call_refund_decided" });
}

function noRequest(): AppError {
  return new AppError("not_found", { reason: "operator.no_refund_request" });
}
