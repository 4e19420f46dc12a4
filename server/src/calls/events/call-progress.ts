import { mayMove } from "@farline/domain/calls/call-state.ts";
import { maxSecondsOf } from "../record/call-price.ts";
import { type CallRow, LIMIT_GRACE_SECONDS } from "../record/calls.tables.ts";
import type { CallChanges } from "../record/call.store.ts";
import type { Fact, Outcome } from "./derive-outcome.ts";

/** How often the sweeper checks a live call. */
const LIVE_CHECK_MS = 10_000;
/** When the sweeper checks a call whose end is unproven, or whose settlement failed. */
const PROOF_CHECK_MS = 2_000;

/** The changes that the known facts make to an unsettled call. The settlement writes the end together with the charge. */
export function progressChanges(call: CallRow, outcome: Outcome, facts: readonly Fact[], now: Date): CallChanges {
  const date = (ms: number | null) => (ms === null ? null : new Date(ms));
  const answeredAt = date(outcome.answeredAtMs);
  const oneLegLeft = outcome.end === null && facts.some((fact) => fact.kind === "hangup");
  return {
    status: outcome.end === null && mayMove(call.status, outcome.status) ? outcome.status : call.status,
    started_at: date(outcome.startedAtMs),
    answered_at: answeredAt,
    ends_at: outcome.answeredAtMs === null ? null : date(outcome.answeredAtMs + maxSecondsOf(call) * 1000),
    carrier_cost_micros: outcome.carrierCostMicros,
    last_seen_alive_at: later(call.last_seen_alive_at, answeredAt),
    hangup_requested_at: call.hangup_requested_at ?? (oneLegLeft ? now : null),
    next_check_at: nextCheckAt(call, outcome, now),
    // The status shows the end only after the settlement, so the ticket is closed here to prevent dialling.
    ...(outcome.end !== null && { ticket_used_at: call.ticket_used_at ?? now }),
  };
}

function nextCheckAt(call: CallRow, outcome: Outcome, now: Date): Date {
  if (outcome.needsProof || outcome.end !== null) return new Date(now.getTime() + PROOF_CHECK_MS);
  const regular = now.getTime() + LIVE_CHECK_MS;
  if (outcome.answeredAtMs === null) return new Date(regular);
  const deadline = outcome.answeredAtMs + (maxSecondsOf(call) + LIMIT_GRACE_SECONDS) * 1000;
  return new Date(Math.min(regular, Math.max(deadline, now.getTime())));
}

function later(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}
