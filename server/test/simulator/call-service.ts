import { isFinal, mayMove } from "@farline/domain/calls/call-state.ts";
import { type BillingRate, chargeFor } from "@farline/domain/calls/charge.ts";
import { decideCall, decideExtension } from "@farline/domain/calls/decide-call.ts";
import { type CallRow, LIMIT_GRACE_SECONDS, RING_LIMIT_SECONDS } from "../../src/calls/record/calls.tables.ts";
import { limitOf, maxSecondsOf, paidSecondsOf, priceOf, rateOf } from "../../src/calls/record/call-price.ts";
import { deriveOutcome, type Fact, type Outcome } from "../../src/calls/events/derive-outcome.ts";
import { authoriseRequest } from "../draft-call.ts";
import type { Books } from "./books.ts";
import { countersOf, simLimits } from "./call-records.ts";
import type { VoiceEvent, VoiceProvider } from "./voice-provider.ts";
import { NoResponse, type Task, type World } from "./world.ts";

const SWEEP_MS = 5_000;
const UNDIALLED_MS = 20_000;
const PATIENCE_MS = 10_000;
const REPEAT_DIAL_MS = 50_000;
const UNSEEN_ANSWER_MS = 60_000;
const GIVE_UP_MS = 5 * 60_000;

interface LegNames {
  readonly id: string;
  readonly kind: "parked" | "far";
}

/**
 * The calls subject as short transactions with the network between them. It runs the product's own code for the outcome of
 * a call (`deriveOutcome`), its longest duration and its price (`call-price`).
 */
export class CallService {
  readonly rows = new Map<string, CallRow>();
  readonly #facts = new Map<string, Map<string, Fact>>();
  readonly #world: World;
  readonly #voice: () => VoiceProvider;
  readonly #booksOf: (customerId: string) => Books;
  readonly #isFrozen: (customerId: string) => boolean;
  #sweeping = false;

  constructor(
    world: World,
    ctx: { voice: () => VoiceProvider; booksOf: (customerId: string) => Books; isFrozen: (customerId: string) => boolean },
  ) {
    this.#world = world;
    this.#voice = ctx.voice;
    this.#booksOf = ctx.booksOf;
    this.#isFrozen = ctx.isFrozen;
  }

