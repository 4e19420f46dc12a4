import type { ListedCall, ListedCustomer, ListedPayment } from "@farline/contract/operator/lists.ts";
import { hasRight } from "@farline/contract/operator/rights.ts";
import { callStatusWords, endReasonWords } from "@farline/contract/operator/words/call-words.ts";
import { declineWords, methodText, paymentStatusWords } from "@farline/contract/operator/words/money-words.ts";
import { customerStatusWords, freezeWords, wordFor } from "@farline/contract/operator/words/words.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { searchedStart } from "@farline/domain/numbers/searched-digits.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { shortNetworkOf } from "../accounts/accounts.ts";
import { readZone } from "../calls/calls.ts";
import { actingAs, type Context, type OperatorContext } from "../context.ts";
import { operatorOf, recordOperation, CONCERNS_NOBODY } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { CSV_START, csvRecord } from "../platform/csv.ts";
import { type EndpointRequest, serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { pageOf, pageUnknown, readCursor } from "../platform/read-cursor.ts";
import * as store from "./lists.store.ts";

const PAGE_ROWS = 50;
const FILE_ROWS_AT_ONCE = 1_000;
/** A spreadsheet still opens so many. */
const MAX_FILE_ROWS = 100_000;
/** Pages of a file; some find nothing. */
const MAX_FILE_PAGES = 400;
const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)~([0-9a-f-]{36})$/;

interface Filter {
  readonly zone?: string | undefined;
  readonly customer?: string | undefined;
  readonly network?: string | undefined;
  readonly cursor?: string | undefined;
  readonly [name: string]: unknown;
}

interface OwnedRow {
  readonly at: Date;
  readonly place: string;
}

/** A list that operators read: which rows, how one is shown, and its columns in a file. */
interface List<Query extends Filter, Row extends OwnedRow, Shown> {
  readonly name: "payments" | "calls" | "customers";
  readonly select: (query: store.Narrowed<Query>) => store.Selection<Row>;
  readonly present: (row: Row, may: { readonly readCosts: boolean }) => Shown;
  readonly columns: readonly (readonly [name: string, of: (shown: Shown) => string])[];
}

/** `GET /api/operator/lists/…`: payments, calls and customers by filter, and each list as a file. */
export function listRoutes(app: App, ctx: Context): void {
  const acting = (request: Parameters<typeof operatorOf>[0]) => actingAs(ctx, operatorOf(request));
  serve(app, "GET /api/operator/lists/payments", (request) => readPaymentList(acting(request), request.query));
  serve(app, "GET /api/operator/lists/calls", (request) => readCallList(acting(request), request.query));
  serve(app, "GET /api/operator/lists/customers", (request) => readCustomerList(acting(request), request.query));
  serve(app, "GET /api/operator/lists/payments/file", async (request, reply) =>
    sendFile(reply, "payments", await listFile(acting(request), PAYMENTS, request.query)),
  );
  serve(app, "GET /api/operator/lists/calls/file", async (request, reply) =>
    sendFile(reply, "calls", await listFile(acting(request), CALLS, request.query)),
  );
  serve(app, "GET /api/operator/lists/customers/file", async (request, reply) =>
    sendFile(reply, "customers", await listFile(acting(request), CUSTOMERS, request.query)),
  );
}

function sendFile(reply: FastifyReply, name: string, records: AsyncIterable<string>) {
  return reply
    .type("text/csv; charset=utf-8")
    .header("content-disposition", `attachment; filename="farline-${name}.csv"`)
    .send(Readable.from(records));
}

/**
 * A page of a list, newest first, with the count on the first one. Reading the first page is recorded with the operator and the filter,
 * because it shows personal data.
 * @throws AppError malformed_request; validation_failed, also for an unknown time zone
 */
async function readList<Query extends Filter, Row extends OwnedRow, Shown>(
  ctx: OperatorContext,
  list: List<Query, Row, Shown>,
  query: Query,
) {
  const after = placeIn(query.cursor);
  const { selection, cut } = await select(ctx, list, query);
  const { rows, next, stoppedAt } = await readPage(ctx, selection, { after, limit: PAGE_ROWS });
  const may = { readCosts: hasRight(ctx.actor.role, "read-costs") };
  const count = after === null ? await store.countRows(ctx.handle.db, selection) : null;
  if (count !== null) await recordReading(ctx, list.name, query, { action: "list", found: count.rows });
  return {
    rows: rows.map((row) => list.present(row, may)),
    next_cursor: next,
    count,
    searched_to: stoppedAt,
    network_cut: cut,
  };
}

