import { DAY_MS } from "@farline/domain/durations.ts";
import {
  calledCountriesResponse,
  summaryResponse,
  totalsResponse,
  type ExportTicketResponse,
  type SummaryResponse,
  type TotalsResponse,
} from "@farline/contract/call-history.ts";
import type { HistoryResponse } from "@farline/contract/calls.ts";
import { DECISION_INPUTS } from "@farline/contract/operator/calls.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addContact } from "../../../test/add-contact.ts";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";
import { insertPastCalls, type PastCall } from "../../../test/past-calls.ts";
import type { Customer } from "../../accounts/accounts.ts";

const ACCRA = "+233200000142";
const DELHI = "+919800000142";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());

const at = (text: string) => new Date(`${text}Z`);

async function customerWith(calls: readonly Omit<PastCall, "customerId">[]): Promise<{ customer: Customer; ids: string[] }> {
  const customer = await world.customer();
  const ids = await insertPastCalls(
    world.database.handle.db,
    calls.map((call) => ({ ...call, customerId: customer.id })),
  );
  return { customer, ids };
}

async function listed(customer: Customer, query: string): Promise<string[]> {
  const { status, body } = await world.request<HistoryResponse>(customer, { path: `/api/calls/history${query}` });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.calls.data.map(({ id }) => id);
}

async function exported(customer: Customer, body: unknown): Promise<{ status: number; text: string; type: unknown }> {
  const { body: issued } = await world.request<ExportTicketResponse>(customer, {
    method: "POST",
    path: "/api/calls/export-ticket",
    body,
  });
  return world.download(`/api/calls/export?ticket=${issued.ticket}`);
}

