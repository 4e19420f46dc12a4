import { PATIENCE } from "@farline/domain/test/patience.ts";
import { sql } from "kysely";
import type { AutoTopUpResponse } from "@farline/contract/auto-top-up.ts";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";
import { chargeCall } from "../ledger-account.ts";
import { ledger, verifyLedger } from "../../src/ledger/ledger.ts";
import { testDatabase, type TestDatabase } from "../test-database.ts";
import { billingService, type BillingClient, type BillingService } from "./billing-service.ts";
import { startSandboxProcess, type SandboxProcess } from "../fakes/sandbox-process.ts";

export const PAYS = "4242 4242 4242 4242";
export const ASKS_ONCE = "4000 0025 0000 3155";
export const ASKS_ALWAYS = "4000 0027 6000 3184";
export const SAVES_THEN_FAILS = "4000 0000 0000 0341";
export const NO_MONEY = "4000 0000 0000 9995";

const SECRET_KEY = "sk_test_farline";
const WEBHOOK_SECRET = "whsec_farline";
/** Longer than the billing page's minimum interval between queries to the provider. */
const CHECK_PAUSE_MS = 2_001;

/** A customer's settings; by default a top-up of 20 dollars below 5. */
export const choice = (cardId: string, change: object = {}) => ({
  on: true,
  card_id: cardId,
  threshold: "5",
  amount: "20",
  agreed: true,
  ...change,
});

/** Billing with the sandbox's payment provider, and helpers for tests of saved cards. */
export class AutoTopUpWorld {
  readonly database: TestDatabase;
  readonly service: BillingService;
  readonly #sandbox: SandboxProcess;
  readonly #receiver: Server;

  private constructor(ctx: { database: TestDatabase; service: BillingService; sandbox: SandboxProcess; receiver: Server }) {
    this.database = ctx.database;
    this.service = ctx.service;
    this.#sandbox = ctx.sandbox;
    this.#receiver = ctx.receiver;
  }

