import { fileURLToPath } from "node:url";
import type { DeclaredRoute } from "@farline/contract/route-access.ts";
import pino from "pino";
import { createAuthenticate } from "../src/accounts/accounts.ts";
import { createStripe } from "../src/billing/billing.ts";
import { createCallContext, createTelnyx } from "../src/calls/calls.ts";
import { ledger } from "../src/ledger/ledger.ts";
import { systemClock as clock } from "../src/platform/clock.ts";
import { openDatabase } from "../src/platform/database/database.ts";
import { memoryNetworkLimit } from "../src/platform/http/network-limit.ts";
import { readConfig } from "../src/platform/settings/config.ts";
import { DeckInForce } from "../src/rates/deck-in-force.ts";
import { rateRoutes } from "../src/rates/rate-routes.ts";
import { createServiceApp } from "../src/service-app.ts";

const WEB_FOLDER = fileURLToPath(new URL("../../web/dist", import.meta.url));
const NOWHERE = "http://127.0.0.1:9";
const settings = {
  DATABASE_URL: "postgres://nobody@127.0.0.1:9/nowhere",
  TELNYX_API_KEY: "none",
  TELNYX_API_BASE: NOWHERE,
  TELNYX_PUBLIC_KEY: Buffer.alloc(32).toString("base64"),
  TELNYX_CONNECTION_ID: "none",
  STRIPE_SECRET_KEY: "sk_test_none",
  STRIPE_WEBHOOK_SECRET: "whsec_none",
  STRIPE_API_BASE: NOWHERE,
};

/** The service's routes as its router lists them, from an instance that never serves a request. */
export async function routesWithoutDatabase(): Promise<readonly DeclaredRoute[]> {
  const config = readConfig(settings);
  const log = pino({ level: "silent" });
  const handle = openDatabase(config.databaseUrl, config.databasePool, log);
  const decks = new DeckInForce({ db: handle.db, clock, log, sample: true });
  const lookupLimit = memoryNetworkLimit({ name: "lookup", points: 1, perSeconds: 1, scale: 0 });
  const nothing = () => () => {};
  const rates = {
    quote: () => null,
    trunkCosts: async () => [],
    published: () => null,
    ready: () => false,
    refresh: async () => {},
    routes: (app: Parameters<typeof rateRoutes>[0]) => rateRoutes(app, { decks, lookupLimit }),
    close: () => {},
  };
  const live = { publish: () => {}, onPublished: nothing, subscribe: nothing, close: async () => {} };
  const authenticate = createAuthenticate({ db: handle.db, clock });
  const shared = { handle, clock, log, config, authenticate, ledger, rates, live, endElsewhere: [] };
  const billing = { ...shared, onPublished: live.onPublished, stripe: createStripe(config) };
  const calls = createCallContext({ ...shared, telnyx: createTelnyx(config) });
  const deps = { config, clock, log, handle, shared, billing, calls, rates, watch: { answering: true } };
  const { app, routes } = await createServiceApp(deps, WEB_FOLDER);
  await app.ready();
  await app.close();
  await handle.close();
  return routes;
}
