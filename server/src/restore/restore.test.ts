import { operate } from "../../test/operate.ts";
import { sql } from "kysely";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receiptsResponse } from "@farline/contract/billing-documents.ts";
import { createTestApp } from "../../test/create-test-app.ts";
import { newCustomer } from "../../test/new-customer.ts";
import { testDatabase } from "../../test/test-database.ts";
import { insertTestSession } from "../../test/test-session.ts";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { ScriptedTelnyx } from "../../test/fakes/scripted-telnyx.ts";
import { createTelnyx, type VoiceRecords } from "../calls/calls.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { asOperator, silentLive, testContext } from "../../test/test-context.ts";
import { sessionGuards } from "../accounts/accounts.ts";
import { billingRoutes } from "../billing/billing.ts";
import { switchOn } from "../billing/cards/auto-top-up.store.ts";
import type { Live } from "../context.ts";
import { beginRestore, checkRestore, refuseWhileClosed, watchIntake } from "./restore.ts";

describe("a restored database", () => {
  let before: BillingWorld;
  let after: BillingWorld;
  let caller: BillingClient;
  let second: BillingClient;
  let again: BillingClient;
  let provider: ScriptedTelnyx;
  let voice: VoiceRecords;
  beforeAll(async () => {
    provider = await ScriptedTelnyx.start();
    const apiKeys = ["KEY1"] as const;
    voice = { telnyx: createTelnyx({ telnyx: { apiKeys, apiBase: provider.url } }), apiKeys };
    before = await BillingWorld.start();
    caller = await before.service.signUp();
    second = await before.service.signUp();
    await before.paid(caller, { amount: 20 });
    await before.service.runJob("issue-receipts");
    await before.paid(second, { amount: 30 });
    await caller.post("withdrawals", { amount: 5 });
    await before.service.runJob("issue-receipts");
    // Its receipt was never issued.
    await before.paid(second, { amount: 40 });
    after = await before.restored([caller]);
    again = await after.service.signUp();
  });
  afterAll(async () => {
    await after.close();
    await before.close();
    await provider.close();
  });

  const receiptsOf = async (world: BillingWorld, customer: string) =>
    (
      await sql<{ number: string; kind: string; amount_micros: bigint }>`
        select number, kind, amount_micros from receipt where customer_id = ${customer} order by number`.execute(
        world.database.handle.db,
      )
    ).rows;

  test("closes intake once, and ends every session and every link to a family or for credit", async () => {
    const { ctx } = after.service;
    const { db } = ctx.handle;
    await sql`insert into session (id, customer_id, token_hash, created_at, authenticated_at, last_seen_at, expires_at)
      values (gen_random_uuid(), ${again.id}, sha256('token'), now(), now(), now(), now() + interval '1 day')`.execute(db);
    await sql`insert into family_member (customer_id, owner_id, joined_at) values (${again.id}, ${again.id}, now())`.execute(db);
    await sql`insert into family_invitation (customer_id, id, time_zone, created_at, expires_at)
      values (${again.id}, gen_random_uuid(), 'UTC', now(), now() + interval '1 day')`.execute(db);
    await after.asks(again);
    // Half a million sessions take longer than a request's statements may.
    await sql`create table allowed (timeout text)`.execute(db);
    await sql`create function note_timeout() returns trigger language plpgsql as $$
      begin insert into allowed values (current_setting('statement_timeout')); return old; end $$`.execute(db);
    await sql`create trigger note_timeout after delete on session for each row execute function note_timeout()`.execute(db);
    const timeout = () => sql`show statement_timeout`.execute(db).then(({ rows }) => rows);
    const usual = await timeout();
    const begun = await beginRestore(ctx);
    expect(begun).toMatchObject({ opened_at: null });
    expect((await sql`select distinct timeout from allowed`.execute(db)).rows).toEqual([{ timeout: "1h" }]);
    expect(await timeout()).toEqual(usual);
    expect(await beginRestore(ctx)).toEqual(begun);
    for (const table of ["session", "family_invitation", "credit_request"])
      expect((await sql`select from ${sql.table(table)}`.execute(db)).rows).toEqual([]);
    const intake = await watchIntake({ db, log: ctx.log });
    expect(intake.closed).toBe(true);
    await intake.close();
  });

  test("does not open before it was checked", async () => {
    await expect(operate(asOperator(after.service.ctx, "ana"), "open-intake", { reason: "In a hurry" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  test("opens after everything has come back to the cent, and only then", async () => {
    const { ctx } = after.service;
    const paid = [...before.stripe.sessions.values()];
    const [first] = paid;
    if (first === undefined) throw new Error("nothing was paid");
    first.amount_total += 100;
    expect(await checkRestore(ctx, voice)).toMatchObject({ payments: { differences: 1 }, opened: false });
    first.amount_total -= 100;
    provider.failure = { status: 503 };
    await expect(checkRestore(ctx, voice)).rejects.toMatchObject({ code: "voice_provider_down" });
    provider.failure = null;
    expect(await checkRestore(ctx, voice)).toMatchObject({
      payments: { charges: 3, differences: 0 },
      calls: { calls: 0 },
      drift: [],
      opened: true,
    });
    expect(await checkRestore(ctx, voice)).toBeNull();
    expect(await after.money(caller)).toEqual(await before.money(caller));
    expect(await after.money(second)).toMatchObject({ balance: 70 });
  });

  test("keeps the numbers of receipts that were given before, mails none twice, and gives no number again", async () => {
    const { db } = after.database.handle;
    await after.service.runJob("issue-receipts");
    await after.service.runJob("issue-receipts");
    expect(await receiptsOf(after, caller.id)).toEqual(await receiptsOf(before, caller.id));
    const year = new Date().getUTCFullYear();
    const [known] = await receiptsOf(before, second.id);
    expect(await receiptsOf(after, second.id)).toEqual([
      known,
      { number: `${year}-002001`, kind: "payment", amount_micros: 40_000_000n },
    ]);
    const { rows } = await sql`select data->>'number' as number from mail where template = 'receipt'`.execute(db);
    expect(rows).toEqual([{ number: `${year}-002001` }]);
    // The restore ended every session.
    await insertTestSession(db, again.id, after.service.clock.now());
    await after.paid(again, { amount: 10 });
    await after.service.runJob("issue-receipts");
    const { receipts } = receiptsResponse.parse((await again.get("receipts?limit=100")).body);
    expect(receipts.data.map(({ number }) => number)).toEqual([`${year}-002002`]);
  });
});

test("while intake is closed, credit that changes charges no saved card", async () => {
  const database = await testDatabase();
  const { handle } = database;
  const listeners: Parameters<Live["onPublished"]>[0][] = [];
  const live: Live = {
    ...silentLive,
    onPublished: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
  };
  const ctx = testContext({ handle, live });
  const intake = { closed: true };
  const app = createTestApp({ log: ctx.log, trustedProxies: 0, guards: sessionGuards(ctx) });
  billingRoutes(app, ctx, intake);
  const changeCreditOf = async () => {
    const { id } = await newCustomer(handle);
    await sql`insert into saved_card (id, customer_id, payment_method_id, fingerprint, brand, last4, exp_month, exp_year, created_at)
      values (${id}::uuid, ${id}::uuid, ${id}::text, null, 'visa', '4242', 12, 2034, now())`.execute(handle.db);
    const amounts = { thresholdMicros: 5_000_000n, amountMicros: 20_000_000n };
    await switchOn(handle.db, { customerId: id, cardId: id, ...amounts, now: ctx.clock.now() });
    for (const listener of listeners) listener(id, { type: "balance" });
    return id;
  };
  const charged = async () => (await sql<any>`select customer_id from payment where kind = 'auto'`.execute(handle.db)).rows;
  // Several, so that at least one charge would be there before the one that is right.
  for (let changed = 0; changed < 5; changed += 1) await changeCreditOf();
  intake.closed = false;
  const later = await changeCreditOf();
  await expect.poll(charged).toContainEqual({ customer_id: later });
  expect(await charged()).toEqual([{ customer_id: later }]);
  await app.close();
  await database.close();
});

test("while intake is closed, reading, providers' events and operators' sign-in work, and everything else is refused", async () => {
  const intake = { closed: true };
  const allow = () => undefined;
  const app = createTestApp({ log: pino({ level: "silent" }), trustedProxies: 0, guards: { customer: allow, operator: allow } });
  refuseWhileClosed(app, intake);
  const reply = async () => ({});
  app.get("/api/read", { config: { access: "customer" } }, reply);
  app.post("/api/write", { config: { access: "customer" } }, reply);
  app.post("/api/rates/lookup-number", { config: { access: "visitor" } }, reply);
  app.post("/api/webhooks/provider", { config: { access: "provider" } }, reply);
  app.post("/api/operator/sign-in-here", { config: { access: "visitor" } }, reply);
  app.post("/api/operator/refund", { config: { access: "operator", right: "refund" } }, reply);
  app.post("/api/operator/freeze", { config: { access: "operator", right: "restrict" } }, reply);
  const send = async (method: "GET" | "POST", url: string) => (await app.inject({ method, url })).statusCode;
  expect(await send("GET", "/api/read")).toBe(200);
  // Answered: the test app checks answers, too.
  expect(await send("POST", "/api/rates/lookup-number")).not.toBe(503);
  expect(await send("POST", "/api/webhooks/provider")).toBe(200);
  expect(await send("POST", "/api/operator/sign-in-here")).toBe(200);
  expect(await send("POST", "/api/operator/freeze")).toBe(200);
  expect(await send("POST", "/api/operator/refund")).toBe(503);
  const refused = await app.inject({ method: "POST", url: "/api/write" });
  expect(refused.statusCode).toBe(503);
  expect(refused.headers["retry-after"]).toBe("60");
  expect(refused.json()).toMatchObject({ code: "unavailable", reason: "restoring" });
  intake.closed = false;
  expect(await send("POST", "/api/write")).toBe(200);
  await app.close();
});
