import { gzipSync } from "node:zlib";
import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp } from "../../test/create-test-app.ts";
import { operatorToken } from "../../test/operators.ts";
import { asOperator, testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { openApprovals, operatorGuard } from "../operator/operator.ts";
import { systemClock } from "../platform/clock.ts";
import type { App } from "../platform/http/http.ts";
import { seedSampleDeck } from "../rates/seed-sample-deck.ts";
import { activateDeck } from "./activate-deck.ts";
import { deckRoutes } from "./deck-routes.ts";

const HEADER = "Prefix,Destination,Rate,Billing";

let database: TestDatabase;
let app: App;
const context = () => testContext({ handle: database.handle, clock: systemClock, config: { databaseUrl: database.url } });
beforeAll(async () => {
  database = await testDatabase();
  await seedSampleDeck(context());
  app = createTestApp({ log: context().log, trustedProxies: 0, guards: { operator: operatorGuard(context()) } });
  deckRoutes(app, context());
});
afterAll(async () => {
  await app.close();
  await database.close();
});

interface Sent {
  readonly payload?: object | Buffer;
  readonly operator?: string;
  readonly type?: string;
}

async function request(method: "GET" | "POST", url: string, { payload, operator = "grace", type }: Sent = {}) {
  const token = await operatorToken((sql, values) => database.handle.pool.query(sql, values), operator);
  const headers = { cookie: `__Host-operator=${token}`, ...(type === undefined ? {} : { "content-type": type }) };
  return app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
}
const upload = (payload: Buffer, query: Record<string, string> = {}, sent: Sent = {}) => {
  const options = new URLSearchParams({ file: "december.csv", ...query }).toString();
  return request("POST", `/api/operator/decks/import?${options}`, { type: "application/gzip", payload, ...sent });
};
const decks = async (operator = "grace") =>
  (await request("GET", "/api/operator/decks", { operator })).json().decks as { id: string; state: string }[];

test("a list is uploaded, read in a process of its own, stored and proposed", async () => {
  const rows = [HEADER, "44,UK,0.02,1/1", "49,Germany,soon,1/1"];
  const order = { complete: "true", skip: "3", store: "true", effective: "now", reason: "December" };
  const stored = (await upload(gzipSync(rows.join("\n")), order)).json<DeckReportResponse>();
  expect(stored).toMatchObject({
    counts: { rows: 2, bad: 0 },
    compared_with: "Sample rates",
    refusals: [],
    activated: null,
    proposal: { why: expect.stringContaining("differ by more") },
  });
  expect(await decks("bob")).toMatchObject([
    { id: stored.deck, name: "december.csv", state: "proposed", proposal: stored.proposal?.id, prices: stored.counts.prefixes },
    { name: "Sample rates", state: "in_force" },
  ]);
});

test("a deck is scheduled, cancelled, put in force and rolled back", async () => {
  const [newest] = await decks();
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const activate = (body: object) => request("POST", `/api/operator/decks/${newest?.id}/activate`, { payload: body });
  const proposed = (await activate({ at, reason: "Later" })).json();
  expect(proposed).toMatchObject({ activated: null, proposal: { id: expect.any(String) } });
  await confirm();
  expect((await decks())[0]).toMatchObject({ state: "scheduled", activations: [{ state: "scheduled", effective_at: at }] });
  const cancelled = await request("POST", `/api/operator/decks/${newest?.id}/cancel`, { payload: { reason: "Too early" } });
  expect(cancelled.json()).toEqual({ cancelled: [at] });
  expect((await request("POST", `/api/operator/decks/${newest?.id}/cancel`, { payload: { reason: "Again" } })).statusCode).toBe(
    422,
  );
  await activateDeck(asOperator(context(), "grace"), { deck: newest?.id ?? "", at: null, reason: "Now" });
  await confirm();
  expect((await decks()).map(({ state }) => state)).toEqual(["in_force", "past"]);
  const back = await request("POST", "/api/operator/decks/roll-back", { payload: { trunk: null, reason: "A mistake" } });
  expect(back.json()).toMatchObject({ deck: { name: "Sample rates" } });
  expect((await decks()).map(({ state }) => state)).toEqual(["proposed", "in_force"]);
});

test("a file that is not compressed, incomplete or of another type is refused, and so are readers", async () => {
  const whole = gzipSync(`${HEADER}\n44,UK,0.02,1/1\n`);
  expect((await upload(Buffer.from("Prefix,Rate"))).json()).toMatchObject({ reason: "operator.file_incomplete" });
  expect((await upload(whole.subarray(0, 20))).json()).toMatchObject({ reason: "operator.file_incomplete" });
  expect((await upload(whole, { store: "true" })).json()).toMatchObject({ reason: "operator.reason_needed" });
  expect((await upload(whole, {}, { type: "text/csv" })).statusCode).toBe(415);
  expect((await upload(whole, {}, { operator: "bob" })).statusCode).toBe(403);
  expect((await request("GET", "/api/operator/decks", { operator: "eve" })).statusCode).toBe(403);
});

/** Ada confirms the newest proposal. */
async function confirm(): Promise<void> {
  const ctx = asOperator(context(), "ada");
  const { id, subject, reason, detail } = (await openApprovals(ctx)).at(-1)!;
  const at = detail["starts"] === "now" ? null : new Date(String(detail["starts"]));
  await activateDeck(ctx, { deck: subject ?? "", at, reason, confirms: id });
}
