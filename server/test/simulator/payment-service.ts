import { decidePayment } from "../../src/billing/payments/decide-payment.ts";
import type { PaymentStatus } from "@farline/contract/operator/constants.ts";
import type { Payment } from "../../src/billing/record/payment.store.ts";
import type { CheckoutState } from "../../src/billing/payments/read-checkout-state.ts";
import type { Books } from "./books.ts";
import type { CardProvider, SimRefund, SimSession } from "./card-provider.ts";
import type { Task, World } from "./world.ts";

interface SimPayment {
  readonly id: string;
  readonly customerId: string;
  readonly chargeMicros: bigint;
  readonly bonusMicros: bigint;
  status: PaymentStatus;
  sessionId: string | null;
}

interface RefundOrder {
  readonly id: string;
  readonly paymentId: string;
  readonly amountMicros: bigint;
  status: "ordered" | "pending" | "succeeded" | "failed";
}

/** The interval at first, and again once the checkout has expired. */
const POLL_MS = 120_000;
const LATE_POLL_MS = 15 * 60_000;
const OFTEN_MS = 45 * 60_000;
const LONGEST_POLL_MS = 4 * 60 * 60_000;
const MICROS_PER_CENT = 10_000n;

/**
 * Billing as short transactions with the network between them. It runs the product's own code (`decidePayment`) to decide
 * whether a payment is ours, paid and to be credited.
 */
export class PaymentService {
  readonly payments = new Map<string, SimPayment>();
  readonly orders = new Map<string, RefundOrder>();
  readonly frozen = new Set<string>();
  readonly #world: World;
  readonly #cards: () => CardProvider;
  readonly #booksOf: (customerId: string) => Books;
  readonly #onCredit: (customerId: string) => void;
  /** Disputes debited in the ledger, and those restored. */
  readonly #disputes = new Map<string, "taken" | "restored">();
  #polling = false;
  #pollUntilMs = 0;

  constructor(
    world: World,
    ctx: { cards: () => CardProvider; booksOf: (customerId: string) => Books; onCredit: (customerId: string) => void },
  ) {
    this.#world = world;
    this.#cards = ctx.cards;
    this.#booksOf = ctx.booksOf;
    this.#onCredit = ctx.onCredit;
  }

