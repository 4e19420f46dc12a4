import { Readable } from "node:stream";
import { sql } from "kysely";
import { statementFile, statementResponse } from "@farline/contract/billing-documents.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPdf } from "../../../test/papers/read-pdf.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { ledger } from "../../ledger/ledger.ts";
import { statementTime } from "./statement-month.ts";

let world: BillingWorld;
let caller: BillingClient;
let receiptId: string;
const month = new Date().toISOString().slice(0, 7);

beforeAll(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
  const { sessionId } = await world.paid(caller, { package_id: "50" });
  await world.spend(caller, 7.596401);
  await caller.post("withdrawals", { amount: 10 });
  receiptId = (await caller.post("confirm", { session_id: sessionId })).body.receipt_id;
  // Ledger entries are timestamped by the database.
  world.service.clock.advance(60_000);
});
afterAll(() => world.close());

const statement = (format: string) => ({ type: "statement", month, format });

async function ticketFor(document: object, of: BillingClient = caller): Promise<string> {
  const { status, body } = await of.post("document-ticket", document);
  expect([status, body.message]).toEqual([200, undefined]);
  return body.ticket;
}

function fetchDocument(ticket: string) {
  return world.service.app.inject({ url: `/api/billing/document?ticket=${ticket}` });
}

async function download(document: object, of?: BillingClient) {
  const answer = await fetchDocument(await ticketFor(document, of));
  expect(answer.statusCode).toBe(200);
  return answer;
}

describe("a statement", () => {
  test("has opening balance, closing balance and number of entries", async () => {
    const { body } = await caller.get(`statements/${month}`);
    const { opening_balance: opening, change, closing_balance: closing, entries } = statementResponse.parse(body).statement;
    expect([opening, closing, entries]).toEqual(["0.00", await caller.balance(), 5]);
    expect(fromDecimalString(opening) + fromDecimalString(change)).toBe(fromDecimalString(closing));
    expect((await caller.get("statements")).body).toEqual({ first_month: month, last_month: month });
  });

  test("as JSON adds up to its closing balance, both by line and by kind", async () => {
    const answer = await download(statement("json"));
    expect(answer.headers["content-disposition"]).toBe(`attachment; filename="farline-statement-${month}.json"`);
    const file = statementFile.parse(answer.json()).statement;
    let balance = fromDecimalString(file.opening_balance);
    for (const entry of file.entries) {
      balance += fromDecimalString(entry.amount);
      expect(fromDecimalString(entry.balance_after)).toBe(balance);
    }
    expect(balance).toBe(fromDecimalString(file.closing_balance));
    const totals = file.totals.reduce((sum, total) => sum + fromDecimalString(total.amount), 0n);
    expect(totals).toBe(balance);
    // The withdrawn credit's bonus is taken back with it.
    expect(file.entries.map((entry) => entry.kind)).toEqual(["top_up", "bonus", "call", "withdrawal", "bonus"]);
  });

  test("as CSV adds up to its closing balance", async () => {
    const answer = await download(statement("csv"));
    expect(answer.headers["content-type"]).toBe("text/csv; charset=utf-8");
    const rows: Record<string, string>[] = parse(answer.body, { bom: true, columns: true });
    const sum = rows.reduce((total, row) => total + fromDecimalString(row["Amount (USD)"] || "0.00"), 0n);
    expect(sum).toBe(fromDecimalString(rows.at(-1)?.["Balance (USD)"] ?? ""));
    expect(rows.map((row) => row["Kind"])).toEqual(expect.arrayContaining(["opening", "top_up", "call", "closing"]));
  });

  test("as PDF is a complete file", async () => {
    const { rawPayload, headers } = await download(statement("pdf"));
    expect(headers["content-type"]).toBe("application/pdf");
    expect(rawPayload.subarray(0, 5).toString()).toBe("%PDF-");
    expect(rawPayload.subarray(-6).toString().trim()).toBe("%%EOF");
  });

  test("does not name a family member's call, which is not the account's to open", async () => {
    const [owner, member] = [await world.service.signUp(), await world.service.signUp()];
    await world.paid(owner, { amount: 20 });
    const { db } = world.database.handle;
    const holdId = crypto.randomUUID();
    const micros = 1_000_000n;
    await ledger.hold(db, { holdId, customerId: owner.id, callerId: member.id, wantMicros: micros, leastMicros: micros });
    await ledger.postHold(db, { holdId, chargeMicros: micros, description: "Call of a family member" });
    for (const format of ["json", "csv"]) {
      const { body } = await download(statement(format), owner);
      expect(body).toContain("Call of a family member");
      expect(body).not.toContain(holdId);
    }
  });

  test("exists for an account without entries", async () => {
    const newcomer = await world.service.signUp();
    const file = statementFile.parse((await download(statement("json"), newcomer)).json()).statement;
    expect(file).toMatchObject({ opening_balance: "0.00", entries: [], totals: [], closing_balance: "0.00" });
    expect((await download(statement("pdf"), newcomer)).rawPayload.length).toBeGreaterThan(1_000);
  });

  test("includes its month's first instant and excludes the next month's", () => {
    const times = { since: new Date("2025-12-31T23:59:59Z"), now: new Date("2026-02-10T00:00:00Z") };
    const fullMonth = statementTime("2025-12", times);
    expect([fullMonth.from.toISOString(), fullMonth.to.toISOString()]).toEqual([
      "2025-12-01T00:00:00.000Z",
      "2026-01-01T00:00:00.000Z",
    ]);
    expect(statementTime("2026-02", times).to).toEqual(times.now);
    for (const none of ["2025-11", "2026-03"]) expect(() => statementTime(none, times)).toThrow("no statement");
  });

  test.each(["2019-01", "2099-01", "2026-13", "2026-1", "x", "..%2F..", "0000-00"])("of %s does not exist", async (wrong) => {
    expect((await caller.get(`statements/${wrong}`)).status).toBe(404);
    const { status } = await caller.post("document-ticket", { type: "statement", month: wrong, format: "csv" });
    expect([404, 422]).toContain(status);
  });
});

