import type { LiveHint } from "@farline/contract/events.ts";
import type { Payer } from "../../src/billing/record/payment.store.ts";
import { sessionGuards } from "../../src/accounts/accounts.ts";
import { billingJobs, billingRoutes } from "../../src/billing/billing.ts";
import { AppError } from "../../src/platform/app-error.ts";
import { ManualClock } from "../manual-clock.ts";
import type { DatabaseHandle } from "../../src/platform/database/database.ts";
import type { App } from "../../src/platform/http/http.ts";
import { createTestApp } from "../create-test-app.ts";
import { silentLive, testContext } from "../test-context.ts";
import type { Config } from "../../src/platform/settings/config.ts";
import { newCustomer } from "../new-customer.ts";
import { insertTestSession, testSession } from "../test-session.ts";
import type { Authenticate, Live } from "../../src/context.ts";

/** Billing alone, as it runs in the service, for any customer: the bearer token is the customer's id. */
export async function billingService(
  handle: DatabaseHandle,
  stripe: { apiBase: string; webhookSecret: string; secretKey?: string },
  changes: Partial<Config> = {},
) {
  const clock = new ManualClock(new Date());
  const payers = new Map<string, Payer>();
  const published: { customerId: string; hint: LiveHint }[] = [];
  const config: Partial<Config> = {
    stripe: {
      secretKey: stripe.secretKey ?? "sk_test_farline",
      webhookSecrets: ["whsec_old", stripe.webhookSecret],
      apiBase: stripe.apiBase,
    },
    ...changes,
  };
  const authenticate: Authenticate = async (request) => {
    const payer = payers.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
    if (payer === undefined) throw new AppError("unauthenticated");
    return testSession(payer, clock.now());
  };
  const live: Live = { ...silentLive, publish: (customerId, hint) => void published.push({ customerId, hint }) };
  const ctx = testContext({ handle, clock, config, live, authenticate });
  const guards = sessionGuards(ctx);
  const app = createTestApp({ log: ctx.log, trustedProxies: 0, guards });
  billingRoutes(app, ctx, { closed: false });
  await app.ready();

  const runJob = async (
    name:
      | "forget-old-records"
      | "give-due-credit"
      | "poll-payments"
      | "push-refunds"
      | "reconcile-payments"
      | "issue-receipts"
      | "watch-credit"
      | "poll-card-setups",
  ): Promise<void> => {
    const job = billingJobs(ctx).find((one) => one.name === name);
    if (job === undefined) throw new Error(`there is no job ${name}`);
    await job.run(new AbortController().signal);
  };

  return {
    app,
    clock,
    ctx,
    guards,
    async signUp(change: Partial<Payer> = {}): Promise<BillingClient> {
      const { id, email, createdAt } = await newCustomer(handle, change.id);
      await insertTestSession(handle.db, id, clock.now());
      payers.set(id, { id, email, status: "active", emailVerified: true, createdAt, ...change });
      return new BillingClient(app, id);
    },
    /** The hints sent to this customer's pages since the last call. */
    takeHints(caller: BillingClient): LiveHint[] {
      const all = published.splice(0);
      published.push(...all.filter(({ customerId }) => customerId !== caller.id));
      return all.filter(({ customerId }) => customerId === caller.id).map(({ hint }) => hint);
    },
    poll: () => runJob("poll-payments"),
    runJob,
    webhook: (event: { payload: string; headers: Record<string, string> }) =>
      app.inject({ method: "POST", url: "/api/webhooks/stripe", ...event }),
    close: () => app.close(),
  };
}

export type BillingService = Awaited<ReturnType<typeof billingService>>;

/** Calls billing as one signed-in customer. */
export class BillingClient {
  readonly id: string;
  readonly #app: App;
  constructor(app: App, id: string) {
    this.#app = app;
    this.id = id;
  }

  async get(path: string) {
    const response = await this.#app.inject({ url: addressOf(path), headers: { authorization: `Bearer ${this.id}` } });
    return { status: response.statusCode, body: response.json() };
  }

  async post(path: string, payload: object, headers: Record<string, string> = {}) {
    const response = await this.#app.inject({
      method: "POST",
      url: addressOf(path),
      payload,
      headers: { authorization: `Bearer ${this.id}`, ...headers },
    });
    return { status: response.statusCode, headers: response.headers, body: response.body === "" ? undefined : response.json() };
  }

  async send(method: "PUT" | "DELETE", path: string, payload?: object) {
    const response = await this.#app.inject({
      method,
      url: addressOf(path),
      headers: { authorization: `Bearer ${this.id}` },
      ...(payload === undefined ? {} : { payload }),
    });
    return { status: response.statusCode, body: response.json() };
  }

  async balance(): Promise<string> {
    return (await this.get("balance")).body.balance;
  }
}

/** Of a path below `/api/billing`, or beside it. */
function addressOf(path: string): string {
  const { pathname, search } = new URL(path, "http://localhost/api/billing/");
  return `${pathname}${search}`;
}
