import type { SellerNotice } from "@farline/contract/public-pages.ts";
import type { OperatorRight } from "@farline/contract/operator/rights.ts";
import { randomBytes } from "node:crypto";
import pino from "pino";
import type { CurrentSettings } from "../src/settings/current-settings.ts";
import { createAuthenticate, PASSWORD_COST, type AccountContext } from "../src/accounts/accounts.ts";
import { createStripe } from "../src/billing/billing.ts";
import { createTelnyx } from "../src/calls/calls.ts";
import {
  actingAs,
  transactions,
  type Actor,
  type Context,
  type Operator,
  type OperatorContext,
  type ServiceContext,
  type Live,
  type Rates,
} from "../src/context.ts";
import { ledger } from "../src/ledger/ledger.ts";
import { testOperator } from "./operators.ts";
import { ManualClock } from "./manual-clock.ts";
import { readsOf } from "../src/platform/database/read-database.ts";
import type { DatabaseHandle } from "../src/platform/database/database.ts";
import type { Config } from "../src/platform/settings/config.ts";
import { noticeOf, SAMPLE_SELLER } from "../src/platform/settings/seller.ts";
import { Uses } from "../src/platform/uses.ts";
import { DEFAULT_SETTINGS } from "@farline/domain/business/business-settings.ts";

const NOWHERE = "http://127.0.0.1:9";
/** Cheap, so that tests are fast. */
export const CHEAP_COSTS: ServiceContext["costs"] = {
  password: { memoryCost: 8, timeCost: 1, parallelism: 1 },
  proofBits: 4,
};
export const PRODUCTION_PASSWORDS: ServiceContext["costs"] = { ...CHEAP_COSTS, password: PASSWORD_COST };
/** For accounts without the other subjects. */
export const NOTHING_ELSEWHERE: Pick<AccountContext, "endElsewhere" | "findSessionsInCall"> = {
  endElsewhere: [],
  findSessionsInCall: async () => new Set(),
};
/** Publishes to nobody. */
export const silentLive: Live = {
  publish: () => undefined,
  onPublished: () => () => false,
  subscribe: () => () => undefined,
  subscribeToAll: () => () => undefined,
  close: async () => undefined,
};

/** A complete configuration of a sandbox whose providers cannot be reached, without limits. */
export function testConfig(changes: Partial<Config> = {}): Config {
  return {
    port: 0,
    host: "127.0.0.1",
    publicUrl: "https://farline.example",
    databaseUrl: "",
    databaseReadUrl: null,
    databasePool: 4,
    stopNoticeSeconds: 0,
    mode: "sandbox",
    sandboxUrl: null,
    telnyx: {
      apiKeys: ["KEY-test"],
      apiBase: NOWHERE,
      publicKeys: [""],
      connectionId: "connection",
      wsUrl: null,
      callerNumber: "+12025550143",
      marginMinutes: 10,
      turn: null,
    },
    stripe: { secretKey: "sk_test_farline", webhookSecrets: [], apiBase: NOWHERE },
    google: null,
    mail: { smtpUrl: null, from: "Farline <no-reply@farline.example>" },
    supportEmail: "help@farline.example",
    socialLinks: [],
    seller: SAMPLE_SELLER,
    receiptSeries: 0,
    sellerNotice: noticeOf(SAMPLE_SELLER, { supportEmail: "help@farline.example", cards: ["visa", "mastercard"] }),
    promotions: { firstCallMicros: 0n, referralMicros: 0n, freeCreditPerDayMicros: 200_000_000n },
    secretKeys: [{ id: "test", secret: randomBytes(32) }],
    limitsScale: 0,
    metricsToken: null,
    trustedProxies: 0,
    logLevel: "silent",
    warnings: [],
    ...changes,
  };
}

/** What a test may set. Defaults to a sandbox without limits and without reachable providers. */
export type TestContext = Partial<Omit<ServiceContext, "config" | "handle" | "transaction">> & {
  readonly handle: DatabaseHandle;
  readonly config?: Partial<Config>;
};

/** A service's context on a test database. Prices are not loaded: a test that needs them passes `rates`. */
export function testContext({ handle, config: changes, ...given }: TestContext): ServiceContext {
  const config = testConfig(changes);
  const actor: Actor = given.actor ?? { kind: "customer" };
  const clock = given.clock ?? new ManualClock(new Date());
  const uses = given.uses ?? new Uses(clock);
  const base = {
    actor,
    transaction: transactions({ handle, clock, uses }, actor),
    clock,
    log: pino({ level: "silent" }),
    handle,
    read: readsOf(handle),
    ledger,
    live: silentLive,
    settings: defaultSettings,
    stripe: createStripe(config, uses),
    uses,
    telnyx: createTelnyx(config, uses),
    rates: noRates,
    costs: CHEAP_COSTS,
    config,
    ...given,
  };
  return { authenticate: createAuthenticate(base), ...base };
}

/** The same context with one of the test operators as actor, who needs no session. */
export function asOperator<Given extends Context>(
  ctx: Given,
  name: string,
  right: OperatorRight = "own-access",
): Given & OperatorContext {
  return actingAs<Given, Operator>(ctx, { ...testOperator(name), right });
}

/** The settings that nobody has changed. */
export const defaultSettings: CurrentSettings = {
  current: () => DEFAULT_SETTINGS,
  refresh: async () => undefined,
  close: () => undefined,
};

export const noRates: Rates = {
  quote: () => null,
  trunkCosts: async () => [],
  published: () => null,
  ready: () => true,
  refresh: async () => undefined,
  routes: () => undefined,
  close: () => undefined,
};

/** A seller as an operator configures it. */
export const EXAMPLE_SELLER: SellerNotice = {
  name: "Example Calls Ltd",
  address: ["1 Main Road", "12345 Example"],
  tax_id: "GB123",
  registration: "Companies House 01234567",
  support_email: "help@farline.example",
  support_hours: { spans: [{ first_day: 1, last_day: 5, from_minute: 540, to_minute: 1080 }], time_zone: "Europe/London" },
  return_days: 180,
  cards: ["Visa", "Mastercard"],
  law: "England and Wales",
  sample: false,
};