/** All of a list as a CSV file. That it was requested is recorded before its first record is sent. */
async function listFile<Query extends Filter, Row extends OwnedRow, Shown>(
  ctx: OperatorContext,
  list: List<Query, Row, Shown>,
  query: Query,
): Promise<AsyncIterable<string>> {
  const { selection } = await select(ctx, list, query);
  await recordReading(ctx, list.name, query, { action: "list-file" });
  return fileOf(ctx, list, selection);
}

async function* fileOf<Query extends Filter, Row extends OwnedRow, Shown>(
  ctx: OperatorContext,
  { columns, present }: List<Query, Row, Shown>,
  selection: store.Selection<Row>,
): AsyncIterable<string> {
  const may = { readCosts: hasRight(ctx.actor.role, "read-costs") };
  yield CSV_START + csvRecord(columns.map(([name]) => name));
  let after: store.Place | null = null;
  let written = 0;
  for (let page = 0; page < MAX_FILE_PAGES && written < MAX_FILE_ROWS; page++) {
    const { rows, next } = await readPage(ctx, selection, { after, limit: FILE_ROWS_AT_ONCE });
    const shown = rows.map((row) => present(row, may));
    yield shown.map((one) => csvRecord(columns.map(([, of]) => of(one)))).join("");
    written += rows.length;
    if (next === null) return;
    after = placeIn(next);
  }
  yield csvRecord([`The list goes on. This file ends after ${written} rows: narrow the filter.`]);
}

async function select<Query extends Filter, Row extends OwnedRow, Shown>(
  { handle }: OperatorContext,
  { select: selectionOf }: List<Query, Row, Shown>,
  query: Query,
): Promise<{ selection: store.Selection<Row>; cut: boolean }> {
  const { network, customer } = query;
  const narrowed = { ...query, zone: readZone(query.zone) };
  if (network === undefined) {
    return { selection: selectionOf({ ...narrowed, customers: customer === undefined ? null : [customer] }), cut: false };
  }
  const short = shortNetworkOf(network);
  if (short === null) throw new AppError("validation_failed", { reason: "operator.network_form", field: "network" });
  const { customers, cut } = await store.customersIn(handle.db, short);
  const wanted = customer === undefined ? customers : customers.filter((one) => one === customer);
  return { selection: selectionOf({ ...narrowed, customers: wanted }), cut };
}

async function readPage<Row extends OwnedRow>(
  { handle: { db } }: OperatorContext,
  selection: store.Selection<Row>,
  { after, limit }: { after: store.Place | null; limit: number },
): Promise<{ rows: Row[]; next: string | null; stoppedAt: string | null }> {
  const found = await store.readRows(db, selection, { after, limit: limit + 1 });
  const { shown: rows, next } = pageOf(found, limit, ({ place }) => place);
  if (next !== null) return { rows, next, stoppedAt: null };
  const stop = await store.readStop(db, selection, after);
  return { rows, next: stop, stoppedAt: stop === null ? null : new Date(stop.split("~", 1)[0] ?? "").toISOString() };
}

function placeIn(cursor: string | undefined): store.Place | null {
  return readCursor(cursor, PLACE, (at = "", id = "") => {
    if (Number.isNaN(Date.parse(at)) || !isUuid(id)) throw pageUnknown();
    return { at, id };
  });
}

async function recordReading(
  ctx: OperatorContext,
  list: string,
  { cursor: _page, customer, ...filter }: Filter,
  { action, ...more }: { readonly action: "list" | "list-file"; readonly found?: number },
): Promise<void> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  const detail = Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === "bigint" ? toDecimalString(value) : String(value)]),
  );
  await ctx.transaction((tx) =>
    recordOperation(tx, ctx, {
      ...CONCERNS_NOBODY,
      action,
      subject: list,
      reason: action === "list" ? "List" : "List as a file",
      detail: { ...detail, ...(customer === undefined ? {} : { customer }), ...more },
    }),
  );
}

type QueryOf<N extends "payments" | "calls" | "customers"> = EndpointRequest<`GET /api/operator/lists/${N}`>["query"];