describe("the filters", () => {
  test("select calls by time, country, state, number and search, alone and combined", async () => {
    const { customer, ids } = await customerWith([
      { createdAt: at("2026-03-01T10:00:00"), destination: ACCRA, countryCode: "GH" },
      { createdAt: at("2026-03-02T10:00:00"), destination: DELHI, countryCode: "IN", status: "failed" },
      { createdAt: at("2026-03-03T10:00:00"), destination: ACCRA, countryCode: "GH", status: "failed" },
      { createdAt: at("2026-03-04T10:00:00"), destination: "+442079460000", countryCode: "GB" },
    ]);
    await insertPastCalls(world.database.handle.db, [
      { customerId: (await world.customer()).id, createdAt: at("2026-03-02T10:00:00") },
    ]);
    const [accra, delhi, accraFailed, london] = ids;
    expect(await listed(customer, "")).toEqual([london, accraFailed, delhi, accra]);
    expect(await listed(customer, "?from=2026-03-02T10:00:00.000Z&to=2026-03-04T10:00:00.000Z")).toEqual([accraFailed, delhi]);
    expect(await listed(customer, "?country=GH")).toEqual([accraFailed, accra]);
    expect(await listed(customer, "?status=failed")).toEqual([accraFailed, delhi]);
    expect(await listed(customer, "?status=live")).toEqual([]);
    expect(await listed(customer, `?number=${encodeURIComponent(ACCRA)}`)).toEqual([accraFailed, accra]);
    expect(await listed(customer, "?search=20%20794")).toEqual([london]);
    expect(await listed(customer, "?search=gha")).toEqual([accraFailed, accra]);
    expect(await listed(customer, `?search=${encodeURIComponent("ＧＨÀ")}`)).toEqual([accraFailed, accra]);
    for (const ghana of ["غانا", "घाना", "GHA", "+233", "00233", "Gold Coast", "Accra", "Ghanna"])
      expect([ghana, await listed(customer, `?search=${encodeURIComponent(ghana)}`)]).toEqual([ghana, [accraFailed, accra]]);
    for (const britain of ["UK", "England", "Royaume-Uni", "Londres"])
      expect([britain, await listed(customer, `?search=${encodeURIComponent(britain)}`)]).toEqual([britain, [london]]);
    expect(await listed(customer, "?search='")).toEqual([]);
    expect(await listed(customer, "?search=%25")).toEqual([]);
    expect(await listed(customer, "?country=GH&status=failed&search=200")).toEqual([accraFailed]);
  });

  test("select calls by contact or contact name, using only the customer's own contacts", async () => {
    const { customer, ids } = await customerWith([
      { createdAt: at("2026-03-01T10:00:00"), destination: ACCRA, countryCode: "GH" },
      { createdAt: at("2026-03-02T10:00:00"), destination: DELHI, countryCode: "IN" },
    ]);
    const { customer: stranger } = await customerWith([{ createdAt: at("2026-03-01T10:00:00"), destination: ACCRA }]);
    const contact = await addContact(world.database.handle, customer.id, { firstName: "=Ama", number: ACCRA });
    expect(await listed(customer, `?contact=${contact}`)).toEqual([ids[0]]);
    expect(await listed(customer, "?search=ama")).toEqual([ids[0]]);
    expect(await listed(stranger, `?contact=${contact}`)).toEqual([]);
    expect(await listed(stranger, "?search=ama")).toEqual([]);
    const { body } = await world.request<HistoryResponse>(customer, { path: "/api/calls/history" });
    expect(body.calls.data.map(({ contact_name }) => contact_name)).toEqual([null, "=Ama"]);
    expect((await exported(customer, { contact })).text).toContain(`"'=Ama"`);
  });

  test("are rejected if invalid", async () => {
    const customer = await world.customer();
    for (const query of ["from=yesterday", "country=ghana", "status=odd", "number=12", `search=${"x".repeat(101)}`, "contact=1"])
      expect(await world.request(customer, { path: `/api/calls/history?${query}` })).toMatchObject({ status: 422 });
    for (const path of ["history", "totals", "countries", "summary"])
      expect(await world.request(null, { path: `/api/calls/${path}` })).toMatchObject({ status: 401 });
  });

  test("apply to every page of a long list, without repeating or missing calls while new ones are made", async () => {
    const start = at("2026-05-01T00:00:00").getTime();
    const { customer, ids } = await customerWith(
      Array.from({ length: 25 }, (_, index) => ({
        // Several calls at one instant, whose order must stay the same across pages.
        createdAt: new Date(start + Math.floor(index / 3) * 1000),
        status: index % 2 === 0 ? ("completed" as const) : ("failed" as const),
      })),
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await world.request<HistoryResponse>(customer, {
        path: `/api/calls/history?limit=4&status=completed${more}`,
      });
      expect(body.calls.total).toBe(13);
      seen.push(...body.calls.data.map(({ id }) => id));
      cursor = body.calls.next_cursor;
      await insertPastCalls(world.database.handle.db, [{ customerId: customer.id, createdAt: new Date(start + DAY_MS) }]);
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(13);
    expect(seen.toSorted()).toEqual(ids.filter((_, index) => index % 2 === 0).toSorted());
  });
});

describe("the totals", () => {
  test("cover all calls that match the filter, exact to the micro-dollar", async () => {
    const { customer } = await customerWith([
      { createdAt: at("2026-03-01T10:00:00"), countryCode: "GH", destination: ACCRA, durationMs: 61_001, chargeMicros: 123_457n },
      { createdAt: at("2026-03-02T10:00:00"), durationMs: 1, chargeMicros: 1n },
      { createdAt: at("2026-03-03T10:00:00"), status: "failed" },
    ]);
    const totals = async (query: string) =>
      totalsResponse.parse((await world.request<TotalsResponse>(customer, { path: `/api/calls/totals${query}` })).body).totals;
    expect(await totals("")).toEqual({ calls: 3, answered: 2, seconds: 63, cost: "0.123458" });
    expect(await totals("?country=GB")).toEqual({ calls: 2, answered: 1, seconds: 1, cost: "0.000001" });
    expect(await totals("?country=FR")).toEqual({ calls: 0, answered: 0, seconds: 0, cost: "0.00" });
    const { body } = await world.request(customer, { path: "/api/calls/countries" });
    expect(calledCountriesResponse.parse(body).countries).toEqual([
      { country_code: "GH", country_name: "Ghana", calls: 1 },
      { country_code: "GB", country_name: "United Kingdom", calls: 2 },
    ]);
  });
});

describe("a free call", () => {
  test("adds nothing to totals and summary, as in the list; one that cost more than the free credit adds all", async () => {
    const createdAt = at("2026-03-01T10:00:00");
    const { customer, ids } = await customerWith([
      { createdAt, chargeMicros: 250_000n },
      { createdAt, chargeMicros: 250_001n },
      { createdAt, chargeMicros: 5n },
    ]);
    const decidedBy = DECISION_INPUTS.map((name) => (name === "first_call_left" ? "0.25" : null));
    const given = "update call set decided_by = $1 where id = any($2)";
    await world.database.handle.pool.query(given, [JSON.stringify(decidedBy), ids.slice(0, 2)]);
    const { body } = await world.request<HistoryResponse>(customer, { path: "/api/calls/history" });
    const paid = body.calls.data.map(({ cost, free_up_to: free = "0" }) => {
      const micros = fromDecimalString(cost);
      return micros <= fromDecimalString(free) ? 0n : micros;
    });
    expect(paid.toSorted((a, b) => Number(a - b))).toEqual([0n, 5n, 250_001n]);
    const totals = await world.request<TotalsResponse>(customer, { path: "/api/calls/totals" });
    expect(totals.body.totals.cost).toBe("0.250006");
    const records: Record<string, string>[] = parse((await exported(customer, {})).text, { columns: true, bom: true });
    expect(new Set(records.map((record) => record["Paid (USD)"]))).toEqual(new Set(["0.00", "0.000005", "0.250001"]));
    const summary = await world.request<SummaryResponse>(customer, { path: "/api/calls/summary?months=24" });
    expect(summary.body.countries.map(({ spend }) => spend)).toEqual(["0.250006"]);
  });
});

describe("the summary", () => {
  test("counts each call in its month in the caller's time zone, and includes empty months", async () => {
    world.clock.advance(at("2026-11-21T08:00:00").getTime() - world.clock.now().getTime());
    const { customer } = await customerWith([
      // October in New York, November in London.
      { createdAt: at("2026-11-01T03:30:00"), durationMs: 60_000, chargeMicros: 100_000n },
      { createdAt: at("2026-11-20T12:00:00"), durationMs: 30_000, chargeMicros: 50_000n, countryCode: "GH", destination: ACCRA },
      { createdAt: at("2026-08-31T12:00:00"), durationMs: 10_000, chargeMicros: 700_000n, countryCode: "IN", destination: DELHI },
    ]);
    const summary = async (query: string) =>
      summaryResponse.parse((await world.request<SummaryResponse>(customer, { path: `/api/calls/summary${query}` })).body);
    const newYork = await summary("?months=3&time_zone=America/New_York");
    expect(newYork.months).toEqual([
      { month: "2026-09", calls: 0, seconds: 0, spend: "0.00" },
      { month: "2026-10", calls: 1, seconds: 60, spend: "0.10" },
      { month: "2026-11", calls: 1, seconds: 30, spend: "0.05" },
    ]);
    expect(newYork.countries.map(({ country_code, spend }) => [country_code, spend])).toEqual([
      ["GB", "0.10"],
      ["GH", "0.05"],
    ]);
    expect(newYork.total_calls).toBe(3);
    // A browser without a named zone; PostgreSQL would read the sign the other way round.
    expect((await summary("?months=3&time_zone=-04:00")).months).toEqual(newYork.months);
    const utc = await summary("");
    expect(utc.months).toHaveLength(12);
    expect(utc.months.slice(-4).map(({ month, spend }) => [month, spend])).toEqual([
      ["2026-08", "0.70"],
      ["2026-09", "0.00"],
      ["2026-10", "0.00"],
      ["2026-11", "0.15"],
    ]);
    expect(utc.countries[0]).toEqual({ country_code: "IN", country_name: "India", calls: 1, seconds: 10, spend: "0.70" });
  });

  test("refuses an invalid time zone", async () => {
    const customer = await world.customer();
    for (const query of ["time_zone=Mars/Olympus", "time_zone=';drop", "months=0", "months=25"])
      expect(await world.request(customer, { path: `/api/calls/summary?${query}` })).toMatchObject({ status: 422 });
  });
});

describe("the download", () => {
  test("contains every matching call, with spreadsheet formulas neutralised", async () => {
    const start = at("2026-06-01T00:00:00").getTime();
    const { customer, ids } = await customerWith(
      Array.from({ length: 1_003 }, (_, index) => ({
        createdAt: new Date(start + index * 60_000),
        ...(index === 0 ? { destination: ACCRA, countryCode: "GH" } : {}),
      })),
    );
    const { text, type } = await exported(customer, {});
    expect(type).toBe("text/csv; charset=utf-8");
    const records: Record<string, string>[] = parse(text, { columns: true, bom: true });
    expect(records.map((record) => record["Call ID"])).toEqual(ids.toReversed());
    expect(records.at(-1)).toMatchObject({ Number: ACCRA, Country: "Ghana", "Cost (USD)": "0.06", "Charged (seconds)": "60" });
    expect((await exported(customer, { country: "GH" })).text.trim().split("\r\n")).toHaveLength(2);
  });

  test("requires an unexpired ticket and accepts it once", async () => {
    const { customer } = await customerWith([{ createdAt: at("2026-06-01T00:00:00") }]);
    const ticket = async () =>
      (await world.request<ExportTicketResponse>(customer, { method: "POST", path: "/api/calls/export-ticket", body: {} })).body
        .ticket;
    const used = await ticket();
    expect(await world.download(`/api/calls/export?ticket=${used}`)).toMatchObject({ status: 200 });
    expect(await world.download(`/api/calls/export?ticket=${used}`)).toMatchObject({ status: 422 });
    const old = await ticket();
    world.clock.advance(60_001);
    expect(await world.download(`/api/calls/export?ticket=${old}`)).toMatchObject({ status: 422 });
    expect(await world.download("/api/calls/export?ticket=guess")).toMatchObject({ status: 422 });
    expect(await world.request(null, { method: "POST", path: "/api/calls/export-ticket", body: {} })).toMatchObject({
      status: 401,
    });
  });
});
