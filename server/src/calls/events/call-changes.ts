import { mayMove } from "@farline/domain/calls/call-state.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { z } from "zod";
import { maxSecondsOf } from "../record/call-price.ts";
import { LIMIT_GRACE_SECONDS, type CallRow, type CallEventRow } from "../record/calls.tables.ts";
import type { CallChanges } from "../record/call.store.ts";
import type { Fact, Outcome } from "./derive-outcome.ts";

const MAX_ATTEMPTS = 8;
const LONGEST_MS = DAY_MS;
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

const trunkName = z.string().min(1).max(64);
/** Invalid values count as unknown, so that they don't invalidate the rest. */
const attempt = z.object({
  trunk: trunkName,
  started_at: z.iso.datetime({ offset: true }),
  duration_ms: z.int().min(0).max(LONGEST_MS),
  post_dial_delay_ms: z.int().min(0).max(LONGEST_MS).nullable().catch(null),
  sip_status: z.int().min(100).max(699).nullable().catch(null),
  q850_cause: z.int().min(0).max(127).nullable().catch(null),
  outcome: z.enum(["answered", "refused", "failed", "silent", "unanswered", "cancelled"]),
});
const route = z.object({ trunk: trunkName, trunk_attempts: z.array(attempt).max(MAX_ATTEMPTS) });

/**
 * Reads the trunk and its attempts from the far leg's events; empty if they name none. The hang-up overrides the answer, and the
 * earliest of several events of a kind counts.
 */
export function routeChanges(events: readonly CallEventRow[]): Pick<CallChanges, "trunk" | "trunk_attempts"> {
  const naming = events
    .filter(({ source, leg, kind }) => source === "provider" && leg === "far" && (kind === "answered" || kind === "hangup"))
    .toSorted((a, b) => rank(a) - rank(b) || a.occurred_at.getTime() - b.occurred_at.getTime() || (a.id < b.id ? -1 : 1));
  for (const { payload } of naming) {
    const read = route.safeParse(payload);
    if (read.success) return { trunk: read.data.trunk, trunk_attempts: JSON.stringify(read.data.trunk_attempts) };
  }
  return {};
}

function rank({ kind }: CallEventRow): number {
  return kind === "hangup" ? 0 : 1;
}
