import http from "node:http";
import { gzipSync } from "node:zlib";
import type { DeckReportResponse, DecksResponse } from "@farline/contract/operator/decks.ts";
import { parse } from "csv-parse/sync";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { consoleApp, consoleCookie, type ConsoleApp } from "../../test/worlds/console-app.ts";
import { asOperator, testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { systemClock } from "../platform/clock.ts";
import { seedSampleDeck } from "../rates/seed-sample-deck.ts";
import { confirm as confirmProposal, propose } from "../../test/operate.ts";
import { operationRoutes } from "../operations/operations.ts";
import { deckRoutes } from "./decks.ts";

const HEADER = "Prefix,Destination,Rate,Billing";

let database: TestDatabase;
let app: ConsoleApp;
const context = () => testContext({ handle: database.handle, clock: systemClock, config: { databaseUrl: database.url } });
beforeAll(async () => {
  database = await testDatabase();
  await seedSampleDeck(context());
  app = consoleApp(context(), deckRoutes, operationRoutes);
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
  const cookie = await consoleCookie(context(), operator);
  const headers = { cookie, ...(type === undefined ? {} : { "content-type": type }) };
  return app.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
}
const upload = (payload: Buffer, query: Record<string, string> = {}, sent: Sent = {}) => {
  const options = new URLSearchParams({ file: "december.csv", kind: "sale", ...query }).toString();
  return request("POST", `/api/operator/decks/import?${options}`, { type: "application/gzip", payload, ...sent });
};
const decks = async (operator = "grace") =>
  (await request("GET", "/api/operator/decks", { operator })).json<DecksResponse>().decks;

test("a list is uploaded, read in a process of its own, stored and proposed", async () => {
  const rows = [HEADER, "44,UK,0.02,1/1", "49,Germany,soon,1/1"];
  const order = { complete: "true", skip: "3", effective: "now", reason: "December" };
  const file = gzipSync(rows.join("\n"));
  const seen = (await upload(file, order)).json<DeckReportResponse>();
  expect([seen.deck, seen.refusals, await decks()]).toMatchObject([null, [], [{ name: "Sample rates" }]]);
  const other = gzipSync(rows.join("\n").replace("0.02", "0.021"));
  const asSeen = { ...order, preview: seen.preview };
  expect((await upload(other, asSeen)).json()).toMatchObject({ deck: null, refusals: [{ kind: "preview_differs" }] });
  const stored = (await upload(file, asSeen)).json<DeckReportResponse>();
  expect(stored).toMatchObject({
    counts: { rows: 2, bad: 0 },
    compared_with: "Sample rates",
    refusals: [],
    activated: null,
    proposal: { why: expect.stringContaining("differ by more") },
  });
  expect(await decks("bob")).toMatchObject([
    { id: stored.deck, name: "december.csv", state: "proposed", proposal: stored.proposal?.id, prices: stored.counts.prefixes },
    { name: "Sample rates", state: "active" },
  ]);
});

test("a deck is scheduled, cancelled, activated and rolled back", async () => {
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
  await propose(asOperator(context(), "grace"), "activate-deck", { deck: newest?.id ?? "", at: null, reason: "Now" });
  await confirm();
  expect((await decks()).map(({ state }) => state)).toEqual(["active", "past"]);
  const [from] = await decks();
  const step = { kind: "sale", from: from?.id, to: from?.goes_back_to?.id, reason: "A mistake" };
  const rollBack = (payload: object) => request("POST", "/api/operator/decks/roll-back", { payload });
  expect((await rollBack({ ...step, kind: undefined })).json()).toMatchObject({ reason: "operator.kind_needed" });
  expect((await rollBack({ ...step, kind: "trunk" })).json()).toMatchObject({ reason: "operator.trunk_needed" });
  expect((await rollBack({ ...step, trunk: "acme" })).json()).toMatchObject({ reason: "operator.trunk_not_sold" });
  expect((await rollBack(step)).json()).toMatchObject({ deck: { name: "Sample rates", kind: "sale" } });
  expect((await rollBack(step)).json()).toMatchObject({ reason: "operator.deck_none_before" });
  expect((await decks()).map(({ state }) => state)).toEqual(["proposed", "active"]);
});

test("a file that is not compressed, incomplete or of another type is refused, and so are readers", async () => {
  const whole = gzipSync(`${HEADER}\n44,UK,0.02,1/1\n`);
  expect((await upload(Buffer.from("Prefix,Rate"))).json()).toMatchObject({ reason: "operator.file_incomplete" });
  expect((await upload(whole.subarray(0, 20))).json()).toMatchObject({ reason: "operator.file_incomplete" });
  const preview = "0123456789abcdef";
  expect((await upload(whole, { preview })).json()).toMatchObject({ reason: "operator.reason_needed" });
  expect((await upload(whole, { preview: "", reason: "Now" })).statusCode).toBe(422);
  for (const [order, why] of [
    [{ kind: "" }, "operator.kind_needed"],
    [{ kind: "costs" }, "operator.kind_needed"],
    [{ kind: "trunk" }, "operator.trunk_needed"],
    [{ trunk: "acme" }, "operator.trunk_not_sold"],
  ] as const)
    expect((await upload(whole, order)).json()).toMatchObject({ reason: why });
  expect((await upload(whole, { kind: "trunk", trunk: " " })).statusCode).toBe(422);
  expect((await upload(whole, {}, { type: "text/csv" })).statusCode).toBe(415);
  expect((await upload(whole, {}, { operator: "bob" })).statusCode).toBe(403);
  expect((await request("GET", "/api/operator/decks", { operator: "eve" })).statusCode).toBe(403);
});

test("every bad row is in the file for the carrier, whole, however many the report lists", async () => {
  const long = "x".repeat(300);
  const bad = Array.from({ length: 2_500 }, (_, index) => `${70_000 + index},Kazakhstan ${index} ${long},soon,1/1`);
  const list = gzipSync([HEADER, "44,UK,0.02,1/1", ...bad, "49,Germany,closed,1/1", "33,=1+1,2/3,1/1"].join("\n"));
  const read = (query: Record<string, string>, sent: Sent = {}) => {
    const options = new URLSearchParams({ kind: "sale", ...query }).toString();
    return request("POST", `/api/operator/decks/bad-rows?${options}`, { type: "application/gzip", payload: list, ...sent });
  };
  const answer = await read({ skip_words: "price_form=closed" });
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
  const [head, ...rows] = parse(answer.body, { bom: true });
  expect(head).toEqual(["Line", "Problem", "Row"]);
  const [, why = ""] = rows[0] ?? [];
  expect(why).toMatch(/^not a price/);
  expect(rows).toEqual([
    ...bad.map((row, index) => [String(index + 3), why, row.replaceAll(",", " | ")]),
    ["2504", why, "33 | =1+1 | 2/3 | 1/1"],
  ]);
  expect((await upload(list)).json<DeckReportResponse>().bad_rows[0]?.rows).toHaveLength(200);
  const [busy, other] = await Promise.all([read({}), read({})]);
  expect(new Set([busy.statusCode, other.statusCode])).toEqual(new Set([200, 409]));
  expect((await read({}, { operator: "bob" })).statusCode).toBe(403);
  expect((await read({ kind: "trunk" })).json()).toMatchObject({ reason: "operator.trunk_needed" });
  expect((await read({}, { payload: Buffer.from("Prefix,Rate") })).json()).toMatchObject({ reason: "operator.file_incomplete" });
  expect((await read({}, { payload: gzipSync("No,header\n") })).statusCode).toBe(422);
});

test("an import whose operator leaves ends without a failure in the log, and the next one is read", async () => {
  const lines: Record<string, unknown>[] = [];
  const logged = Promise.withResolvers<void>();
  const log = pino({ level: "info" }, { write: (text: string) => take(JSON.parse(text) as Record<string, unknown>) });
  function take(line: Record<string, unknown>): void {
    lines.push(line);
    if (line["msg"] === "request") logged.resolve();
  }
  const { app: own } = consoleApp({ ...context(), log }, deckRoutes);
  const arrived = Promise.withResolvers<void>();
  own.addHook("preHandler", async (request) => {
    (request.body as NodeJS.ReadableStream).once("end", () => arrived.resolve());
  });
  const url = `${await own.listen({ port: 0 })}/api/operator/decks/import?file=a.csv&kind=sale`;
  const headers = { cookie: await consoleCookie(context(), "grace"), "content-type": "application/gzip" };
  const sent = http.request(url, { method: "POST", headers });
  sent.on("error", () => {});
  sent.end(gzipSync(`${HEADER}\n44,UK,0.02,1/1\n`));
  await arrived.promise;
  sent.destroy();
  await logged.promise;
  await own.close();
  expect(lines.filter(({ level }) => level !== 30)).toEqual([]);
  expect(lines.at(-1)).toMatchObject({ msg: "request", status: 400, code: "malformed_request" });
  expect((await upload(gzipSync(`${HEADER}\n44,UK,0.02,1/1\n`))).statusCode).toBe(200);
});

/** Ada confirms the newest proposal. */
const confirm = () => confirmProposal(asOperator(context(), "ada"));
