import type { CallDetailsResponse, CallEntry, RefundRequest } from "@farline/contract/call-details.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { readNames } from "../../family/family.ts";
import type { LedgerLine } from "../../ledger/ledger.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { isRefundable } from "./request-refund.ts";
import { readCallSound } from "./quality.store.ts";
import type { RefundRequestRow } from "./details.tables.ts";
import { findRefundRequest } from "./refund-request.store.ts";
import type { Context } from "../../context.ts";

/** A call's details: its lines in the account, its sound quality and its refund request. */
export async function readCallDetails({ handle, ledger, clock }: Context, call: CallRow): Promise<CallDetailsResponse> {
  const [payers, entries, quality, request] = await Promise.all([
    call.payer_id === null ? null : readNames(handle.db, [call.payer_id]),
    ledger.callEntries(handle.db, call.customer_id, call.id),
    readCallSound(handle.db, call.id),
    findRefundRequest(handle.db, call.id),
  ]);
  return {
    paid_by: payers?.get(call.payer_id ?? "") ?? null,
    entries: entries.map(presentEntry),
    quality,
    may_ask_refund: request === null && isRefundable(call, clock.now()),
    refund_request: request === null ? null : presentRefundRequest(request),
  };
}

export function presentRefundRequest(request: RefundRequestRow): RefundRequest {
  return {
    reason: request.reason,
    note: request.note,
    state: request.state,
    amount: toDecimalString(request.amount_micros),
    answer: request.answer,
    created_at: request.created_at.toISOString(),
    decided_at: request.decided_at?.toISOString() ?? null,
  };
}

export function presentEntry(line: LedgerLine): CallEntry {
  return {
    id: line.id,
    kind: line.kind,
    description: line.description,
    amount: toDecimalString(line.amountMicros),
    balance_after: toDecimalString(line.balanceAfterMicros),
    created_at: line.createdAt.toISOString(),
  };
}
