import { sql } from "kysely";
import { sessionGuards } from "../../src/accounts/accounts.ts";
import { ledger } from "../../src/ledger/ledger.ts";
import type { ServiceContext } from "../../src/context.ts";
import type { Config } from "../../src/platform/settings/config.ts";
import { ManualClock } from "../manual-clock.ts";
import type { App } from "../../src/platform/http/http.ts";
import { createTestApp } from "../create-test-app.ts";
import { testContext } from "../test-context.ts";
import { testDatabase, type TestDatabase } from "../test-database.ts";
import { recordReferralPayment, promotionJobs, promotionRoutes } from "../../src/promotions/promotions.ts";
import { linkToken } from "../../src/platform/settings/secret-keys.ts";
import { accountApp, PASSWORD, SECRET_KEYS, TestBrowser } from "./account-app.ts";

/** A customer who signed up, by default in their own browser. */
export interface Person {
  readonly id: string;
  readonly token: string;
  readonly browser: TestBrowser;
}

/** Accounts and promotions on a real database: people sign up, confirm their address, refer one another and pay. */
export class PromotionWorld {
  readonly database: TestDatabase;
  readonly clock = new ManualClock(new Date());
  readonly ctx: ServiceContext;
  readonly #accounts: ReturnType<typeof accountApp>;
  readonly #app: App;
  #made = 0;

  private constructor(database: TestDatabase, change: { limitsScale: number; promotions: Config["promotions"] }) {
    this.database = database;
    const { handle } = database;
    const { limitsScale, promotions } = change;
    this.#accounts = accountApp({ handle, clock: this.clock, publicUrl: "https://farline.example" });
    this.ctx = testContext({ handle, clock: this.clock, config: { limitsScale, promotions } });
    this.#app = createTestApp({ log: this.ctx.log, trustedProxies: 0, guards: sessionGuards(this.ctx) });
    promotionRoutes(this.#app, this.ctx);
  }

  static async start(
    limitsScale = 1,
    promotions = { firstCallMicros: 250_000n, referralMicros: 2_000_000n, freeCreditPerDayMicros: 200_000_000n },
  ): Promise<PromotionWorld> {
    return new PromotionWorld(await testDatabase(), { limitsScale, promotions });
  }

  async close(): Promise<void> {
    await this.#app.close();
    await this.#accounts.close();
    await this.database.close();
  }

  /** @param from.browser an already used browser; @param from.network as sessions show it: 203.0.5.x */
  async signUp(from: { email?: string; browser?: TestBrowser; network?: string } = {}): Promise<Person> {
    this.#made += 1;
    const { email = `person-${this.#made}@example.com`, network = `203.0.${this.#made}.x` } = from;
    const browser = from.browser ?? new TestBrowser(this.#accounts);
    const payload = { name: "Ada Lovelace", email, password: PASSWORD, password_confirmation: PASSWORD };
    const answer = await browser.request("POST", "/api/register", { payload, ip: addressIn(network) });
    if (answer.statusCode !== 201) throw new Error(`signing up failed: ${answer.body}`);
    const { token, user } = answer.json<{ token: string; user: { id: string } }>();
    const { id } = user;
    return { id, token, browser };
  }

  /** Verifies the address as the mailed link does; the database's trigger does the rest. */
  async prove(...people: Person[]): Promise<void> {
    for (const { id } of people)
      await sql`update customer set email_verified = true where id = ${id}`.execute(this.database.handle.db);
  }

  /** Opens the link that was mailed to a person. */
  async openLink({ id, browser }: Person, network: string): Promise<number> {
    const { rows } = await sql<any>`select id from mail_link where customer_id = ${id} and use = 'verify_email'`.execute(
      this.database.handle.db,
    );
    const payload = { token: linkToken(SECRET_KEYS, "verify_email", rows[0].id) };
    return (await browser.request("POST", "/api/email/verify", { payload, ip: addressIn(network) })).statusCode;
  }

  async signOut({ browser, token }: Person): Promise<void> {
    await browser.request("POST", "/api/logout", { token });
  }

  async request(person: Person, method: "GET" | "POST", path: string, payload?: object) {
    const headers = { authorization: `Bearer ${person.token}` };
    const answer = await this.#app.inject({
      method,
      url: path,
      headers,
      cookies: person.browser.cookies,
      ...(payload ? { payload } : {}),
    });
    return { status: answer.statusCode, body: answer.json() };
  }

  /** A customer refers another one, who then signs up. */
  async invite(inviter: Person, from: Parameters<PromotionWorld["signUp"]>[0] = {}): Promise<Person> {
    const { code } = (await this.request(inviter, "GET", "/api/referral")).body;
    const invited = await this.signUp(from);
    const { body } = await this.request(invited, "POST", "/api/referral/claim", { code });
    if (body.accepted !== true) throw new Error("the invitation was not accepted");
    return invited;
  }

  /** Credits a payment as billing does, without a real payment. Returns its id. */
  async pay(person: Person, dollars: number, cardShared = false): Promise<string> {
    const paymentId = crypto.randomUUID();
    const paidMicros = BigInt(dollars) * 1_000_000n;
    await sql`insert into payment (id, customer_id, kind, charge_micros, status, expires_at, created_at, settled_at)
       values (${paymentId}, ${person.id}, 'custom', ${paidMicros}, 'paid', ${this.clock.now()}, ${this.clock.now()}, ${this.clock.now()})`.execute(
      this.database.handle.db,
    );
    await this.database.handle.db
      .transaction()
      .execute((tx) =>
        recordReferralPayment(tx, { invitedId: person.id, paymentId, paidMicros, cardShared, now: this.clock.now() }),
      );
    return paymentId;
  }

  async runJobs(): Promise<void> {
    // The database's trigger uses the database's clock.
    const behindMs = Date.now() + 1 - this.clock.now().getTime();
    if (behindMs > 0) this.clock.advance(behindMs);
    for (const job of promotionJobs(this.ctx)) await job.run(new AbortController().signal);
  }

  /** In dollars. */
  async bonus(person: Person): Promise<number> {
    const { bonusMicros } = await ledger.balance(this.database.handle.db, person.id);
    return Number(bonusMicros) / 1e6;
  }

  async refusal(table: "referral" | "first_call", person: Person): Promise<string | null> {
    const column = table === "referral" ? "invited_id" : "customer_id";
    const { rows } = await sql<any>`select refusal from ${sql.raw(table)} where ${sql.raw(column)} = ${person.id}`.execute(
      this.database.handle.db,
    );
    return rows[0]?.refusal ?? null;
  }
}

/** An address in a network as sessions show it. */
function addressIn(network: string): string {
  return network.endsWith("::x") ? network.replace("::x", "::7") : network.replace(".x", ".7");
}
