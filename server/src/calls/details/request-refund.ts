import { DAY_MS } from "@farline/domain/durations.ts";
import type { RefundReason } from "@farline/contract/call-details.ts";
import { REFUND_DAYS } from "@farline/contract/constants.ts";
import { isFinal } from "@farline/domain/calls/call-state.ts";
import { formatInternational } from "@farline/domain/numbers/number-plans.ts";
import { settledBefore, tierOf } from "@farline/domain/calls/risk-tier.ts";
import { findCustomer } from "../../accounts/accounts.ts";
import { callChargeKey, callRefundKey } from "../../ledger/ledger.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import { readPaymentFacts } from "../../risk/risk.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { readCallSound } from "./quality.store.ts";
import type { RefundRequestRow } from "./details.tables.ts";
import { BY_RULE, decideRefundRequest, readRuleRefunds, insertRefundRequest, lockRefunds } from "./refund-request.store.ts";
import { REFUND_RULE, refundsByRule, type RefundEvidence } from "./refund-rule.ts";
import type { Context } from "../../context.ts";

/** Whether a refund can be requested: the call was charged and ended recently. */
export function isRefundable(call: CallRow, now: Date): boolean {
  const over = isFinal(call.status) && call.ended_at !== null && call.charge_micros > 0n;
  return over && now.getTime() <= (call.ended_at?.getTime() ?? 0) + REFUND_DAYS * DAY_MS;
}

/**
 * Writes a refund request with the evidence about the call. If the rule grants it, refunds the charge in the same transaction
 * that counted the rule's limits; otherwise the request waits for an operator.
 * @throws AppError conflict if there is nothing to refund, or a request exists
 */
export async function requestRefund(
  ctx: Context,
  call: CallRow,
  { reason, note }: { reason: RefundReason; note: string },
): Promise<RefundRequestRow> {
  const now = ctx.clock.now();
  if (!isRefundable(call, now)) throw new AppError("conflict", { reason: "refund_no_charge" });
  const made = await ctx.transaction(async (tx) => {
    await lockRefunds(tx);
    const evidence = await gatherEvidence(ctx, tx, call, now);
    const request = await insertRefundRequest(tx, {
      callId: call.id,
      customerId: call.customer_id,
      reason,
      note,
      evidence,
      createdAt: now,
    });
    if (request === null) throw new AppError("conflict", { reason: "refund_asked" });
    if (!refundsByRule(reason, evidence)) return request;
    const refunded = await refundCharge(ctx, tx, { call, decidedBy: BY_RULE, answer: null, now });
    ctx.log.info({ call: call.id, reason, micros: evidence.chargeMicros }, "call refunded automatically");
    return refunded ?? request;
  });
  publishRefundDecision(ctx, made, call);
  return made;
}

/** Writes the request that an operator makes for a customer; nothing if there is one. */
export async function insertRequestOf(tx: Tx, ctx: Context, call: CallRow, now: Date): Promise<void> {
  const evidence = await gatherEvidence(ctx, tx, call, now);
  const row = { callId: call.id, customerId: call.customer_id, reason: "other", note: "", evidence, createdAt: now } as const;
  await insertRefundRequest(tx, row);
}

/** Publishes live hints so that the customer's pages reload. Call it after the commit. */
export function publishRefundDecision({ live }: Context, request: RefundRequestRow, { payer_id: payerId }: CallRow): void {
  live.publish(request.customer_id, { type: "call", id: request.call_id });
  if (request.state !== "refunded") return;
  live.publish(payerId ?? request.customer_id, { type: "balance" });
  live.publish(payerId ?? request.customer_id, { type: "transactions" });
}

/** Refunds the charge and records the decision; null if the request is not open. Bonus credit is restored as bonus. */
export async function refundCharge(
  { ledger }: Context,
  tx: Tx,
  d: { call: CallRow; decidedBy: string; answer: string | null; now: Date },
): Promise<RefundRequestRow | null> {
  const { call } = d;
  const decided = await decideRefundRequest(tx, call.id, {
    state: "refunded",
    amountMicros: call.charge_micros,
    decidedBy: d.decidedBy,
    answer: d.answer,
    decidedAt: d.now,
  });
  if (decided === null) return null;
  await ledger.restore(tx, {
    key: callRefundKey(call.id),
    restoredKey: callChargeKey(call.id),
    description:
      call.payer_id === null
        ? `Refund of the call to ${formatInternational(call.destination)}`
        : "Refund of a family member's call",
  });
  return decided;
}

async function gatherEvidence({ ledger }: Context, tx: Tx, call: CallRow, now: Date): Promise<RefundEvidence> {
  const sound = await readCallSound(tx, call.id);
  const customer = await findCustomer(tx, call.payer_id ?? call.customer_id);
  if (customer === undefined) throw new Error("The customer who paid for the call does not exist.");
  const facts = await readPaymentFacts(tx, customer.id, now);
  const paidMicros = await ledger.paidForCalls(tx, customer.id, settledBefore(now));
  const { longSettledMicros: stayedMicros } = facts;
  const scores = sound.samples.map(({ mos }) => mos);
  return {
    endReason: call.end_reason,
    durationMs: call.duration_ms,
    chargeMicros: String(call.charge_micros),
    priceClass: call.price_class,
    packetsFromCaller: sound.from_caller?.packets ?? null,
    packetsFromCalled: sound.from_called?.packets ?? null,
    heard:
      scores.length === 0
        ? null
        : {
            samples: scores.length,
            meanMos: scores.reduce((sum, score) => sum + score, 0) / scores.length,
            worstMos: Math.min(...scores),
          },
    tier: tierOf({ ...facts, ...customer }, now),
    historyMicros: String(paidMicros < stayedMicros ? paidMicros : stayedMicros),
    byRule: await readRuleRefunds(tx, call, {
      span: new Date(now.getTime() - REFUND_RULE.spanDays * DAY_MS),
      day: new Date(now.getTime() - DAY_MS),
    }),
  };
}