  /** `POST /billing/top-up`. `answer` gets the session if the response arrives. */
  *topUp(
    asked: { customerId: string; amountMicros: bigint; bonusMicros: bigint },
    answer: (sessionId: string, paymentId: string) => void,
  ): Task {
    yield this.#world.moment();
    const payment = this.#world.commit(() => {
      const { customerId, amountMicros, bonusMicros } = asked;
      const made: SimPayment = {
        ...{ id: `pay-${this.payments.size + 1}`, customerId, chargeMicros: amountMicros, bonusMicros },
        ...{ status: "created", sessionId: null },
      };
      this.payments.set(made.id, made);
      this.#startPolling();
      return made;
    });
    yield this.#world.moment();
    const order = { paymentId: payment.id, amountMicros: payment.chargeMicros };
    const sessionId = this.#world.request("cards", () => this.#cards().createSession(`co:${payment.id}`, order));
    yield this.#world.moment();
    this.#world.commit(() => {
      payment.sessionId = sessionId;
      if (payment.status === "created") payment.status = "open";
    });
    if (!this.#world.random.chance(this.#world.failureRates.responseLost)) answer(sessionId, payment.id);
  }

  /** The only way to credit: events, the success page, the balance and the poller all come here. */
  *converge(paymentId: string, hint: { sessionId?: string; eventId?: string } = {}): Task {
    yield this.#world.moment();
    const payment = this.#payment(paymentId);
    const sessionId = payment.sessionId ?? hint.sessionId;
    if (sessionId === undefined) return;
    const seen = this.#world.request("cards", () => this.#cards().look(sessionId));
    yield this.#world.moment();
    const credited = this.#world.commit(() => this.#apply(payment, seen, hint.eventId ?? "look"));
    if (credited) this.#onCredit(payment.customerId);
  }

  #apply(payment: SimPayment, seen: SimSession, eventId: string): boolean {
    const decision = decidePayment(asPayment(payment), truthOf(seen), false);
    if (decision.problem !== null && decision.problem !== "no longer paid") throw new Error(decision.problem);
    const books = this.#booksOf(payment.customerId);
    const everyEvent = this.#world.has("credits_each_event") && decision.status === "paid";
    if (decision.credit || everyEvent) {
      books.credit(`topup:${payment.id}${everyEvent ? `:${eventId}` : ""}`, payment.chargeMicros);
      if (payment.bonusMicros > 0n && !everyEvent) books.credit(`bonus:${payment.id}`, payment.bonusMicros, "bonus");
      this.#world.note(`${payment.id} is credited`);
    }
    payment.status = decision.status;
    payment.sessionId = seen.id;
    if (decision.status !== "paid") return false;
    for (const refund of seen.refunds) this.#bookRefund(payment, refund);
    if (seen.dispute !== null) this.#bookDispute(payment, seen.dispute);
    return decision.credit;
  }

  #bookRefund(payment: SimPayment, refund: SimRefund): void {
    const books = this.#booksOf(payment.customerId);
    const known = this.orders.get(refund.orderId ?? refund.id);
    if (known === undefined) {
      if (refund.status === "failed") return;
      // Made at the provider, without the service.
      this.orders.set(refund.id, {
        id: refund.id,
        paymentId: payment.id,
        amountMicros: refund.amountMicros,
        status: refund.status,
      });
      books.reverse(`refund:${refund.id}`, refund.amountMicros, "refund");
      return;
    }
    if (known.status === "failed" || known.status === refund.status) return;
    if (known.status === "succeeded" && refund.status === "pending") return;
    known.status = refund.status;
    if (refund.status === "failed") this.#giveBack(payment, known);
  }

  #giveBack(payment: SimPayment, order: RefundOrder): void {
    order.status = "failed";
    if (this.#world.has("keeps_what_a_refused_withdrawal_took")) return;
    this.#booksOf(payment.customerId).restore(`refund_failed:${order.id}`, `refund:${order.id}`);
  }

  #bookDispute(payment: SimPayment, dispute: NonNullable<SimSession["dispute"]>): void {
    const books = this.#booksOf(payment.customerId);
    const known = this.#disputes.get(dispute.id);
    if (known === undefined) {
      books.reverse(`dispute:${dispute.id}`, dispute.amountMicros, "dispute");
      this.#disputes.set(dispute.id, "taken");
      this.frozen.add(payment.customerId);
    }
    if (dispute.status !== "won" || known === "restored") return;
    books.restore(`dispute_won:${dispute.id}`, `dispute:${dispute.id}`);
    this.#disputes.set(dispute.id, "restored");
  }

  /** Returns unused credit to the customer's card. */
  *withdraw(paymentId: string, amountMicros: bigint): Task {
    yield this.#world.moment();
    const payment = this.#payment(paymentId);
    const id = `wd-${this.orders.size + 1}`;
    const sessionId = payment.sessionId;
    if (payment.status !== "paid" || sessionId === null || this.frozen.has(payment.customerId)) return;
    if (this.#world.has("refunds_before_it_takes")) {
      this.#world.request("cards", () => this.#cards().refund(`re:${id}`, { sessionId, orderId: id, amountMicros }));
      yield this.#world.moment();
    }
    const order = this.#world.commit(() => {
      if (this.orders.has(id) || !this.#booksOf(payment.customerId).withdraw(`refund:${id}`, amountMicros)) return null;
      const made: RefundOrder = { id, paymentId, amountMicros, status: "ordered" };
      this.orders.set(id, made);
      return made;
    });
    if (order === null) return;
    yield this.#world.moment();
    yield* this.#place(order);
  }

  *#place(order: RefundOrder): Task {
    const payment = this.#payment(order.paymentId);
    const { sessionId } = payment;
    if (order.status !== "ordered" || sessionId === null) return;
    const request = { sessionId, orderId: order.id, amountMicros: order.amountMicros };
    const answer = this.#world.request("cards", () => this.#cards().refund(`re:${order.id}`, request));
    yield this.#world.moment();
    this.#world.commit(() => {
      if (order.status !== "ordered") return;
      if (answer === "refused") this.#giveBack(payment, order);
      else this.#bookRefund(payment, answer);
    });
  }

  /** Polls payments that may still change, and repeats orders that failed. */
  #startPolling(): void {
    this.#pollUntilMs = this.#world.nowMs + LONGEST_POLL_MS;
    if (this.#polling) return;
    this.#polling = true;
    const tick = () => {
      this.#polling = this.#world.nowMs < this.#pollUntilMs;
      if (!this.#polling) return;
      for (const { id } of this.payments.values()) this.#world.serve(`polls ${id}`, () => this.#poll(id));
      for (const order of this.orders.values())
        if (order.status === "ordered") this.#world.serve(`sends ${order.id}`, () => this.#place(order));
      this.#world.after(this.#pollUntilMs - this.#world.nowMs > LONGEST_POLL_MS - OFTEN_MS ? POLL_MS : LATE_POLL_MS, tick);
    };
    this.#world.after(POLL_MS, tick);
  }

  /** The response with the session may have been lost: the same key requests it again. */
  *#poll(paymentId: string): Task {
    const payment = this.#payment(paymentId);
    const order = { paymentId, amountMicros: payment.chargeMicros };
    const sessionId =
      payment.sessionId ?? this.#world.request("cards", () => this.#cards().createSession(`co:${paymentId}`, order));
    yield* this.converge(paymentId, { sessionId });
  }

  #payment(paymentId: string): SimPayment {
    const payment = this.payments.get(paymentId);
    if (payment === undefined) throw new Error(`There is no ${paymentId}.`);
    return payment;
  }
}

/** The fields that `decidePayment` reads. */
function asPayment({ id, status, chargeMicros }: SimPayment): Payment {
  return { id, status, currency: "usd", charge_micros: chargeMicros } as Payment;
}

function truthOf(seen: SimSession): CheckoutState {
  const paid = seen.status === "complete";
  return {
    sessionId: seen.id,
    paymentId: seen.paymentId,
    sessionStatus: seen.status,
    paid,
    amountCents: Number(seen.amountMicros / MICROS_PER_CENT),
    currency: "usd",
    live: false,
    paymentIntentId: paid ? `pi-${seen.id}` : null,
    paymentIntentStatus: paid ? "succeeded" : null,
    card: null,
    presented: null,
    method: null,
    failureCode: null,
    refunds: [],
    disputes: [],
    warnings: [],
  };
}
