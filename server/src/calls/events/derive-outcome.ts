import type { CallStatus, EndReason, HungUpBy } from "@farline/contract/calls.ts";
import { MAX_FORGIVEN_MS } from "@farline/domain/calls/forgiven-silence.ts";
import type { CallLimit } from "../record/call-price.ts";
import type { Leg } from "../record/calls.tables.ts";
import { certainlyUnanswered, reasonAnswered, reasonUnanswered, type LegEnd } from "./end-reason.ts";

/** Why the service itself ends a running call: the account was frozen, has debt, its owner ended all access or its session, or an operator ended it. */
const CUT_CAUSES = ["account_frozen", "credit_owed", "access_ended", "session_ended", "ended_by_operator"] as const;
export type CutCause = (typeof CUT_CAUSES)[number];

/** A known fact about a call. Times are milliseconds since 1970 by the observer's clock. */
export type Fact =
  // From the provider's events.
  | { kind: "initiated" | "answered" | "bridged"; leg: Leg; atMs: number }
  | ({ kind: "hangup"; leg: Leg; atMs: number } & LegEnd)
  | { kind: "cost"; leg: Leg; atMs: number; micros: bigint }
  // The provider's response to a query: the leg has ended (`answeredAtMs` null: unanswered or unknown), or is unknown there.
  | { kind: "found_ended"; leg: Leg; atMs: number; answeredAtMs: number | null }
  | { kind: "found_lost"; leg: Leg; atMs: number }
  // The provider's detail record, which has both times: `answeredAtMs` is null for an unanswered leg.
  | { kind: "found_record"; leg: Leg; atMs: number; answeredAtMs: number | null }
  // The service's own actions and observations.
  | { kind: "cancelled" | "ticket_expired" | "limit_passed" | CutCause; leg: null; atMs: number }
  // The service answered the browser's leg itself, because the provider requires that before dialling.
  | { kind: "parked_leg_answered"; leg: null; atMs: number }
  // The command to dial failed; `callerGone`: because the browser's leg had ended.
  | { kind: "transfer_failed"; leg: null; atMs: number; callerGone: boolean };

/** Facts whose time matters: all except costs. */
type Moment = Exclude<Fact, { kind: "cost" }>;

export interface Outcome {
  status: CallStatus;
  startedAtMs: number | null;
  answeredAtMs: number | null;
  /** Null while the call is running. */
  end: CallEnd | null;
  /** A leg has ended, but the facts are not sufficient to settle: query the provider. */
  needsProof: boolean;
  carrierCostMicros: bigint | null;
}

interface CallEnd {
  atMs: number;
  reason: EndReason;
  hungUpBy: HungUpBy | null;
  /** From the answer to the end, or to the start of the silence. */
  durationMs: number;
  /** The time before the exchange gave up a lost side, up to the part that may be free. */
  silence: Silence | null;
}

/** The end of a call during which one side could no longer be heard. */
export interface Silence {
  ms: number;
  /** Whether neither side can have caused it, because the exchange itself failed. */
  isOurFault: boolean;
}

/** A call's end; `answeredAtMs` is null for an unanswered call. */
interface Ending {
  atMs: number;
  /** When a lost side was last heard; absent if it was heard to the end, or never. */
  heardUntilMs?: number | null;
  isOurFault?: boolean;
  answeredAtMs: number | null;
  reason: EndReason;
}

/**
 * Derives a call's state from its facts, regardless of their order and repetition. The charge runs from the far leg's answer to its
 * end. The browser's leg only counts if there is no far leg.
 * @param limit where the provider cuts the call; the result is never longer
 */
export function deriveOutcome(facts: readonly Fact[], limit: CallLimit): Outcome {
  const known = new KnownFacts(facts);
  const ending = known.farSeen ? endOfDialledCall(known, limit) : endOfUndialledCall(known, limit);
  const answeredAtMs = ending === null ? known.farAnsweredMs : ending.answeredAtMs;
  const startedAtMs = known.earliest("initiated", "far") ?? known.farAnsweredMs;
  return {
    status: statusOf(known, ending),
    startedAtMs: startedAtMs ?? answeredAtMs,
    answeredAtMs,
    end: ending && endOf(known, ending, limit),
    needsProof: ending === null && (known.hangup("far") !== null || known.hangup("parked") !== null),
    carrierCostMicros: known.carrierCostMicros,
  };
}

