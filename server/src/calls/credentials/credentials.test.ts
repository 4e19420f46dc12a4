import { DAY_MS } from "@farline/domain/durations.ts";
import type { VoiceTokenResponse } from "@farline/contract/calls.ts";
import { uuidv7 } from "uuidv7";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createTelnyxWorld, type TelnyxWorld } from "../../../test/worlds/telnyx-world.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { createIssueVoiceToken, removeCredentials } from "./issue-voice-token.ts";
import { endSession } from "../../accounts/session/session.store.ts";
import { cutCalls } from "../live/cut-calls.ts";

let telnyxWorld: TelnyxWorld;
beforeAll(async () => {
  telnyxWorld = await createTelnyxWorld();
});
afterAll(() => telnyxWorld.close());
beforeEach(() => {
  telnyxWorld.reset();
  telnyxWorld.telnyx.account.credentials.clear();
});
afterEach(() => expect(telnyxWorld.telnyx.refused).toEqual([]));

/** The credentials that currently exist at Telnyx. */
const atTelnyx = () => telnyxWorld.telnyx.account.credentials;
const runJob = () => removeCredentials(telnyxWorld.world.ctx, new AbortController().signal);
const query = (text: string, values: readonly unknown[]) => telnyxWorld.world.database.handle.pool.query(text, [...values]);

/** A customer's device: its session, and the credential of its token. */
async function device(customer: Customer): Promise<{ sessionId: string; credential: string }> {
  const sessionId = uuidv7();
  const { clock, ctx } = telnyxWorld.world;
  const later = new Date(clock.now().getTime() + DAY_MS);
  await query(
    `insert into session (id, customer_id, token_hash, created_at, last_seen_at, authenticated_at, expires_at)
     values ($1::uuid, $2, sha256(convert_to($1::uuid::text, 'UTF8')), $3, $3, $3, $4)`,
    [sessionId, customer.id, clock.now(), later],
  );
  const answer: VoiceTokenResponse = await createIssueVoiceToken(ctx)({ ...customer, sessionId });
  return { sessionId, credential: answer.token.split(".")[1] ?? "" };
}

test("signing out a device deletes its credential at Telnyx and keeps the other device's", async () => {
  const customer = await telnyxWorld.world.customer();
  const [first, second] = [await device(customer), await device(customer)];
  expect(first.credential).not.toBe(second.credential);
  await runJob();
  expect([...atTelnyx()]).toEqual([first.credential, second.credential]);
  await query("delete from session where id = $1", [first.sessionId]);
  await runJob();
  expect([...atTelnyx()]).toEqual([second.credential]);
});

test("an account without credit gets a credential only for an echo test, and only for five minutes", async () => {
  const { world } = telnyxWorld;
  const customer = await world.customer({ creditMicros: 0n });
  const requestToken = () => world.request<VoiceTokenResponse & { code?: string }>(customer, { path: "/api/calls/token" });
  expect(await requestToken()).toMatchObject({ status: 402, body: { code: "no_credit" } });
  expect(atTelnyx().size).toBe(0);
  expect((await world.request(customer, { method: "POST", path: "/api/calls/echo-test" })).status).toBeLessThan(300);
  const { status, body } = await requestToken();
  expect(status).toBe(200);
  expect(Date.parse(body.expires_at) - world.clock.now().getTime()).toBeLessThanOrEqual(5 * 60_000);
  world.clock.advance(2 * 60_000);
  expect(await requestToken()).toMatchObject({ status: 402, body: { code: "no_credit" } });
});

test("a session's tokens share one credential", async () => {
  const customer = await telnyxWorld.world.customer();
  const { sessionId, credential } = await device(customer);
  const again = await createIssueVoiceToken(telnyxWorld.world.ctx)({ ...customer, sessionId });
  expect(again.token.split(".")[1]).toBe(credential);
});

test("a running call keeps its own session's credential when the session expires, and nobody else's", async () => {
  const { world } = telnyxWorld;
  const customer = await world.customer();
  const other = await device(customer);
  // The world's calls are made by the session with the customer's id.
  const own = await createIssueVoiceToken(world.ctx)({ ...customer, sessionId: customer.id });
  const { call } = await world.initiate(customer);
  const end = { by: "expired", at: world.clock.now() } as const;
  for (const id of [other.sessionId, customer.id])
    await endSession(world.database.handle.db, { id, customerId: customer.id }, end);
  await runJob();
  expect([...atTelnyx()]).toEqual([own.token.split(".")[1]]);
  await world.request(customer, { method: "POST", path: `/api/calls/${call.id}/hangup` });
  await runJob();
  expect(atTelnyx().size).toBe(0);
});

test("a session that is ended loses its credential once its call is being ended", async () => {
  const { world } = telnyxWorld;
  const customer = await world.customer();
  await createIssueVoiceToken(world.ctx)({ ...customer, sessionId: customer.id });
  await world.initiate(customer);
  const end = { by: "signed_out_elsewhere", at: world.clock.now() } as const;
  await endSession(world.database.handle.db, { id: customer.id, customerId: customer.id }, end);
  await runJob();
  expect(atTelnyx().size).toBe(1);
  await cutCalls(world.ctx, new AbortController().signal);
  await runJob();
  expect(atTelnyx().size).toBe(0);
});

test("freezing an account deletes all its credentials", async () => {
  const customer = await telnyxWorld.world.customer();
  await device(customer);
  await device(customer);
  await query("update customer set status = 'frozen' where id = $1", [customer.id]);
  await runJob();
  expect(atTelnyx().size).toBe(0);
});

test("a failed deletion is retried with exponential backoff until the credential expires", async () => {
  const { world, telnyx } = telnyxWorld;
  const { sessionId } = await device(await world.customer());
  telnyx.failing = ({ method }) => method === "DELETE";
  await query("delete from session where id = $1", [sessionId]);
  // The client retries each request once.
  const tries = () => telnyx.requests.filter(({ method }) => method === "DELETE").length / 2;
  for (let second = 0; second < 300; second += 5) {
    await runJob();
    world.clock.advance(5_000);
  }
  expect(tries()).toBe(6);
  telnyx.failing = () => false;
  world.clock.advance(600_000);
  await runJob();
  expect(atTelnyx().size).toBe(0);
  const { rows } = await query("select from voice_credential where session_id = $1", [sessionId]);
  expect(rows).toEqual([]);
});

test("a credential that Telnyx does not know counts as deleted", async () => {
  const { world, telnyx } = telnyxWorld;
  const { sessionId } = await device(await world.customer());
  atTelnyx().clear();
  await query("delete from session where id = $1", [sessionId]);
  await runJob();
  expect(telnyx.requests.filter(({ method }) => method === "DELETE")).toHaveLength(1);
  world.clock.advance(3_600_000);
  await runJob();
  expect(telnyx.requests.filter(({ method }) => method === "DELETE")).toHaveLength(1);
});