  /** `POST /calls/initiate`. `answer` gets the call's id if the response arrives. */
  *authorise(asked: { customerId: string; key: string; rate: BillingRate }, answer: (callId: string) => void): Task {
    const { customerId, key, rate } = asked;
    const books = this.#booksOf(customerId);
    const stale = countersOf(books.account, 0);
    yield this.#world.moment();
    const row = this.#world.commit(() => {
      const known = [...this.rows.values()].find((one) => one.idempotency_key === key);
      if (known !== undefined) return known;
      const id = `call-${this.rows.size + 1}`;
      const { draft, proposed } = authoriseRequest(customerId, {
        ...{ at: new Date(this.#world.nowMs), rate, key },
        proposed: { tier: "new", limits: simLimits, callerIsFrozen: this.#isFrozen(customerId) },
      });
      const live = this.#liveOf(customerId).length;
      const onStale = this.#world.has("holds_on_a_stale_balance");
      const { allowed } = decideCall(proposed, onStale ? { ...stale, liveCalls: live } : countersOf(books.account, live));
      if (allowed === undefined) return null;
      const { capSeconds, holdMicros, boundedBy } = allowed;
      if (onStale) books.holdUnchecked(id, holdMicros);
      else if (books.hold(id, holdMicros, holdMicros) === null) throw new Error(`The ledger refused the hold of ${id}.`);
      const made: CallRow = {
        ...draft,
        id,
        cap_seconds: capSeconds,
        held_micros: holdMicros,
        bounded_by: boundedBy,
        decided_by: null,
      };
      this.rows.set(id, made);
      this.#facts.set(id, new Map());
      this.#startSweeping();
      return made;
    });
    if (row === null) return;
    yield this.#world.moment();
    if (!this.#world.random.chance(this.#world.failureRates.responseLost)) answer(row.id);
  }

  /** Handles an event at the provider's webhook. */
  *hear(event: VoiceEvent): Task {
    const { leg, kind, atMs } = event;
    yield this.#world.moment();
    if (leg.kind === "parked" && kind === "initiated") {
      yield* this.#dialParkedLeg(event);
      return;
    }
    const row = this.rows.get(leg.callId);
    if (row === undefined) throw new Error(`An event of ${leg.id}, which is nobody's.`);
    const fact: Fact = kind === "hangup" && leg.end !== null ? { kind, leg: leg.kind, atMs, ...leg.end } : toFact(event);
    const needsProof = yield* this.#record(row.id, event.id, fact, leg);
    if (kind !== "hangup" && isFinal(this.#row(row.id).status)) {
      yield this.#world.moment();
      this.#world.request("voice", () => this.#voice().hangUp(leg.id));
    }
    if (!needsProof || this.#world.has("never_sweeps")) return;
    yield this.#world.moment();
    yield* this.#check(row.id);
  }

  *#dialParkedLeg({ id, leg, atMs }: VoiceEvent): Task {
    const now = new Date(this.#world.nowMs);
    const redeemed = this.#world.commit(() => {
      const row = this.#row(leg.callId);
      if (row.ticket_used_at !== null || row.ticket_expires_at <= now || isFinal(row.status)) return false;
      this.#change(row.id, { ticket_used_at: now, parked_call_control_id: leg.id, next_check_at: now });
      this.#note(row.id, id, { kind: "initiated", leg: "parked", atMs }, leg);
      return true;
    });
    yield this.#world.moment();
    const row = this.#row(leg.callId);
    if (redeemed) yield* this.#dial(row);
    else if (row.parked_call_control_id === leg.id) yield* this.#redial(row.id, id, leg);
    else this.#world.request("voice", () => this.#voice().hangUp(leg.id));
  }

  *#redial(callId: string, eventId: string, leg: VoiceEvent["leg"]): Task {
    yield* this.#record(callId, eventId, { kind: "initiated", leg: "parked", atMs: leg.startedMs }, leg);
    yield this.#world.moment();
    const row = this.#row(callId);
    const mayRepeat =
      row.transferred_at === null &&
      row.far_call_control_id === null &&
      !isFinal(row.status) &&
      this.#world.nowMs - usedMs(row) < REPEAT_DIAL_MS;
    if (mayRepeat) yield* this.#dial(row);
    else if (isFinal(row.status)) this.#world.request("voice", () => this.#voice().hangUp(leg.id));
  }

  /** `POST /calls/:id/hangup`. */
  *hangUp(callId: string): Task {
    yield this.#world.moment();
    if (isFinal(this.#row(callId).status)) return;
    if (this.#row(callId).parked_call_control_id === null) {
      yield* this.#record(callId, `${callId}:cancelled`, { kind: "cancelled", leg: null, atMs: this.#world.nowMs });
      if (isFinal(this.#row(callId).status)) return;
    }
    const at = new Date(this.#world.nowMs);
    const row = this.#world.commit(() => {
      const { status, hangup_requested_at } = this.#row(callId);
      return isFinal(status) ? null : this.#change(callId, { hangup_requested_at: hangup_requested_at ?? at });
    });
    yield this.#world.moment();
    if (row !== null) this.#endLegs(row);
  }

  /** Whether both legs are known to have ended. */
  #endLegs({ far_call_control_id, parked_call_control_id }: CallRow): boolean {
    const legs = [far_call_control_id, parked_call_control_id].filter((id) => id !== null);
    return !legs.map((id) => this.#tryAsk(() => this.#voice().hangUp(id))).includes(null);
  }

  *#dial(row: CallRow): Task {
    const parkedId = row.parked_call_control_id ?? "";
    const newCommand = this.#world.has("dials_again_under_a_new_command") ? `-${this.#world.nowMs}` : "";
    const answer = this.#tryAsk(() => this.#voice().transfer(parkedId, maxSecondsOf(row), `xfer-${row.id}${newCommand}`));
    yield this.#world.moment();
    const at = new Date(this.#world.nowMs);
    if (answer === "accepted") {
      this.#world.commit(() => this.#change(row.id, { transferred_at: at }));
      return;
    }
    const failed: Fact = { kind: "transfer_failed", leg: null, atMs: at.getTime(), callerGone: answer === "refused" };
    if (answer === "refused") yield* this.#record(row.id, `${row.id}:failed`, failed);
    const gone = this.#tryAsk(() => this.#voice().hangUp(parkedId));
    yield this.#world.moment();
    if (answer === null && gone === true) yield* this.#record(row.id, `${row.id}:failed`, failed);
  }

  /** Extends a running call after credit arrived. */
  *extendByCredit(customerId: string): Task {
    yield this.#world.moment();
    for (const row of this.#liveOf(customerId)) yield* this.#extend(row.id);
  }

  *#extend(callId: string): Task {
    const before = this.#row(callId);
    const farId = before.far_call_control_id;
    if (isFinal(before.status) || farId === null || before.hangup_requested_at !== null) return;
    const wantMicros = chargeFor(before.cap_seconds, rateOf(before));
    if (this.#world.has("extends_before_it_holds")) {
      const hoped = before.held_micros + this.#booksOf(before.customer_id).account.available;
      const hopedRow = { ...before, limit_seconds: null, held_micros: hoped < wantMicros ? hoped : wantMicros };
      this.#world.request("voice", () => this.#voice().extend(farId, paidSecondsOf(hopedRow)));
      yield this.#world.moment();
    }
    const grown = this.#world.commit(() => {
      const row = this.#row(callId);
      if (isFinal(row.status)) return row;
      const limit_seconds = row.limit_seconds ?? maxSecondsOf(before);
      const books = this.#booksOf(row.customer_id);
      const counters = countersOf(books.account, 0);
      const { holdMicros, boundedBy } = decideExtension(runningTerms(row), {
        ...counters,
        heldMicros: counters.heldMicros - row.held_micros,
      });
      if (holdMicros > row.held_micros) books.extend(callId, holdMicros);
      return this.#change(callId, { held_micros: holdMicros, bounded_by: boundedBy, limit_seconds });
    });
    const seconds = paidSecondsOf(grown);
    if (isFinal(grown.status) || seconds <= maxSecondsOf(grown)) return;
    yield this.#world.moment();
    const answer = this.#world.request("voice", () => this.#voice().extend(farId, seconds));
    yield this.#world.moment();
    if (answer !== "accepted") return;
    this.#world.commit(() => {
      const row = this.#row(callId);
      if (!isFinal(row.status)) this.#change(callId, { limit_seconds: Math.max(row.limit_seconds ?? 0, seconds) });
    });
  }

