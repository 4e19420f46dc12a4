import type { Task, World } from "./world.ts";

export interface SimRefund {
  readonly id: string;
  /** The id of our order; null for a refund made by hand at the provider. */
  readonly orderId: string | null;
  readonly amountMicros: bigint;
  status: "pending" | "succeeded" | "failed";
}

export interface SimSession {
  readonly id: string;
  readonly paymentId: string;
  readonly amountMicros: bigint;
  status: "open" | "complete" | "expired";
  readonly refunds: SimRefund[];
  dispute: { readonly id: string; readonly amountMicros: bigint; status: "needs_response" | "won" | "lost" } | null;
}

const EXPIRES_MS = 31 * 60_000;
const DELIVERIES = 6;

/** The card provider and its banks. Its responses are the truth; its events only say that something changed. */
export class CardProvider {
  readonly sessions = new Map<string, SimSession>();
  readonly #world: World;
  readonly #tell: (sessionId: string, eventId: string) => () => Task;
  readonly #answers = new Map<string, unknown>();
  #events = 0;

  constructor(world: World, tell: (sessionId: string, eventId: string) => () => Task) {
    this.#world = world;
    this.#tell = tell;
  }

  createSession(key: string, order: { paymentId: string; amountMicros: bigint }): string {
    return this.#once(key, () => {
      const id = `cs-${this.sessions.size + 1}`;
      const session: SimSession = { id, ...order, status: "open", refunds: [], dispute: null };
      this.sessions.set(id, session);
      this.#world.after(EXPIRES_MS, () => {
        if (session.status !== "open") return;
        session.status = "expired";
        this.#happens(session);
      });
      return id;
    });
  }

  session(sessionId: string): SimSession {
    const session = this.sessions.get(sessionId);
    if (session === undefined) throw new Error(`There is no session ${sessionId}.`);
    return session;
  }

  /** A snapshot that later changes do not affect. */
  look(sessionId: string): SimSession {
    const { refunds, dispute, ...rest } = this.session(sessionId);
    return { ...rest, refunds: refunds.map((refund) => ({ ...refund })), dispute: dispute && { ...dispute } };
  }

  /** The customer pays with a valid card. */
  pay(sessionId: string): void {
    const session = this.session(sessionId);
    if (session.status !== "open") return;
    session.status = "complete";
    this.#world.note(`${sessionId} is paid`);
    this.#happens(session);
  }

  /** "refused" is final: it exceeds the rest of the payment, or the bank has reversed the payment. */
  refund(key: string, order: { sessionId: string; orderId: string | null; amountMicros: bigint }): SimRefund | "refused" {
    return this.#once(key, () => {
      const session = this.session(order.sessionId);
      const given = session.refunds.reduce((sum, one) => (one.status === "failed" ? sum : sum + one.amountMicros), 0n);
      if (session.status !== "complete" || session.dispute !== null || given + order.amountMicros > session.amountMicros)
        return "refused";
      if (this.#world.random.chance(0.05)) return "refused";
      const refund: SimRefund = { id: `${session.id}-re-${session.refunds.length + 1}`, status: "pending", ...order };
      session.refunds.push(refund);
      this.#happens(session);
      const fails = this.#world.random.chance(0.2);
      this.#world.after(this.#world.random.between(1_000, 300_000), () => {
        refund.status = fails ? "failed" : "succeeded";
        this.#world.note(`${refund.id} ${refund.status}`);
        this.#happens(session);
      });
      return { ...refund };
    });
  }

  /** The card's owner disputes the payment; the bank decides later. */
  dispute(sessionId: string): void {
    const session = this.session(sessionId);
    const given = session.refunds.reduce((sum, one) => (one.status === "failed" ? sum : sum + one.amountMicros), 0n);
    if (session.status !== "complete" || session.dispute !== null || given >= session.amountMicros) return;
    const dispute: SimSession["dispute"] = {
      id: `${sessionId}-dp`,
      amountMicros: session.amountMicros - given,
      status: "needs_response",
    };
    session.dispute = dispute;
    this.#world.note(`${sessionId} is disputed`);
    this.#happens(session);
    this.#world.after(this.#world.random.between(60_000, 1_800_000), () => {
      dispute.status = this.#world.random.chance(0.5) ? "won" : "lost";
      this.#happens(session);
    });
  }

  /** A repeated key is the same request and gets the first response. */
  #once<T>(key: string, make: () => T): T {
    if (!this.#answers.has(key)) this.#answers.set(key, make());
    return this.#answers.get(key) as T;
  }

  #happens(session: SimSession): void {
    const { random, failureRates } = this.#world;
    const eventId = `evt-${(this.#events += 1)}`;
    if (random.chance(failureRates.eventLost)) return;
    do {
      const delayMs = random.chance(failureRates.eventLate) ? random.between(1_000, 900_000) : random.between(50, 2_000);
      this.#deliver(session.id, { eventId, attempt: 1, delayMs });
    } while (random.chance(failureRates.eventRepeated));
  }

  #deliver(sessionId: string, of: { eventId: string; attempt: number; delayMs: number }): void {
    this.#world.after(of.delayMs, () => {
      const again = (done: boolean) => {
        if (!done && of.attempt < DELIVERIES)
          this.#deliver(sessionId, { ...of, attempt: of.attempt + 1, delayMs: of.attempt * 20_000 });
      };
      if (!this.#world.serve(`hears ${of.eventId} of ${sessionId}`, this.#tell(sessionId, of.eventId), again)) again(false);
    });
  }
}
