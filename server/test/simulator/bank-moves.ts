import { sql } from "kysely";
import type { BillingWorld } from "../worlds/billing-world.ts";
import type { Random } from "./random.ts";

type Session = ReturnType<BillingWorld["stripe"]["session"]>;

const MICROS_PER_CENT = 10_000n;
/** What a bank may make of a dispute next. An appeal reopens what was lost. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  warning_needs_response: ["needs_response", "warning_closed"],
  needs_response: ["under_review", "won", "lost"],
  under_review: ["won", "lost"],
  lost: ["appeal_needs_response"],
  appeal_needs_response: ["appeal_under_review"],
  appeal_under_review: ["won", "lost"],
};
/** The bank has not taken the money, or has returned it. */
const NOT_TAKEN: readonly string[] = ["warning_needs_response", "warning_closed", "won"];

/** What the bank has taken of a payment. */
export function disputedCents({ disputes }: Session): number {
  return disputes.filter(({ status }) => !NOT_TAKEN.includes(status)).reduce((sum, { amount }) => sum + amount, 0);
}

/** What went or goes to the card. */
export function refundedCents({ refunds }: Session): number {
  return refunds.filter(({ status }) => status !== "failed").reduce((sum, { amount }) => sum + amount, 0);
}

/** The banks of the player's cards: disputes of all or a part of a payment that change on their way, and refunds that arrive late or never. */
export class BankMoves {
  readonly #world: BillingWorld;
  readonly #random: Random;

  constructor(world: BillingWorld, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  /** Disputes all or a part of what is left of one of the payments, at first perhaps as an inquiry. */
  async dispute(sessionIds: readonly string[]): Promise<void> {
    const open = this.#sessions(sessionIds).filter((one) => one.disputes.length === 0 && this.#left(one) > 0);
    if (open.length === 0) return;
    const session = this.#random.pick(open);
    const status = this.#random.pick(["needs_response", "needs_response", "warning_needs_response"]);
    await this.#hear("charge.dispute.created", session, status, this.#part(this.#left(session)));
  }

  /** One of the disputes goes on, in a third of the cases about another amount. */
  async goOn(sessionIds: readonly string[]): Promise<void> {
    const going = this.#sessions(sessionIds).filter(({ disputes }) => NEXT[disputes[0]?.status ?? ""] !== undefined);
    if (going.length === 0) return;
    const session = this.#random.pick(going);
    const [{ status, amount } = { status: "", amount: 0 }] = session.disputes;
    const next = this.#random.pick(NEXT[status] ?? []);
    const most = session.amount_total - refundedCents(session);
    const changes = this.#random.chance(0.3) && next !== "won" && most > 0;
    await this.#hear("charge.dispute.updated", session, next, changes ? this.#part(most) : amount);
  }

  /** The refunds of one of the payments that are on their way arrive, or come back. */
  async settleRefunds(sessionIds: readonly string[]): Promise<void> {
    const going = this.#sessions(sessionIds).filter(({ refunds }) => refunds.some(({ status }) => status === "pending"));
    if (going.length === 0) return;
    const { refunds, intent } = this.#random.pick(going);
    for (const refund of refunds.filter(({ status }) => status === "pending")) {
      refund.status = this.#random.chance(0.5) ? "succeeded" : "failed";
      await this.#world.hear("refund.updated", { id: refund.id, payment_intent: intent.id });
    }
  }

  /** Checks that what is booked for each payment is what its bank has taken. */
  async rule(sessionIds: readonly string[]): Promise<string | null> {
    const { rows } = await sql<{ id: string; disputed: bigint; refunded: bigint }>`
      select p.session_id as id, p.disputed_micros as disputed, p.refunded_micros as refunded from payment p where p.session_id = any (${sessionIds})`.execute(
      this.#world.database.handle.db,
    );
    for (const { id, disputed, refunded } of rows) {
      const session = this.#world.stripe.session(id);
      const [bank, card] = [disputedCents(session), refundedCents(session)].map((cents) => BigInt(cents) * MICROS_PER_CENT);
      if (disputed !== bank) return `G7: ${disputed} micro-dollars of ${id} are booked as disputed, the bank took ${bank}`;
      if (refunded !== card) return `G7: ${refunded} micro-dollars of ${id} are booked as refunded, the card got ${card}`;
    }
    return null;
  }

  #sessions(ids: readonly string[]): Session[] {
    return ids.map((id) => this.#world.stripe.session(id));
  }

  #left(session: Session): number {
    return session.amount_total - refundedCents(session);
  }

  /** All of it, or a part. */
  #part(cents: number): number {
    return this.#random.chance(0.5) ? cents : this.#random.between(1, cents);
  }

  async #hear(event: string, session: Session, status: string, cents: number): Promise<void> {
    const dispute = this.#world.stripe.dispute(session.id, status, cents);
    await this.#world.hear(event, { id: dispute.id, payment_intent: session.intent.id });
  }
}