  /** Sweeps while any call is running. */
  #startSweeping(): void {
    if (this.#sweeping || this.#world.has("never_sweeps")) return;
    this.#sweeping = true;
    const tick = () => {
      const live = [...this.rows.values()].filter((row) => !isFinal(row.status));
      this.#sweeping = live.length > 0;
      if (!this.#sweeping) return;
      for (const row of live) this.#world.serve(`looks at ${row.id}`, () => this.#check(row.id));
      this.#world.after(SWEEP_MS, tick);
    };
    this.#world.after(SWEEP_MS, tick);
  }

  *#check(callId: string): Task {
    const row = this.#row(callId);
    const { nowMs } = this.#world;
    if (isFinal(row.status)) return;
    if (row.parked_call_control_id === null) {
      if (nowMs >= row.ticket_expires_at.getTime())
        yield* this.#record(callId, `${callId}:expired`, { kind: "ticket_expired", leg: null, atMs: nowMs });
      else if (row.ticket_used_at !== null)
        yield* this.#record(callId, `${callId}:cancelled`, { kind: "cancelled", leg: null, atMs: nowMs });
      return;
    }
    const legId = row.far_call_control_id ?? row.parked_call_control_id;
    const leg = row.far_call_control_id === null ? "parked" : "far";
    const status = this.#tryAsk(() => this.#voice().status(legId));
    yield this.#world.moment();
    if (status === null) {
      if (nowMs > overMs(row) + GIVE_UP_MS) yield* this.#recordLost(row, leg);
    } else if (status.state === "alive") yield* this.#checkLiving(row, leg);
    else yield* this.#checkOver(row, leg, status);
  }

