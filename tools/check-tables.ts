import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/**
 * Checks the tables against docs/operate/growth.md. The database could be divided by customer: a customer's rows have `customer_id` in the primary
 * key, or the table is named here; and each foreign key, unique value, function and lock that reaches across customers is named on that page with
 * its answer. The page also says how long each table's rows are kept. So a new one is a decision.
 */
const [ADDRESS, SMALL, OPERATORS] = [
  "is about an address, not a customer",
  "is small and the same for all customers",
  "belongs to operators",
] as const;
const SHARED = [ADDRESS, SMALL, OPERATORS];
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "has customer_id and a key of its own, which the move extends": `approval call call_block call_refund_request caller_number_check card_setup
    contact contact_number data_export echo_test email_change google_flow hold ledger_transaction mail_link operation passkey payment
    payment_failure promo_use receipt refund saved_card security_event session sign_in_challenge support_case test_credit_grant withdrawal`,
  "has the service's rows too, without a customer": "ledger_entry",
  "belongs to a call, payment or export, and gets its customer with the move":
    "call_event call_quality call_rating data_export_part dispute fraud_warning receipt_to_mark recovered_receipt",
  "is found by a value that is unique among all customers":
    "caller_number customer download_ticket ended_session free_credit identity passkey_challenge referral voice_credential",
  "is about two customers": "credit_gift",
  [ADDRESS]:
    "failed_sign_in mail newsletter_subscription password_reset_request sign_in_guard spent_challenge blocked_caller_number caller_number_removal",
  [SMALL]: `breaker call_hour call_hour_change called_prefix call_hours_summed closed_month code_call_cost credit_package deck
    deck_activation deck_block deck_columns deck_country_price deck_rate event_archive ledger_check ledger_hour ledger_hour_balance ledger_hours_summed
    number_shortening promo_campaign quality_report rate_limit receipt_counter reconciliation_difference reconciliation_payment reconciliation_run
    restore schema_function schema_version setting sign_in_minute stripe_event trunk_delay_hour trunk_hour`,
  [OPERATORS]:
    "open_case operator operator_browser operator_command_line operator_invitation operator_passkey operator_passkey_challenge operator_password operator_session",
};

const schema = readFileSync(new URL("../server/schema.sql", import.meta.url), "utf8");
const tables = new Set([...schema.matchAll(/^create table (\w+) \(/gm)].map(([, name = ""]) => name));
const movable = new Set(
  [...schema.matchAll(/^alter table (\w+) add constraint \w+ PRIMARY KEY \(([^)]*)\)/gm)]
    .filter(([, , columns = ""]) => columns.split(", ").includes("customer_id"))
    .map(([, name = ""]) => name),
);
const excepted = Object.values(EXCEPTIONS).flatMap((names) => names.split(/\s+/));

const isOfCustomers = (table: string) => !SHARED.some((reason) => words(EXCEPTIONS[reason] ?? "").includes(table));
const words = (text: string) => text.split(/[^\w]+/);

/** What the page must name under each heading, each once. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  "What is kept how long": [...tables],
  "Foreign keys": matches(/^alter table (\w+) add constraint (\w+) FOREIGN KEY \(([^)]*)\) REFERENCES (\w+)/gm).flatMap(
    ([table = "", name = "", own = ""]) => (isOfCustomers(table) && !words(own).includes("customer_id") ? [name] : []),
  ),
  "Unique values": [
    ...matches(/^CREATE UNIQUE INDEX (\w+) ON (\w+) USING \w+ (.*)$/gm),
    ...matches(/^alter table (\w+) add constraint (\w+) UNIQUE (.*)$/gm).map(([table = "", name = "", own = ""]) => [
      name,
      table,
      own,
    ]),
  ].flatMap(([name = "", table = "", own = ""]) => (isOfCustomers(table) && !words(own).includes("customer_id") ? [name] : [])),
  Functions: matches(/^-- function (\w+)\((.*)\) returns /gm).flatMap(([name = "", given = ""]) =>
    given.includes("customer_id") ? [] : [name],
  ),
  Locks: globSync("server/src/**/*.{ts,sql}", { exclude: (path) => path.endsWith(".test.ts") }).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/pg_(?:try_)?advisory_(?:xact_)?lock(?:_shared)?\((.*)/g)].flatMap(([, key = ""]) =>
      // A customer's own lock is on the customer's node.
      /customerId|inviterId|recipient/.test(key) ? [] : [/'(\w[\w-]*)'/.exec(key)?.[1] ?? basename(path).split(".")[0] ?? path],
    ),
  ),
};

function matches(pattern: RegExp): string[][] {
  return [...schema.matchAll(pattern)].map(([, ...groups]) => groups);
}

const page = readFileSync(new URL("../docs/operate/growth.md", import.meta.url), "utf8");

/** Names in the first column of the table under a heading. */
function namedUnder(heading: string): string[] {
  const [, section = ""] = page.split(`# ${heading}\n`);
  const [lines = ""] = section.split(/\n#+ /);
  return lines
    .split("\n")
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name));
}

const unnamed = Object.entries(NAMED).flatMap(([heading, found]) => {
  const [named, real] = [namedUnder(heading), new Set(found)];
  return [
    ...[...real]
      .filter((name) => !named.includes(name))
      .map((name) => `${name}: name it under "${heading}" in docs/operate/growth.md.`),
    ...named
      .filter((name) => !real.has(name))
      .map((name) => `${name}: docs/operate/growth.md names it under "${heading}", but there is none.`),
    ...named
      .filter((name, index) => named.indexOf(name) !== index)
      .map((name) => `${name}: docs/operate/growth.md names it twice.`),
  ];
});

const faults = [
  ...unnamed,
  ...[...tables]
    .filter((name) => !movable.has(name) && !excepted.includes(name))
    .map((name) => `${name}: put customer_id into the primary key, or name the table in tools/check-tables.ts.`),
  ...excepted.filter((name) => !tables.has(name)).map((name) => `${name}: there is no such table.`),
  ...excepted.filter((name) => movable.has(name)).map((name) => `${name}: it is movable; it needs no exception.`),
  ...excepted.filter((name, index) => excepted.indexOf(name) !== index).map((name) => `${name}: it is named twice.`),
];
for (const fault of faults) console.log(fault);
if (faults.length > 0) process.exitCode = 1;
