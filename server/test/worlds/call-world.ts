import { DeckRows } from "@farline/domain/rates/deck-rows.ts";
import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { insertActivation, insertDeck } from "../../src/rates/rates.store.ts";
import type { Tx } from "../../src/platform/database/database.ts";
import type { TurnConfig } from "../../src/calls/credentials/turn-servers.ts";
import type { Call, InitiateResponse } from "@farline/contract/calls.ts";
import type { LiveHint } from "@farline/contract/events.ts";
import type { RiskTier } from "@farline/domain/calls/risk-tier.ts";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import pino, { type Logger } from "pino";
import { uuidv7 } from "uuidv7";
import { findCustomer, sessionGuards, type Customer } from "../../src/accounts/accounts.ts";
import { operatorGuard } from "../../src/operator/operator.ts";
import type { CallContext } from "../../src/calls/call-context.ts";
import { callJobs, callRoutes, createCallContext } from "../../src/calls/calls.ts";
import { familyRoutes } from "../../src/family/family.ts";
import { ledger } from "../../src/ledger/ledger.ts";
import { createLive } from "../../src/live/live.ts";
import { ManualClock } from "../manual-clock.ts";
import type { App } from "../../src/platform/http/http.ts";
import { createTestApp } from "../create-test-app.ts";
import { testContext } from "../test-context.ts";
import { databaseWithRates } from "./rates-database.ts";
import type { TestDatabase } from "../test-database.ts";
import { AppError } from "../../src/platform/app-error.ts";
import { createRates } from "../../src/rates/rates.ts";
import { ScriptedTelnyx, type EventToSend } from "../fakes/scripted-telnyx.ts";
import { insertTestSession, testSession } from "../test-session.ts";
import type { Authenticate, Live, Rates } from "../../src/context.ts";

/** A key that signs nothing yet, as while keys are changed. */
const NEXT_PUBLIC_KEY = generateKeyPairSync("ed25519")
  .publicKey.export({ format: "der", type: "spki" })
  .subarray(-32)
  .toString("base64");

/** Ofcom reserves this range for drama, so it reaches nobody. */
export const LONDON = "+442079460000";
export const CALLER_NUMBER = "+12025550143";
/** A test customer's default credit: 5 dollars. */
export const CREDIT_MICROS = 5_000_000n;

export interface Answer<Body> {
  status: number;
  body: Body;
  headers: Record<string, unknown>;
}