  *#checkLiving(found: CallRow, leg: "parked" | "far"): Task {
    const at = new Date(this.#world.nowMs);
    this.#world.commit(() => isFinal(this.#row(found.id).status) || this.#change(found.id, { last_seen_alive_at: at }));
    const frozen = this.#isFrozen(found.customer_id);
    const spare = this.#booksOf(found.customer_id).account.available > 0n;
    if (!frozen && (spare || maxSecondsOf(found) < paidSecondsOf(found))) yield* this.#extend(found.id);
    const row = this.#row(found.id);
    const over = at.getTime() > overMs(row);
    const neverDialled = leg === "parked" && row.transferred_at === null && at.getTime() > usedMs(row) + UNDIALLED_MS;
    if (!over && !neverDialled && !frozen && row.hangup_requested_at === null) return;
    if (frozen) yield* this.#record(row.id, `${row.id}:frozen`, { kind: "account_frozen", leg: null, atMs: at.getTime() });
    const gone = this.#endLegs(row);
    yield this.#world.moment();
    const failed: Fact = { kind: "transfer_failed", leg: null, atMs: at.getTime(), callerGone: false };
    if (neverDialled && gone) yield* this.#record(row.id, `${row.id}:failed`, failed);
  }

  *#checkOver(row: CallRow, leg: "parked" | "far", status: { endedMs: number; answeredMs: number | null }): Task {
    const { nowMs } = this.#world;
    if (leg === "parked" && row.hangup_requested_at === null) {
      this.#world.commit(
        () => isFinal(this.#row(row.id).status) || this.#change(row.id, { hangup_requested_at: new Date(nowMs) }),
      );
      return;
    }
    if (leg === "parked" && nowMs < (row.hangup_requested_at?.getTime() ?? 0) + PATIENCE_MS) return;
    yield this.#world.moment();
    const fact: Fact = { kind: "found_ended", leg, atMs: status.endedMs, answeredAtMs: status.answeredMs };
    yield* this.#record(row.id, `${row.id}:found:${leg}`, fact);
  }

  *#recordLost(row: CallRow, leg: "parked" | "far"): Task {
    const atMs = (row.last_seen_alive_at ?? row.answered_at ?? new Date(this.#world.nowMs)).getTime();
    yield* this.#record(row.id, `${row.id}:lost:${leg}`, { kind: "found_lost", leg, atMs });
  }

  /**
   * Stores a fact about a call and derives its outcome from all facts; an ended call is settled in a separate transaction.
   * Returns true if the provider must be asked.
   */
  *#record(callId: string, eventId: string, fact: Fact, names?: LegNames): Generator<number, boolean, void> {
    const outcome = this.#world.commit(() => this.#note(callId, eventId, fact, names));
    if (outcome === null) return false;
    if (outcome.end !== null) {
      yield this.#world.moment();
      this.#world.commit(() => this.#settle(callId, outcome));
    }
    return outcome.needsProof;
  }

  /** Null if the call had ended before. */
  #note(callId: string, eventId: string, fact: Fact, names?: LegNames): Outcome | null {
    let row = this.#row(callId);
    const known = this.#facts.get(callId) ?? new Map<string, Fact>();
    const isNew = !known.has(eventId);
    known.set(eventId, fact);
    if (names?.kind === "far" && row.far_call_control_id === null && !isFinal(row.status))
      row = this.#change(callId, { far_call_control_id: names.id });
    const outcome = deriveOutcome([...known.values()], limitOf(row));
    if (isFinal(row.status)) {
      if (this.#world.has("settles_twice") && isNew && outcome.end !== null)
        this.#booksOf(row.customer_id).forceCharge(`call:${callId}`, priceOf(row, outcome.end.durationMs).chargeMicros);
      if (this.#world.has("moves_backward") && isNew && fact.kind === "answered") this.#change(callId, { status: "in-progress" });
      return null;
    }
    this.#change(callId, {
      status: outcome.end === null && mayMove(row.status, outcome.status) ? outcome.status : row.status,
      answered_at: outcome.answeredAtMs === null ? null : new Date(outcome.answeredAtMs),
      ...(outcome.end !== null &&
        !this.#world.has("leaves_the_ticket_of_an_ended_call_open") && {
          ticket_used_at: row.ticket_used_at ?? new Date(this.#world.nowMs),
        }),
    });
    return outcome;
  }

  /** Another instance may have settled it meanwhile, perhaps from fewer facts. */
  #settle(callId: string, { status, answeredAtMs, end }: Outcome): void {
    const row = this.#row(callId);
    if (end === null || isFinal(row.status)) return;
    const { chargeMicros, billedSeconds } = priceOf(row, end.durationMs);
    const books = this.#booksOf(row.customer_id);
    if (chargeMicros > 0n) books.post(row.id, chargeMicros);
    else if (!this.#world.has("keeps_the_hold_of_an_unanswered_call")) books.void(row.id);
    this.#world.note(`${row.id} is settled: ${end.reason}, ${end.durationMs} ms, ${chargeMicros}`);
    this.#change(row.id, {
      ...{ status, answered_at: answeredAtMs === null ? null : new Date(answeredAtMs) },
      ...{ end_reason: end.reason, ended_at: new Date(end.atMs), duration_ms: end.durationMs },
      ...{ billed_seconds: billedSeconds, charge_micros: chargeMicros, next_check_at: null },
    });
  }

  #row(callId: string): CallRow {
    const row = this.rows.get(callId);
    if (row === undefined) throw new Error(`There is no ${callId}.`);
    return row;
  }

  #change(callId: string, change: Partial<CallRow>): CallRow {
    const changed = { ...this.#row(callId), ...change };
    this.rows.set(callId, changed);
    return changed;
  }

  #liveOf(customerId: string): readonly CallRow[] {
    return [...this.rows.values()].filter((row) => row.customer_id === customerId && !isFinal(row.status));
  }

  /** Null if it is unknown whether it was done. */
  #tryAsk<T>(request: () => T): T | null {
    try {
      return this.#world.request("voice", request);
    } catch (error) {
      if (error instanceof NoResponse) return null;
      throw error;
    }
  }
}

function toFact({ kind, leg, atMs }: VoiceEvent): Fact {
  if (kind === "hangup") throw new Error("A leg that hung up has an end.");
  return { kind, leg: leg.kind, atMs };
}

function runningTerms(row: CallRow) {
  const terms = { limits: simLimits, freshPayments: [], hasOnlyFirstCall: false, isOnFamilyCredit: false };
  return { ...terms, priceClass: row.price_class, rate: rateOf(row), capSeconds: row.cap_seconds, heldMicros: row.held_micros };
}

/** The latest possible end of a call. */
function overMs(row: CallRow): number {
  const maxMs = maxSecondsOf(row) * 1000;
  if (row.answered_at !== null) return row.answered_at.getTime() + maxMs + LIMIT_GRACE_SECONDS * 1000;
  return usedMs(row) + RING_LIMIT_SECONDS * 1000 + maxMs + UNSEEN_ANSWER_MS;
}

function usedMs(row: CallRow): number {
  return (row.ticket_used_at ?? row.created_at).getTime();
}
