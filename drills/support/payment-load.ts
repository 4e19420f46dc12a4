import { setTimeout as pause } from "node:timers/promises";
import { registration, request } from "./api.ts";

/** As fast as they can. */
const BUSY: PaymentPattern = { workers: 4, everyMs: 0 };
const PAYMENTS_PER_CUSTOMER = 3;
const CENTS = 100;

interface PaidPayment {
  readonly customer: string;
  readonly cents: number;
}

interface PaymentPattern {
  readonly workers: number;
  /** From one customer's beginning to the next one's, for each worker. */
  readonly everyMs: number;
}

/** Customers who register, pay, look at their receipts and withdraw a part, until the service is gone. It can be started again. */
export class Load {
  readonly #url: string;
  readonly #pattern: PaymentPattern;
  #workers: Promise<void>[] = [];
  #over = new AbortController();
  /** Payments that the card page has accepted, by id. */
  readonly paid = new Map<string, PaidPayment>();
  /** Every receipt that a customer has seen: its payment or refund, and its amount, by number. */
  readonly receipts = new Map<string, string>();
  /** How many requests were answered with each status, or failed without one. */
  readonly outcomes = new Map<string, number>();
  /** How many customers did not get what they wanted. */
  failed = 0;
  #lastToken = "";

  constructor(url: string, pattern: PaymentPattern = BUSY) {
    this.#url = url;
    this.#pattern = pattern;
  }

  start(): void {
    this.#over = new AbortController();
    this.#workers = Array.from({ length: this.#pattern.workers }, (_, n) => this.#work(n));
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#workers);
  }

  /** @returns the status of a top-up ordered now */
  async tryToPay(): Promise<number> {
    const response = await this.#send("/api/billing/top-up", { amount: 10 }, this.#lastToken);
    return response.status;
  }

  async #work(worker: number): Promise<void> {
    const { signal } = this.#over;
    for (let round = 0; !signal.aborted; round++) {
      const next = pause(this.#pattern.everyMs, undefined, { signal }).catch(() => {});
      try {
        await this.#beCustomer(`${worker}-${round}-${Date.now()}@example.com`);
      } catch {
        // The service is gone, or does not answer yet.
        this.failed += 1;
        await pause(100);
      }
      await next;
    }
  }

  async #beCustomer(email: string): Promise<void> {
    const registered = await this.#json("/api/register", registration(email));
    const token = String(registered["token"]);
    const customer = (registered["user"] as { id: string }).id;
    this.#lastToken = token;
    for (let n = 0; n < PAYMENTS_PER_CUSTOMER && !this.#over.signal.aborted; n++) {
      const dollars = 5 + n * 7;
      const order = await this.#json("/api/billing/top-up", { amount: dollars }, token);
      const card = new URLSearchParams({ number: "4242 4242 4242 4242", expiry: "12 / 34", cvc: "123", name: "Ada" });
      const page = await fetch(String(order["checkout_url"]), { method: "POST", body: card, redirect: "manual" });
      if (page.status >= 400) throw new Error(`The card page answered ${page.status}.`);
      this.paid.set(String(order["payment_id"]), { customer, cents: dollars * CENTS });
      await this.#json("/api/billing/confirm", { session_id: order["session_id"] }, token);
      if (n === 1) await this.#send("/api/billing/withdrawals", { amount: 3 }, token);
      await this.#readReceipts(token);
    }
  }

  async #readReceipts(token: string): Promise<void> {
    const { receipts } = (await this.#json("/api/billing/receipts?limit=100", undefined, token)) as {
      receipts: { data: { number: string; kind: string; payment_id: string; amount: string }[] };
    };
    for (const { number, kind, payment_id: payment, amount } of receipts.data)
      this.receipts.set(number, `${kind} ${payment} ${amount}`);
  }

  async #json(path: string, body?: object, token?: string): Promise<Record<string, unknown>> {
    const response = await this.#send(path, body, token);
    if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
    return (await response.json()) as Record<string, unknown>;
  }

  async #send(path: string, body?: object, token?: string): Promise<Response> {
    const response = await request(`${this.#url}${path}`, { body, token }).catch((error: unknown) => {
      this.#count("no answer");
      throw error;
    });
    this.#count(String(response.status));
    return response;
  }

  #count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
