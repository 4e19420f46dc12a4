import { isFinal, type CallStatus } from "@farline/domain/calls/call-state.ts";
import { billedSeconds, chargeFor } from "@farline/domain/calls/charge.ts";
import { maxSecondsOf, paidSecondsOf, rateOf } from "../../src/calls/record/call-price.ts";
import type { Books } from "./books.ts";
import type { CallService } from "./call-service.ts";
import type { CardProvider } from "./card-provider.ts";
import type { PaymentService } from "./payment-service.ts";
import type { VoiceProvider } from "./voice-provider.ts";
import type { World } from "./world.ts";

/** Everything that the invariants inspect. */
export interface Scene {
  readonly world: World;
  readonly books: ReadonlyMap<string, Books>;
  readonly calls: CallService;
  readonly payments: PaymentService;
  readonly voice: VoiceProvider;
  readonly cards: CardProvider;
}

/** A broken rule. */
export class BrokenRule extends Error {}

const STATUS_PLACE: Record<CallStatus, number> = { initiated: 0, ringing: 1, "in-progress": 2, completed: 3, failed: 3 };
/** A call is final within this time after its limit, even after crashes and outages of all parts. */
const OVERDUE_MS = 30 * 60_000;
const DEBT_MAKERS: readonly string[] = ["reverse"];

/** Invariants that must hold after every step (I1 to I7 and I9). */
export class Watcher {
  readonly #scene: Scene;
  readonly #statuses = new Map<string, CallStatus>();
  readonly #dialled = new Set<string>();
  readonly #seen = new Map<string, { booked: number; debt: bigint }>();

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  look(): void {
    this.#lookAtCalls();
    for (const [customerId, books] of this.#scene.books) this.#lookAtBooks(customerId, books);
  }

  #lookAtBooks(customerId: string, { account, booked }: Books): void {
    const sum = account.entries.reduce((total, entry) => total + entry.amount, 0n);
    must(account.balance - account.debt === sum, "I1: the balance is not the sum of the entries");
    const held = [...this.#scene.calls.rows.values()]
      .filter((row) => row.customer_id === customerId && !isFinal(row.status))
      .reduce((total, row) => total + row.held_micros, 0n);
    must(account.held === held, "I2: what is held is not what the open calls hold");
    const before = this.#seen.get(customerId) ?? { booked: 0, debt: 0n };
    const fresh = booked.slice(before.booked);
    this.#seen.set(customerId, { booked: booked.length, debt: account.debt });
    const mayOwe = fresh.some(({ what }) => DEBT_MAKERS.includes(what));
    must(account.debt <= before.debt || mayOwe, "I3: a debt grew by something else than money taken back");
    if (fresh.length > 0) must(new Set(booked.map(sourceOf)).size === booked.length, "I4: something was booked twice");
  }

  #lookAtCalls(): void {
    const { calls, world, voice } = this.#scene;
    for (const row of calls.rows.values()) {
      const before = this.#statuses.get(row.id) ?? "initiated";
      must(STATUS_PLACE[row.status] >= STATUS_PLACE[before], `I6: ${row.id} went back from ${before} to ${row.status}`);
      this.#statuses.set(row.id, row.status);
      must(row.charge_micros <= row.held_micros, `I5: ${row.id} costs more than its hold`);
      if (isFinal(row.status)) continue;
      const latestStart = row.answered_at?.getTime() ?? row.ticket_expires_at.getTime() + 120_000;
      must(world.nowMs < latestStart + maxSecondsOf(row) * 1000 + OVERDUE_MS, `I7: ${row.id} is not over`);
    }
    for (const leg of voice.legs.values()) {
      const row = calls.rows.get(leg.callId);
      must(row !== undefined, `I9: ${leg.id} is nobody's`);
      if (leg.kind === "far" && !this.#dialled.has(leg.id)) {
        this.#dialled.add(leg.id);
        must(row === undefined || !isFinal(row.status), `I9: ${leg.id} was dialled for a call that is over`);
      }
      if (leg.kind === "far" && row !== undefined)
        must(leg.limitSeconds <= paidSecondsOf(row), `I5: ${leg.id} may last longer than its hold pays for`);
    }
  }
}

/** Invariants that must hold once everything is idle, but may be violated before. */
export function checkFinalState({ calls, voice, payments, cards, books }: Scene): void {
  for (const row of calls.rows.values()) {
    must(isFinal(row.status), `I7: ${row.id} never came to an end`);
    const far = [...voice.legs.values()].filter((leg) => leg.kind === "far" && leg.callId === row.id);
    must(far.length <= 1, `I9: ${row.id} was dialled ${far.length} times`);
    const spokenMs = far.reduce((sum, leg) => sum + (leg.answeredMs === null ? 0 : (leg.endedMs ?? 0) - leg.answeredMs), 0);
    const rate = rateOf(row);
    const due = chargeFor(Math.min(billedSeconds(Math.ceil(spokenMs / 1000), rate), paidSecondsOf(row)), rate);
    must(row.charge_micros <= due, `I5: ${row.id} was charged ${row.charge_micros} for what costs ${due}`);
    // If the provider was unreachable for minutes, the call is settled in the caller's favour.
    if (row.end_reason !== "connection_lost" && row.end_reason !== "network_failure")
      must(row.charge_micros === due, `I8: ${row.id} was charged ${row.charge_micros}, but costs ${due}`);
  }
  for (const session of cards.sessions.values()) {
    const payment = payments.payments.get(session.paymentId);
    must(payment !== undefined, `I4: ${session.id} is nobody's`);
    if (payment === undefined) continue;
    const expected = session.status === "complete" ? "paid" : session.status;
    must(payment.status === expected, `I4: ${payment.id} is ${payment.status}, at the provider ${session.status}`);
  }
  for (const [customerId, { booked }] of books) checkSums({ payments, cards }, customerId, booked);
}

/** Card payments and refunds in the books equal those at the provider. */
function checkSums({ payments, cards }: Pick<Scene, "payments" | "cards">, customerId: string, booked: Books["booked"]): void {
  let atProvider = 0n;
  for (const session of cards.sessions.values()) {
    if (payments.payments.get(session.paymentId)?.customerId !== customerId || session.status !== "complete") continue;
    atProvider += session.amountMicros;
    for (const refund of session.refunds) if (refund.status !== "failed") atProvider -= refund.amountMicros;
    if (session.dispute !== null && session.dispute.status !== "won") atProvider -= session.dispute.amountMicros;
  }
  const byCard = booked
    .filter(({ key }) => /^(topup|refund|refund_failed|dispute|dispute_won):/.test(key))
    .reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
  must(byCard === atProvider, `I4: ${byCard} moved here, ${atProvider} at the card provider`);
}

/** The purpose of a posting, independent of its key. */
function sourceOf({ key }: Books["booked"][number]): string {
  return key.split(":").slice(0, 2).join(":");
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new BrokenRule(what);
}
