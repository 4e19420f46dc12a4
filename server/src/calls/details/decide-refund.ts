import type { LivePublisher } from "../../live/live.ts";
import { recordOperation } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import type { CallParts } from "../call-parts.ts";
import { findCallById } from "../call.store.ts";
import type { CallRow } from "../calls.tables.ts";
import { giveBack, tellDecided } from "./ask-refund.ts";
import type { RefundRequestRow } from "./details.tables.ts";
import { decideRefundRequest, listOpenRefundRequests } from "./refund-request.store.ts";

/** As many as an operator reads at once. */
const MOST_SHOWN = 100;

type Parts = Pick<CallParts, "handle" | "clock" | "ledger"> & { readonly live: LivePublisher };

/** Something a caller asks to have back, as an operator sees it. */
export interface OpenRefundRequest {
  readonly request: RefundRequestRow;
  readonly call: CallRow;
}

/** What waits for an operator, the oldest first, with the data that came with it. */
export async function openRefundRequests({ handle }: Pick<Parts, "handle">): Promise<OpenRefundRequest[]> {
  const requests = await listOpenRefundRequests(handle.db, MOST_SHOWN);
  const calls = await Promise.all(requests.map((request) => findCallById(handle.db, request.call_id)));
  return requests.flatMap((request, index) => {
    const call = calls[index];
    return call === undefined ? [] : [{ request, call }];
  });
}

/**
 * An operator's decision on a request: grants the whole charge back, or declines with a reason for the caller to read.
 * @param decision.answer the operator's words to the caller; a decline needs some
 * @throws AppError not_found when there is no open request for this call
 */
export async function decideRefund(
  parts: Parts,
  callId: string,
  decision: { grant: boolean; operator: string; answer: string | null },
): Promise<RefundRequestRow> {
  const { grant, operator, answer } = decision;
  const now = parts.clock.now();
  const made = await parts.handle.db.transaction().execute(async (tx) => {
    const call = await findCallById(tx, callId);
    const decided =
      call === undefined
        ? null
        : grant
          ? await giveBack(parts, tx, { call, decidedBy: operator, answer, now })
          : await decideRefundRequest(tx, callId, {
              state: "declined",
              amountMicros: 0n,
              decidedBy: operator,
              answer,
              decidedAt: now,
            });
    if (decided === null) throw new AppError("not_found", "There is no open refund request for this call.");
    await recordOperation(tx, {
      operator,
      action: grant ? "grant-call-refund" : "decline-call-refund",
      customerId: decided.customer_id,
      subject: callId,
      reason: answer ?? `Asked for by the customer: ${decided.reason}`,
      detail: { amountMicros: String(decided.amount_micros) },
      at: now,
    });
    return decided;
  });
  tellDecided(parts, made);
  return made;
}