function endOf(known: KnownFacts, ending: Ending, limit: CallLimit): NonNullable<Outcome["end"]> {
  const reason = cutReason(known, ending) ?? ending.reason;
  return {
    atMs: Math.max(ending.atMs, ending.answeredAtMs ?? ending.atMs),
    reason,
    hungUpBy: reason === "hangup" ? known.hungUpBy : null,
    ...lengthOf(ending, limit),
  };
}

/** Reads facts by kind and leg, independent of their order. */
class KnownFacts {
  readonly #facts: readonly Fact[];
  readonly farAnsweredMs: number | null;
  /** Whether the provider ever reported a leg to the called person. */
  readonly farSeen: boolean;

  constructor(facts: readonly Fact[]) {
    this.#facts = facts;
    this.farAnsweredMs = this.earliest("answered", "far");
    this.farSeen = facts.some((fact) => fact.leg === "far" && fact.kind !== "cost");
  }

  /** The earliest fact of a kind, with a fixed order for ties. */
  first<K extends Moment["kind"]>(kind: K, leg: Leg | null): Extract<Moment, { kind: K }> | null {
    const found = this.#facts.filter((fact): fact is Extract<Moment, { kind: K }> => fact.kind === kind && fact.leg === leg);
    return found.toSorted((a, b) => a.atMs - b.atMs || JSON.stringify(a).localeCompare(JSON.stringify(b)))[0] ?? null;
  }

  earliest(kind: Moment["kind"], leg: Leg | null): number | null {
    return this.first(kind, leg)?.atMs ?? null;
  }

  /** The browser's leg is answered together with the far leg, unless the service answered it itself. */
  get parkedAnsweredMs(): number | null {
    return this.first("parked_leg_answered", null) === null ? this.earliest("answered", "parked") : null;
  }

  hangup(leg: Leg) {
    return this.first("hangup", leg);
  }

  /** The side that the provider names, preferably at the far leg's end. */
  get hungUpBy(): HungUpBy | null {
    const sources = [this.hangup("far")?.source, this.hangup("parked")?.source];
    return sources.find((source) => source === "caller" || source === "callee") ?? null;
  }

