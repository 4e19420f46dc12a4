import { sql } from "kysely";
import { chargeCall } from "../ledger-account.ts";
import { ledger, verifyLedger } from "../../src/ledger/ledger.ts";
import { testDatabase, type TestDatabase } from "../test-database.ts";
import { billingService, type BillingClient, type BillingService } from "./billing-service.ts";
import { ScriptedStripe } from "../fakes/scripted-stripe.ts";

/** Billing with a scripted provider, and helpers for tests of refunds, disputes and limits. */
export class BillingWorld {
  readonly database: TestDatabase;
  readonly stripe: ScriptedStripe;
  readonly service: BillingService;

  private constructor(database: TestDatabase, stripe: ScriptedStripe, service: BillingService) {
    this.database = database;
    this.stripe = stripe;
    this.service = service;
  }

  static async start(options: { limitsScale?: number; live?: boolean; stripe?: ScriptedStripe } = {}): Promise<BillingWorld> {
    const database = await testDatabase();
    const { limitsScale = 0, live = false, stripe = await ScriptedStripe.start() } = options;
    stripe.live = live;
    const service = await billingService(
      database.handle,
      { apiBase: stripe.url, webhookSecret: stripe.webhookSecret, secretKey: live ? "sk_live_farline" : "sk_test_farline" },
      { limitsScale },
    );
    stripe.now = () => service.clock.now();
    return new BillingWorld(database, stripe, service);
  }

  /** The same provider with a database from before everybody's first payment, which knows these customers. */
  async restored(known: readonly BillingClient[]): Promise<BillingWorld> {
    const world = await BillingWorld.start({ stripe: this.stripe });
    for (const { id } of known) await world.service.signUp({ id });
    return world;
  }

  /** Checks that the ledger is sound, then closes everything. */
  async close(): Promise<void> {
    const drift = await verifyLedger(this.database.handle.db);
    await this.service.close();
    await this.stripe.close();
    await this.database.close();
    if (drift.length > 0) throw new Error(`The ledger is not sound: ${drift.map((one) => one.check).join(", ")}`);
  }

  /** Makes a payment that is paid and credited. */
  async paid(
    caller: BillingClient,
    order: { amount: number; promo_code?: string } | { package_id: string; promo_code?: string },
    card?: string,
  ): Promise<{ paymentId: string; sessionId: string; intentId: string }> {
    const { status, body } = await caller.post("package_id" in order ? "purchase-package" : "top-up", order);
    if (status !== 200) throw new Error(`no checkout: ${JSON.stringify(body)}`);
    const sessionId: string = body.session_id;
    this.stripe.pay(sessionId, card);
    await this.hear("checkout.session.completed", { id: sessionId });
    return { paymentId: body.payment_id, sessionId, intentId: this.stripe.session(sessionId).intent.id };
  }

  /** Delivers a provider's event. */
  async hear(type: string, object: object): Promise<void> {
    const signedAt = this.service.clock.now();
    const { statusCode, body } = await this.service.webhook(this.stripe.event(type, object, { signedAt }));
    if (statusCode !== 200) throw new Error(`the event was answered ${statusCode}: ${body}`);
  }

  /** Charges a call of this many dollars. */
  async spend(caller: BillingClient, dollars: number, description = "Call"): Promise<void> {
    await chargeCall(this.database.handle, caller.id, dollars, description);
  }

  /** Makes a link by which this customer asks for credit. @returns its token */
  async asks(caller: BillingClient): Promise<string> {
    const { url } = (await caller.post("../credit-requests", {})).body;
    return String(url).split("#t=")[1] ?? "";
  }

  /** Buys credit for the person behind a link, paid by card. */
  async gives(
    caller: BillingClient,
    token: string,
    amount: number,
    { greeting = "", card }: { greeting?: string; card?: string } = {},
  ): Promise<{ paymentId: string; sessionId: string }> {
    const { status, body } = await caller.post("gifts", { token, amount, greeting });
    if (status !== 200) throw new Error(`no checkout: ${JSON.stringify(body)}`);
    this.stripe.pay(body.session_id, card);
    await this.hear("checkout.session.completed", { id: body.session_id });
    return { paymentId: body.payment_id, sessionId: body.session_id };
  }

  /** In dollars. */
  async money(caller: BillingClient): Promise<{ balance: number; debt: number; bonus: number }> {
    const now = await ledger.balance(this.database.handle.db, caller.id);
    return {
      balance: Number(now.balanceMicros) / 1e6,
      debt: Number(now.debtMicros) / 1e6,
      bonus: Number(now.bonusMicros) / 1e6,
    };
  }

  async statusOf(caller: BillingClient): Promise<string> {
    const { rows } = await sql<any>`select status from customer where id = ${caller.id}`.execute(this.database.handle.db);
    return rows[0].status;
  }

  /** The kinds of the account's lines, oldest first. */
  async lines(caller: BillingClient): Promise<string[]> {
    const { rows } = await ledger.transactions(this.database.handle.db, caller.id, { limit: 100 });
    return rows.toReversed().map((line) => line.kind);
  }
}
