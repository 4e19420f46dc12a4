import { sql } from "kysely";
import { keptGroups as allGroups } from "@farline/contract/constants.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { keptGroups, PERSONAL_TABLES } from "./personal-tables.ts";

/** Tables without customers' rows, with the reason. */
const OTHER_TABLES: Readonly<Record<string, string>> = {
  blocked_caller_number: "keeps a disputed number away from everybody, whoever had added it",
  breaker: "about prefixes and countries",
  call_hour: "sums by hour, country and trunk",
  call_hour_change: "hours",
  call_hours_summed: "hours",
  closed_month: "sums, and which operator closed the month",
  code_call_cost: "sums by day",
  caller_number_removal: "numbers that the voice provider still has to forget; minutes",
  credit_package: "what is sold",
  data_export_part: "the file of an export, deleted with it",
  deck: "prices",
  deck_activation: "when prices are in force, and which operator said so",
  deck_block: "numbers that are not sold",
  deck_columns: "the columns of carriers' files",
  deck_country_price: "prices",
  setting: "figures of the business, and which operator set them",
  deck_rate: "prices",
  number_shortening: "a time",
  open_case: "the case that an operator has open, for minutes",
  operator: "people who run the service, not customers",
  operator_browser: "browsers of operators",
  operator_command_line: "codes, for minutes",
  operator_invitation: "links of operators, for minutes",
  operator_passkey: "operators'",
  ledger_check: "a number",
  ledger_hour: "sums by hour",
  ledger_hour_balance: "sums by hour",
  ledger_hours_summed: "hours",
  operator_passkey_challenge: "hashes, for minutes",
  operator_password: "operators'",
  operator_session: "operators'",
  promo_campaign: "what is offered",
  called_prefix: "calls by prefix, of 100 calls or more",
  quality_report: "figures by country, of 100 calls or more",
  rate_limit: "counters that expire within a day",
  event_archive: "months and files",
  receipt_counter: "a number",
  reconciliation_difference: "names payments, which are kept",
  reconciliation_payment: "names payments, while a comparison runs",
  reconciliation_run: "sums",
  schema_function: "the schema",
  receipt_to_mark: "references to receipts, for seconds",
  recovered_receipt: "numbers of receipts, during a restore",
  restore: "times of restores",
  schema_version: "the schema",
  sign_in_guard: "counters under a hash of the address, deleted after a day",
  sign_in_minute: "counters of all accounts",
  spent_challenge: "hashes",
  trunk_delay_hour: "sums by hour and trunk",
  trunk_hour: "sums by hour and trunk",
  stripe_event: "names of events, deleted after 35 days",
};

let database: TestDatabase;
let columns: Map<string, string[]>;
beforeAll(async () => {
  database = await testDatabase();
  const { rows } = await sql<{
    table: string;
    column: string;
  }>`select table_name as table, column_name as column from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(database.handle.db);
  columns = new Map([...Map.groupBy(rows, ({ table }) => table)].map(([table, of]) => [table, of.map(({ column }) => column)]));
});
afterAll(() => database.close());

test("every table is classified as having customers' rows or not", () => {
  const classified = [...Object.keys(PERSONAL_TABLES), ...Object.keys(OTHER_TABLES)];
  expect(new Set(classified).size).toBe(classified.length);
  expect(classified.toSorted()).toEqual([...columns.keys()].toSorted());
});

describe.each(Object.entries(PERSONAL_TABLES))("%s", (table, { exported, withheld, erasure }) => {
  test("has every column either exported or withheld", () => {
    expect([...exported, ...withheld].toSorted()).toEqual((columns.get(table) ?? []).toSorted());
  });

  test("clears only existing columns", () => {
    const cleared = erasure.how === "keep" ? Object.keys(erasure.clears) : [];
    expect(columns.get(table)).toEqual(expect.arrayContaining(cleared));
  });
});

test("the kept groups are those that the pages name", () => {
  expect(keptGroups().toSorted()).toEqual([...allGroups].toSorted());
});
