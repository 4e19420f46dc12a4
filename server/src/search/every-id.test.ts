import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asOperator, testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { searchEverything } from "./search.ts";

/** Columns that name rows which are found by their own ids. */
const REFERENCES = new Set(
  (
    "customer_id payer_id beneficiary_id owner_id inviter_id invited_id caller_id payment_id call_id deck_id operator_id receipt_id " +
    "return_receipt_id corrects_id refund_id withdrawal_id contact_id card_id saved_card_id export_id transaction_id reference_id " +
    "restores_id run_id subject_id campaign_id email_change_id caller_session_id"
  ).split(" "),
);

/** Ids that the search finds, each with a text of its form; null for a UUID. */
const FOUND: Readonly<Record<string, string | null>> = {
  ...Object.fromEntries(
    (
      "approval breaker call call_block caller_number_check card_setup contact credit_gift credit_request customer data_export deck " +
      "deck_activation echo_test email_change family_invitation hold ledger_transaction mail operation operator passkey payment " +
      "promo_campaign receipt reconciliation_run refund reminder saved_card security_event session support_case test_credit_grant withdrawal"
    )
      .split(" ")
      .map((table) => [`${table}.id`, null]),
  ),
  "call.session_id": null,
  "ended_session.session_id": null,
  "call.parked_call_control_id": "v3:a.parked",
  "call.far_call_control_id": "v3:a.far",
  "echo_test.call_control_id": "v3:a.echo",
  "payment.session_id": "cs_test_payment",
  "payment.payment_intent_id": "pi_payment",
  "payment_failure.id": "ch_failure",
  "refund.provider_refund_id": "re_refund",
  "dispute.id": "dp_dispute",
  "fraud_warning.id": "issfr_warning",
  "stripe_customer.provider_customer_id": "cus_customer",
  "saved_card.payment_method_id": "pm_card",
  "card_setup.session_id": "cs_test_setup",
};

const OF_A_LEG = "a leg's; both legs share the session's id, which is found";
const OF_THE_BROWSER = "chosen by the browser, which shows it nowhere";
const OF_A_SESSION = "a session's, which is found";
const FOR_MINUTES = "kept for minutes, and shown nowhere";
const WITHOUT_PERSON = "belongs to no customer, and is shown nowhere";

const NOT_SEARCHED: Readonly<Record<string, string>> = {
  "call.parked_leg_id": OF_A_LEG,
  "call.far_leg_id": OF_A_LEG,
  "call.client_leg_id": OF_THE_BROWSER,
  "call.client_session_id": OF_THE_BROWSER,
  "call.client_call_id": OF_THE_BROWSER,
  "call_event.id": "shown nowhere; the event is on the page of its call",
  "credit_package.id": "a name in the settings",
  "payment.package_id": "a name in the settings",
  "promo_campaign.package_id": "a name in the settings",
  "download_ticket.session_id": OF_A_SESSION,
  "mail_link.session_id": OF_A_SESSION,
  "voice_credential.session_id": OF_A_SESSION,
  "voice_credential.provider_id": "changes every few hours; calls name their session",
  "failed_sign_in.id": "names nobody but an address, which is found",
  "password_reset_request.id": "names nobody but an address, which is found",
  "newsletter_subscription.id": "belongs to an address and no customer",
  "google_flow.id": FOR_MINUTES,
  "mail_link.id": FOR_MINUTES,
  "operator_passkey.credential_id": "the key's own, in bytes",
  "passkey.credential_id": "the key's own, in bytes",
  "operator_passkey.id": WITHOUT_PERSON,
  "operator_session.id": WITHOUT_PERSON,
  "reconciliation_difference.id": WITHOUT_PERSON,
  "reconciliation_payment.payment_intent_id": "a payment's, which is found",
  "restore.id": WITHOUT_PERSON,
  "setting.id": WITHOUT_PERSON,
  "stripe_event.event_id": "the provider is asked for what it is about",
};

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly label: string | null;
  readonly needed: boolean;
}

let database: TestDatabase;
let columns: readonly Column[];
const texts = new Map(Object.entries(FOUND).map(([column, text]) => [column, text ?? randomUUID()] as const));
const known = { customer_id: texts.get("customer.id"), payer_id: texts.get("customer.id"), payment_id: texts.get("payment.id") };

beforeAll(async () => {
  database = await testDatabase();
  const { rows } = await sql<Column>`
    select c.table_name as table, c.column_name as name, c.udt_name as type, c.is_nullable = 'NO' and c.column_default is null as needed,
      (select min(e.enumlabel) from pg_enum e join pg_type t on t.oid = e.enumtypid where t.typname = c.udt_name) as label
    from information_schema.columns c join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and c.is_generated = 'NEVER' and c.is_identity = 'NO'`.execute(
    database.handle.db,
  );
  columns = rows;
  await fill(Map.groupBy(texts.keys(), (column) => column.split(".")[0] ?? ""));
});
afterAll(() => database.close());

/** One row for each id, without the checks and keys that say what else such a row holds. */
async function fill(tables: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const client = await database.handle.pool.connect();
  try {
    await client.query("set session_replication_role = replica");
    for (const [table, ids] of tables) {
      const { rows } = await client.query<{ name: string }>(
        "select conname as name from pg_constraint where conrelid = $1::regclass and contype = 'c'",
        [table],
      );
      for (const { name } of rows) await client.query(`alter table ${table} drop constraint ${name}`);
      for (const id of ids) await client.query(rowWith(table, id));
    }
  } finally {
    client.release(true);
  }
}

function rowWith(table: string, id: string): string {
  const given = columns.filter(
    (one) => one.table === table && (one.needed || id === `${table}.${one.name}` || one.name in known),
  );
  const values = given.map(({ name, type, label }) => {
    const own = id === `${table}.${name}` ? texts.get(id) : known[name as keyof typeof known];
    return own === undefined ? sample(type, label) : `'${own}'`;
  });
  return `insert into ${table} (${given.map(({ name }) => `"${name}"`).join(", ")}) values (${values.join(", ")})`;
}

function sample(type: string, label: string | null): string {
  if (label !== null) return `'${label}'`;
  if (type === "uuid") return "gen_random_uuid()";
  if (type === "bytea") return "uuid_send(gen_random_uuid())";
  if (type === "timestamptz") return "now()";
  if (type === "date") return "'2026-11-28'";
  if (type === "time") return "'08:00'";
  if (type === "bool") return "true";
  if (type.startsWith("json")) return "'{}'";
  if (type.startsWith("_")) return "'{}'";
  return type === "text" ? "gen_random_uuid()::text" : "1";
}

test("each id of the database is found, names a row that is, or has a reason why not", () => {
  const ids = columns.filter(({ name }) => (name === "id" || name.endsWith("_id")) && !REFERENCES.has(name));
  expect(ids.map(({ table, name }) => `${table}.${name}`).toSorted()).toEqual(
    [...Object.keys(FOUND), ...Object.keys(NOT_SEARCHED)].toSorted(),
  );
});

describe("a search by", () => {
  test.each([...texts])("%s finds something", async (_column, text) => {
    const { hits } = await searchEverything(asOperator(testContext({ handle: database.handle }), "grace"), text);
    expect(hits).toHaveLength(1);
  });

  test("the SIP Call-ID of an attempt finds its call", async () => {
    const text = `Call-ID: ${texts.get("call.session_id")}-0123456789abcdef@192.0.2.7`;
    const { hits } = await searchEverything(asOperator(testContext({ handle: database.handle }), "grace"), text);
    expect(hits).toMatchObject([{ type: "call" }]);
  });
});