  static async start(): Promise<AutoTopUpWorld> {
    const database = await testDatabase();
    // The sandbox needs the webhook's address before billing knows the sandbox's, so listen first.
    let service: BillingService | null = null;
    const receiver = createServer((request, response) => service?.app.routing(request, response));
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const sandbox = await startSandboxProcess({
      databaseUrl: database.url,
      stripeSecretKey: SECRET_KEY,
      stripeWebhookSecret: WEBHOOK_SECRET,
      stripeWebhookUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/api/webhooks/stripe`,
    });
    service = await billingService(database.handle, { apiBase: sandbox.url, webhookSecret: WEBHOOK_SECRET });
    return new AutoTopUpWorld({ database, service, sandbox, receiver });
  }

  async close(): Promise<void> {
    await this.#sandbox.close();
    this.#receiver.closeAllConnections();
    this.#receiver.close();
    await this.service.close();
    await this.database.close();
  }

  /** Clean-up after a test: clears faults and checks that the ledger is sound. */
  async calm(): Promise<void> {
    await this.chaos({ lose: false, dropAnswers: 0, serverErrors: 0, restricted: 0 });
    const drift = await verifyLedger(this.database.handle.db);
    if (drift.length > 0) throw new Error(`The ledger is not sound: ${drift.map((one) => one.check).join(", ")}`);
  }

  async chaos(change: object): Promise<void> {
    const response = await fetch(`${this.#sandbox.url}/sandbox/stripe/chaos`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(change),
    });
    if (!response.ok) throw new Error(`The sandbox refuses: ${await response.text()}`);
  }

  /** Presses a button of the sandbox's control panel. */
  async press(path: string, fields: Record<string, string>): Promise<void> {
    const body = new URLSearchParams(fields);
    const response = await fetch(`${this.#sandbox.url}/sandbox/stripe/${path}`, { method: "POST", body, redirect: "manual" });
    if (response.status >= 400) throw new Error(`The sandbox refuses: ${await response.text()}`);
  }

  /** Completes the hosted page, and the bank's challenge if there is one. @returns the final address */
  async enterCard(checkoutUrl: string, number: string): Promise<string> {
    // The page asks for an address if it was given none.
    const body = new URLSearchParams({ number, expiry: "12 / 34", cvc: "123", name: "Ada Caller", email: "ada@example.com" });
    const next = await fetch(checkoutUrl, { method: "POST", body, redirect: "manual" });
    const location = next.headers.get("location") ?? "";
    if (!location.includes("/challenge/")) return location;
    const answer = new URLSearchParams({ answer: "complete" });
    return (await fetch(location, { method: "POST", body: answer, redirect: "manual" })).headers.get("location") ?? "";
  }

  /** Reads the billing page's data, after its pause between queries of the provider. */
  async view(caller: BillingClient): Promise<AutoTopUpResponse> {
    this.service.clock.advance(CHECK_PAUSE_MS);
    const { status, body } = await caller.get("auto-top-up");
    if (status !== 200) throw new Error(`The page cannot be read: ${JSON.stringify(body)}`);
    return body;
  }

  /** Saves a card and returns its id. */
  async save(caller: BillingClient, number: string): Promise<string> {
    const { status, body } = await caller.post("cards", {});
    if (status !== 200) throw new Error(`No page for the card: ${JSON.stringify(body)}`);
    const back = await this.enterCard(body.checkout_url, number);
    if (back !== "https://farline.example/billing?card=saved") throw new Error(`The card was not saved: ${back}`);
    // The provider's event may be in progress at this moment.
    return vi.waitFor(async () => {
      const [card] = (await this.view(caller)).cards;
      if (card?.last4 !== number.slice(-4)) throw new Error("The card is not shown.");
      return card.id;
    }, PATIENCE);
  }

  /** A customer with a saved card and automatic top-up switched on, with enough credit until a test spends it. */
  async withCard(number: string): Promise<BillingClient> {
    const caller = await this.service.signUp();
    const cardId = await this.save(caller, number);
    await this.give(caller, 6);
    const { status, body } = await caller.send("PUT", "auto-top-up", choice(cardId));
    if (status !== 200 || body.state.kind !== "ready") throw new Error(`Not switched on: ${JSON.stringify(body)}`);
    return caller;
  }

  async give(caller: BillingClient, dollars: number): Promise<void> {
    const { status } = await caller.post("test-credit", { amount: dollars });
    if (status !== 200) throw new Error(`Test credit answered ${status}.`);
  }

  /** Charges a call of this many dollars. */
  async spend(caller: BillingClient, dollars: number): Promise<void> {
    await chargeCall(this.database.handle, caller.id, dollars);
  }

  /** The balance in dollars. */
  async booked(caller: BillingClient): Promise<number> {
    return Number((await ledger.balance(this.database.handle.db, caller.id)).balanceMicros) / 1e6;
  }

  async charges(caller: BillingClient): Promise<{ status: string; failure_code: string | null }[]> {
    const { rows } =
      await sql<any>`select status, failure_code from payment where customer_id = ${caller.id} and kind = 'auto' order by created_at, id`.execute(
        this.database.handle.db,
      );
    return rows;
  }

  /** The mails to a customer, with their data. */
  async mails(caller: BillingClient): Promise<{ template: string; event?: string; kind?: string }[]> {
    const { rows } =
      await sql<any>`select template, data from mail where recipient = ${`${caller.id}@example.com`} order by created_at, id`.execute(
        this.database.handle.db,
      );
    return rows.map(({ template, data }) => ({
      template,
      ...(data.event === undefined ? {} : { event: data.event }),
      ...(data.kind === undefined ? {} : { kind: data.kind }),
    }));
  }

  /** The provider's charges of a customer, in cents. */
  async chargedAtProvider(caller: BillingClient): Promise<number> {
    const { rows } =
      await sql<any>`select provider_customer_id as id from stripe_customer where customer_id = ${caller.id}`.execute(
        this.database.handle.db,
      );
    const { data } = await this.service.ctx.stripe.charges.list({ customer: rows[0].id, limit: 100 });
    return data.filter((charge) => charge.paid).reduce((sum, charge) => sum + charge.amount, 0);
  }
}