/** The calls of the service on a real database, ledger and rates, with a scripted provider. */
export interface CallWorld {
  readonly database: TestDatabase;
  readonly provider: ScriptedTelnyx;
  readonly clock: ManualClock;
  readonly ctx: CallContext;
  readonly rates: Rates;
  customer(options?: { creditMicros?: bigint; status?: Customer["status"]; tier?: RiskTier }): Promise<Customer>;
  request<Body>(
    customer: Customer | null,
    r: { method?: string; path: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer<Body>>;
  /** Opens a URL without a session, as a browser does to download. */
  download(path: string): Promise<{ status: number; text: string; type: unknown }>;
  initiate(customer: Customer, number?: string): Promise<InitiateResponse>;
  /** Delivers an event and returns the HTTP status. */
  deliver(event: EventToSend): Promise<number>;
  /** The browser dials with its ticket, and its leg arrives parked. Returns the leg's ids. */
  park(started: InitiateResponse, more?: { to?: string; payload?: Record<string, unknown> }): Promise<ParkedLeg>;
  /** The far leg's `client_state` that the service commanded for this call. */
  farState(callControlId: string): string;
  readCall(customer: Customer, id: string): Promise<Call>;
  /** Collects the hints sent to the customer's pages from now on. */
  hintsFor(customer: Customer): LiveHint[];
  money(customer: Customer): ReturnType<typeof ledger.balance>;
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface ParkedLeg {
  parked: string;
  far: string;
  session: string;
  eventId: string;
}

export async function createCallWorld(
  options: {
    limitsScale?: number;
    wsUrl?: string | null;
    mode?: "sandbox" | "live";
    turn?: TurnConfig;
    log?: Logger;
    /** Replaces the scripted provider. */
    telnyx?: { url: string; publicKey: string; connectionId: string };
  } = {},
): Promise<CallWorld> {
  const [database, provider] = await Promise.all([databaseWithRates(), ScriptedTelnyx.start()]);
  const clock = new ManualClock(new Date());
  const { url, publicKey, connectionId } = options.telnyx ?? provider;
  const telnyx = {
    apiKeys: ["KEY-scripted"] as const,
    apiBase: url,
    publicKeys: [NEXT_PUBLIC_KEY, publicKey] as const,
    connectionId,
    wsUrl: options.wsUrl ?? null,
    callerNumber: CALLER_NUMBER,
    marginMinutes: 10,
    turn: options.turn ?? null,
  };
  const config = {
    telnyx,
    limitsScale: options.limitsScale ?? 1,
    mode: options.mode ?? ("sandbox" as const),
    publicUrl: "https://farline.example",
  };
  const customers = new Map<string, Customer>();
  const { handle } = database;
  const { log = pino({ level: "silent" }) } = options;
  const live = createLive({ handle, databaseUrl: database.url, log });
  const authenticate: Authenticate = async (request) => {
    const found = customers.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
    if (found === undefined) throw new AppError("unauthenticated");
    const { payerId = null } = (await findCustomer(handle.db, found.id)) ?? {};
    return testSession({ ...found, payerId }, clock.now());
  };
  const rates = await createRates(testContext({ handle, clock }));
  const ctx = createCallContext(testContext({ handle, clock, log, config, rates, live, authenticate }));
  const app = createTestApp({ log, trustedProxies: 0, guards: { ...sessionGuards(ctx), operator: operatorGuard(ctx) } });
  callRoutes(app, ctx);
  familyRoutes(app, ctx);
  return worldOf({ database, provider, clock, ctx, app, customers, rates, live });
}

interface Insides {
  database: TestDatabase;
  provider: ScriptedTelnyx;
  clock: ManualClock;
  ctx: CallContext;
  app: App;
  customers: Map<string, Customer>;
  rates: Rates;
  live: Live;
}

function worldOf({ database, provider, clock, ctx, app, customers, rates, live }: Insides): CallWorld {
  const { handle } = database;
  const world: CallWorld = {
    database,
    provider,
    clock,
    ctx,
    rates,
    async customer({ creditMicros = CREDIT_MICROS, status = "active", tier = "unverified" } = {}) {
      const customer = await insertCustomer(database, { now: clock.now(), status, tier });
      customers.set(customer.id, customer);
      if (creditMicros > 0n)
        await ledger.credit(handle.db, {
          key: `test:${customer.id}`,
          customerId: customer.id,
          kind: "test_credit",
          amountMicros: creditMicros,
          referenceId: null,
          description: "Test credit",
        });
      return customer;
    },
    async request(customer, { method = "GET", path, body, headers }) {
      const answer = await app.inject({
        method: method as "GET",
        url: path,
        headers: {
          "content-type": "application/json",
          ...(customer === null ? {} : { authorization: `Bearer ${customer.id}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
    },
    async download(path) {
      const answer = await app.inject({ method: "GET", url: path });
      return { status: answer.statusCode, text: answer.body, type: answer.headers["content-type"] };
    },
    async initiate(customer, number = LONDON) {
      const answer = await world.request<InitiateResponse>(customer, {
        method: "POST",
        path: "/api/calls/initiate",
        body: { destination_number: number },
      });
      if (answer.status !== 201) throw new Error(`initiate answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async deliver(event) {
      const { body, headers } = provider.signed(provider.eventBody(event));
      return (await world.request(null, { method: "POST", path: "/api/webhooks/telnyx", body, headers })).status;
    },
    async park(started, { to = started.call.destination_number, payload = {} } = {}) {
      const leg = { parked: `v3:${randomUUID()}`, far: `v3:${randomUUID()}`, session: randomUUID(), eventId: randomUUID() };
      provider.legs.set(leg.parked, { alive: true, endedAt: null });
      await world.deliver({
        type: "call.initiated",
        id: leg.eventId,
        callControlId: leg.parked,
        occurredAt: clock.now(),
        payload: {
          state: "parked",
          call_session_id: leg.session,
          client_state: Buffer.from(started.ticket).toString("base64"),
          to,
          ...payload,
        },
      });
      // A leg with an unknown ticket waits after the acknowledgement.
      await ctx.earlyLegs.settled();
      return leg;
    },
    farState(callControlId) {
      const command = provider.commands.find(({ path }) => path === `/calls/${callControlId}/actions/transfer`);
      if (command === undefined) throw new Error("the call was not dialled");
      return String(command.body["target_leg_client_state"]);
    },
    async readCall(customer, id) {
      return (await world.request<{ call: Call }>(customer, { path: `/api/calls/${id}` })).body.call;
    },
    hintsFor(customer) {
      const hints: LiveHint[] = [];
      live.subscribe(customer.id, (hint) => hints.push(hint));
      return hints;
    },
    money: (customer) => ledger.balance(handle.db, customer.id),
    async sweep() {
      for (const job of callJobs(ctx)) await job.run(new AbortController().signal);
    },
    async close() {
      rates.close();
      await app.close();
      await live.close();
      await provider.close();
      await database.close();
    },
  };
  return world;
}

async function insertCustomer(
  { handle }: TestDatabase,
  { now, status, tier }: { now: Date; status: Customer["status"]; tier: RiskTier },
): Promise<Customer> {
  const id = uuidv7();
  const createdAt = tier === "trusted" || tier === "known" ? daysBefore(now, 60) : now;
  const email = `${id}@example.com`;
  const emailVerified = tier !== "unverified";
  await sql`insert into customer (id, name, email, email_key, status, email_verified, created_at) values (${id}, 'Test caller', ${email}, ${email}, ${status}, ${emailVerified}, ${createdAt})`.execute(
    handle.db,
  );
  await insertTestSession(handle.db, id, now);
  await ledger.openAccount(handle.db, id);
  if (tier === "known") for (const days of [8, 9]) await insertPaid(handle.db, id, { dollars: 5, at: daysBefore(now, days) });
  if (tier === "trusted") await insertPaid(handle.db, id, { dollars: 50, at: daysBefore(now, 46) });
  return { id, name: "Test caller", email, status, emailVerified, language: "en", createdAt, payerId: null };
}

/** Inserts a confirmed payment without posting its credit. */
export async function insertPaid(db: Tx, customerId: string, { dollars, at }: { dollars: number; at: Date }): Promise<void> {
  await sql`insert into payment (id, customer_id, kind, charge_micros, status, authenticated, expires_at, created_at, settled_at)
     values (${uuidv7()}, ${customerId}, 'custom', ${dollars * 1_000_000}, 'paid', true, ${at}, ${at}, ${at})`.execute(db);
}

/** Activates a copy of the active deck in which London's prices are changed. @param set SQL of `update deck_rate set` @returns its id */
export async function changePrices(world: CallWorld, set: string): Promise<string> {
  const { db } = world.database.handle;
  const deckId = randomUUID();
  const before = world.rates.quote(LONDON, "visitor")?.deckId;
  world.clock.advance(1_000);
  const at = world.clock.now();
  const deck = { id: deckId, name: "Changed", source: "test", checksum: null, trunk: null, createdAt: at };
  await insertDeck(db, deck, { rows: new DeckRows(), blocks: [] });
  await sql`insert into deck_rate select ${deckId}, prefix, description, country_code, number_type, rate_per_minute_micros,
       first_interval_seconds, next_interval_seconds, cost_per_minute_micros, cost_first_interval_seconds, cost_next_interval_seconds
     from deck_rate where deck_id = ${before}`.execute(db);
  await sql`update deck_rate set ${sql.raw(set)} where deck_id = ${deckId} and prefix = '4420'`.execute(db);
  await insertActivation(db, { deckId, effectiveAt: at, operator: "test", reason: "test", confirmed: false, at });
  await world.rates.refresh();
  return deckId;
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