  /** The sum over the legs, with the highest of several reports for a leg. */
  get carrierCostMicros(): bigint | null {
    const byLeg = new Map<Leg, bigint>();
    for (const fact of this.#facts)
      if (fact.kind === "cost" && fact.micros >= (byLeg.get(fact.leg) ?? 0n)) byLeg.set(fact.leg, fact.micros);
    return byLeg.size === 0 ? null : [...byLeg.values()].reduce((sum, micros) => sum + micros, 0n);
  }
}

function endOfDialledCall(known: KnownFacts, limit: CallLimit): Ending | null {
  const hangup = known.hangup("far");
  const record = known.first("found_record", "far");
  const ended = record ?? known.first("found_ended", "far");
  const lost = known.first("found_lost", "far");
  const provenMs = known.farAnsweredMs ?? ended?.answeredAtMs ?? null;
  const likelyMs = record === null ? known.parkedAnsweredMs : null;
  if (hangup !== null) {
    if (provenMs !== null) {
      const { atMs, heardUntilMs, source } = hangup;
      const isOurFault = source !== "caller" && source !== "callee";
      return { atMs, answeredAtMs: provenMs, reason: reasonAnswered(hangup, limit.reason), heardUntilMs, isOurFault };
    }
    if (certainlyUnanswered(hangup)) return { atMs: hangup.atMs, answeredAtMs: null, reason: reasonUnanswered(hangup) };
    if (ended === null && lost === null) return null;
    const reason = likelyMs === null ? reasonUnanswered(hangup) : reasonAnswered(hangup, limit.reason);
    return { atMs: hangup.atMs, answeredAtMs: likelyMs, reason };
  }
  const answeredAtMs = provenMs ?? likelyMs;
  const limitPassedMs = known.earliest("limit_passed", null);
  if (limitPassedMs !== null && answeredAtMs !== null)
    return { atMs: answeredAtMs + limit.seconds * 1000, answeredAtMs, reason: limit.reason };
  if (ended !== null) return { atMs: ended.atMs, answeredAtMs, reason: answeredAtMs === null ? "network_failure" : "hangup" };
  if (lost !== null)
    return { atMs: lost.atMs, answeredAtMs, reason: answeredAtMs === null ? "network_failure" : "connection_lost" };
  if (limitPassedMs !== null) return { atMs: limitPassedMs, answeredAtMs: null, reason: "no_answer" };
  return null;
}

/** The end of a call without any event of a far leg. */
function endOfUndialledCall(known: KnownFacts, limit: CallLimit): Ending | null {
  const hangup = known.hangup("parked");
  const failed = known.first("transfer_failed", null);
  const dialled = known.earliest("initiated", "parked") !== null;
  if (failed !== null)
    return {
      atMs: Math.min(failed.atMs, hangup?.atMs ?? failed.atMs),
      answeredAtMs: null,
      reason: failed.callerGone ? "cancelled" : "network_failure",
    };
  if (hangup !== null && !dialled) return { atMs: hangup.atMs, answeredAtMs: null, reason: "cancelled" };
  if (dialled) return endOfDialWithoutLeg(known, { hangup, limit });
  const cancelledMs = known.earliest("cancelled", null);
  if (cancelledMs !== null) return { atMs: cancelledMs, answeredAtMs: null, reason: "cancelled" };
  const expiredMs = known.earliest("ticket_expired", null);
  return expiredMs === null ? null : { atMs: expiredMs, answeredAtMs: null, reason: "never_connected" };
}

/** The end of a dialled call whose far events were all missed, derived from the browser's leg, which is answered and ends with it. */
function endOfDialWithoutLeg(known: KnownFacts, { hangup, limit }: { hangup: LegEnd | null; limit: CallLimit }): Ending | null {
  const over = known.first("found_ended", "parked") ?? known.first("found_lost", "parked");
  if (over === null) return null;
  const proven = over.kind === "found_ended" ? over.answeredAtMs : null;
  const answeredAtMs = known.parkedAnsweredMs ?? proven;
  const atMs = known.earliest("hangup", "parked") ?? over.atMs;
  if (answeredAtMs !== null)
    return { atMs, answeredAtMs, reason: hangup === null ? "connection_lost" : reasonAnswered(hangup, limit.reason) };
  return { atMs, answeredAtMs: null, reason: hangup === null ? "network_failure" : reasonUnanswered(hangup) };
}

/** The reason of a call that the service ended and that looks like an ordinary hang-up; null for any other. */
function cutReason(known: KnownFacts, ending: Ending): EndReason | null {
  const looksOrdinary = ending.reason === "hangup" || ending.reason === "cancelled";
  const cause = looksOrdinary ? CUT_CAUSES.find((kind) => known.earliest(kind, null) !== null) : undefined;
  if (cause === undefined) return null;
  return cause === "session_ended" ? "signed_out" : "refused";
}

function lengthOf(ending: Ending, limit: CallLimit): Pick<CallEnd, "durationMs" | "silence"> {
  const { answeredAtMs, atMs, isOurFault = false } = ending;
  if (answeredAtMs === null) return { durationMs: 0, silence: null };
  const until = (untilMs: number) => Math.min(Math.max(0, untilMs - answeredAtMs), limit.paidSeconds * 1000);
  const durationMs = until(silentFromMs(ending, limit));
  const ms = until(atMs) - durationMs;
  return { durationMs, silence: ms === 0 ? null : { ms, isOurFault } };
}

/** Start of the free silence: at most `MAX_FORGIVEN_MS` before the end, and none if the called side could profit from it. */
function silentFromMs({ atMs, reason, heardUntilMs }: Ending, { silenceMayBeFree }: CallLimit): number {
  if (!silenceMayBeFree || reason !== "connection_lost") return atMs;
  return Math.min(atMs, Math.max(heardUntilMs ?? atMs, atMs - MAX_FORGIVEN_MS));
}

function statusOf(known: KnownFacts, ending: Ending | null): CallStatus {
  if (ending !== null) return ending.answeredAtMs === null ? "failed" : "completed";
  if (known.farAnsweredMs !== null) return "in-progress";
  return known.farSeen ? "ringing" : "initiated";
}