describe("a receipt", () => {
  test("as PDF contains its number and renders customers' names", async () => {
    const { db } = world.database.handle;
    await sql`update receipt set buyer_name = ${"محمد عبد الله क्षितिज Ngũgĩ"}`.execute(db);
    const { rawPayload, headers } = await download({ type: "receipt", id: receiptId });
    expect(headers["content-disposition"]).toMatch(/filename="farline-receipt-\d{4}-\d{6}\.pdf"/);
    const { text } = await readPdf(Readable.from([rawPayload]));
    expect(text).toContain("محمد عبد الله क्षितिज Ngũgĩ");
    expect(text).toMatch(/No\. \d{4}-\d{6}/);
  });

  test("is not available to another customer", async () => {
    const stranger = await world.service.signUp();
    expect((await stranger.post("document-ticket", { type: "receipt", id: receiptId })).status).toBe(404);
  });
});

describe("a ticket", () => {
  test("is single-use and valid for a minute", async () => {
    const once = await ticketFor(statement("csv"));
    expect((await fetchDocument(once)).statusCode).toBe(200);
    expect((await fetchDocument(once)).json().code).toBe("link_expired");
    const late = await ticketFor(statement("csv"));
    world.service.clock.advance(60_001);
    expect((await fetchDocument(late)).json().code).toBe("link_expired");
  });

  test.each(["", "x", "a".repeat(101), "../../etc/passwd"])("that is invalid (%j) opens nothing", async (ticket) => {
    expect((await fetchDocument(encodeURIComponent(ticket))).statusCode).toBe(422);
  });

  test.each([
    {},
    { type: "receipt" },
    { type: "receipt", id: "1" },
    { type: "statement", month, format: "exe" },
    { type: "invoice", id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff" },
  ])("is refused for %j", async (document) => {
    expect((await caller.post("document-ticket", document)).status).toBe(422);
  });

  test("requires a session", async () => {
    const answer = await world.service.app.inject({
      method: "POST",
      url: "/api/billing/document-ticket",
      payload: statement("csv"),
    });
    expect(answer.statusCode).toBe(401);
  });
});