const PAYMENTS: List<QueryOf<"payments">, store.PaymentListRow, ListedPayment> = {
  name: "payments",
  select: store.payments,
  present: (row) => ({
    ...ownerOf(row),
    id: row.id,
    amount: toDecimalString(row.charge_micros),
    status: row.status,
    refunded: toDecimalString(row.refunded_micros),
    disputed: row.disputed,
    reason: row.reason,
    card: row.card,
  }),
  columns: [
    ["Time (UTC)", ({ at }) => at],
    ["Customer", ({ name }) => name],
    ["Email", ({ email }) => email],
    ["Amount (USD)", ({ amount }) => amount],
    ["State", ({ status }) => paymentStatusWords[status]],
    ["Refunded (USD)", ({ refunded }) => refunded],
    ["Disputed", ({ disputed }) => (disputed ? "yes" : "no")],
    ["Reason", ({ reason }) => (reason === null ? "" : wordFor(declineWords, reason))],
    ["Reason (provider's code)", ({ reason }) => reason ?? ""],
    ["Card", ({ card }) => (card === "" ? "" : methodText(card))],
    ["Payment ID", ({ id }) => id],
    ["Customer ID", (row) => row.customer_id],
  ],
};

const CALLS: List<QueryOf<"calls">, store.CallListRow, ListedCall> = {
  name: "calls",
  select: ({ prefix, ...query }) => store.calls({ ...query, ...(prefix === undefined ? {} : { prefix: prefixOf(prefix) }) }),
  present: (row, { readCosts }) => ({
    ...ownerOf(row),
    id: row.id,
    destination: row.destination,
    country_code: row.country_code,
    trunk: row.trunk,
    status: row.status,
    end_reason: row.end_reason,
    seconds: row.billed_seconds,
    charge: toDecimalString(row.charge_micros),
    cost: readCosts && row.carrier_cost_micros !== null ? toDecimalString(row.carrier_cost_micros) : null,
  }),
  columns: [
    ["Time (UTC)", ({ at }) => at],
    ["Customer", ({ name }) => name],
    ["Email", ({ email }) => email],
    ["Number", ({ destination }) => destination],
    ["Country", (row) => countryByCode(row.country_code)?.name ?? row.country_code],
    ["Country (ISO code)", (row) => row.country_code],
    ["Trunk", ({ trunk }) => trunk ?? ""],
    ["State", ({ status }) => callStatusWords[status]],
    ["Ended because", (row) => (row.end_reason === null ? "" : endReasonWords[row.end_reason])],
    ["Charged (seconds)", ({ seconds }) => String(seconds)],
    ["Charge (USD)", ({ charge }) => charge],
    ["Cost (USD)", ({ cost }) => cost ?? ""],
    ["Call ID", ({ id }) => id],
    ["Customer ID", (row) => row.customer_id],
  ],
};

const CUSTOMERS: List<QueryOf<"customers">, store.CustomerListRow, ListedCustomer> = {
  name: "customers",
  select: store.customers,
  present: (row) => ({
    ...ownerOf(row),
    email_verified: row.email_verified,
    state: row.state,
    reason: row.reason,
    balance: toDecimalString(row.balance_micros),
  }),
  columns: [
    ["Since (UTC)", ({ at }) => at],
    ["Customer", ({ name }) => name],
    ["Email", ({ email }) => email],
    ["Email confirmed", (row) => (row.email_verified ? "yes" : "no")],
    ["State", ({ state }) => customerStatusWords[state]],
    ["Customer is told", ({ reason }) => (reason === null ? "" : freezeWords[reason])],
    ["Balance (USD)", ({ balance }) => balance],
    ["Customer ID", (row) => row.customer_id],
  ],
};

/** @throws AppError as `readList` */
export const readPaymentList = (ctx: OperatorContext, query: QueryOf<"payments">) => readList(ctx, PAYMENTS, query);
/** @throws AppError as `readList` */
export const readCallList = (ctx: OperatorContext, query: QueryOf<"calls">) => readList(ctx, CALLS, query);
/** @throws AppError as `readList` */
export const readCustomerList = (ctx: OperatorContext, query: QueryOf<"customers">) => readList(ctx, CUSTOMERS, query);

function ownerOf(row: { readonly customer_id: string; readonly name: string; readonly email: string; readonly at: Date }) {
  return { customer_id: row.customer_id, name: row.name, email: row.email, at: row.at.toISOString() };
}

/** @throws AppError validation_failed */
function prefixOf(typed: string): string {
  const start = searchedStart(typed);
  if (start === null) throw new AppError("validation_failed", { reason: "operator.number_form", field: "prefix" });
  return start;
}
