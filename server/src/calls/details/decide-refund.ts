import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { MOVES_NOTHING, type Plan, type Verb } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { findCallById } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { insertRequestOf, isRefundable, publishRefundDecision, refundCharge } from "./request-refund.ts";
import type { RefundRequestRow } from "./details.tables.ts";
import { decideRefundRequest, findRefundRequest } from "./refund-request.store.ts";
import type { OperatorContext } from "../../context.ts";

/** Refunds the full charge of a call. With a reason, although its customer has not asked. */
const refundCall: Verb<"refund-call", Decided> = {
  plan: planRefundOfCall,
  finish: publish,
  respond: ({ proposal }) => ({ proposal: proposal?.id ?? null }),
};

/** A call, and the request for its refund that was decided. */
interface Decided {
  readonly request: RefundRequestRow;
  readonly call: CallRow;
}

/** @throws AppError not_found if the call has no open request and no reason is given; conflict if nothing of it can be refunded */
async function planRefundOfCall(
  tx: Transaction,
  ctx: OperatorContext,
  { call: callId, answer, reason }: OperationInput<"refund-call">,
): Promise<Plan<"refund-call", Decided>> {
  const call = await requireCall(tx, callId);
  const request = await findRefundRequest(tx, call.id);
  if (request === null && reason === null) throw noRequest();
  if (request !== null && request.state !== "open") throw decidedAlready();
  const now = ctx.clock.now();
  if (request === null && !isRefundable(call, now)) throw new AppError("conflict", { reason: "refund_no_charge" });
  return {
    customerId: call.payer_id ?? call.customer_id,
    subject: call.id,
    once: null,
    moves: { amountMicros: call.charge_micros, customers: 1 },
    reason: reason ?? answer ?? `Requested by the customer: ${request?.reason}`,
    detail: answer === null ? {} : { answer },
    run: async () => {
      if (request === null) await insertRequestOf(tx, ctx, call, now);
      const decided = await refundCharge(ctx, tx, { call, decidedBy: ctx.actor.name, answer, now });
      if (decided === null) throw decidedAlready();
      return { result: { request: decided, call } };
    },
  };
}

/** Declines a refund. The caller reads the answer. */
const declineRefund: Verb<"decline-call-refund", Decided> = {
  plan: async (tx, ctx, { call: callId, answer }) => {
    const call = await requireCall(tx, callId);
    const request = await findRefundRequest(tx, call.id);
    if (request === null) throw noRequest();
    const decision = { state: "declined", amountMicros: 0n, decidedBy: ctx.actor.name, answer } as const;
    return {
      customerId: request.customer_id,
      subject: call.id,
      moves: MOVES_NOTHING,
      reason: answer,
      run: async () => {
        const declined = await decideRefundRequest(tx, call.id, { ...decision, decidedAt: ctx.clock.now() });
        if (declined === null) throw noRequest();
        return { result: { request: declined, call } };
      },
    };
  },
  finish: publish,
  respond: () => undefined,
};

export const callRefundVerbs = { "refund-call": refundCall, "decline-call-refund": declineRefund };

async function publish(ctx: OperatorContext, decided: Decided): Promise<Decided> {
  publishRefundDecision(ctx, decided.request, decided.call);
  return decided;
}

async function requireCall(tx: Tx, id: string): Promise<CallRow> {
  if (!isUuid(id)) throw noRequest();
  const call = await findCallById(tx, id);
  if (call === undefined) throw new AppError("not_found", { reason: "operator.no_call", params: { call: id } });
  return call;
}

function decidedAlready(): AppError {
  return new AppError("not_found", { reason: "operator.call_refund_decided" });
}

function noRequest(): AppError {
  return new AppError("not_found", { reason: "operator.no_refund_request" });
}
