import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { askService } from "./ask-service.ts";
import type { Installation } from "./product.ts";
import { type RawAnswer, rawHttp } from "./raw-http.ts";

const PASSWORD = "correct horse battery";
const CARD = { number: "4242424242424242", expiry: "12 / 40", cvc: "123", name: "Ada Lovelace", zip: "12345", terms: "on" };

export interface TestCustomer {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

/** The ids of one customer's resources, by kind. */
export type Belongings = Readonly<
  Record<
    | "call"
    | "callerNumber"
    | "card"
    | "checkout"
    | "contact"
    | "creditRequest"
    | "invitation"
    | "member"
    | "passkey"
    | "payment"
    | "receipt"
    | "reminder"
    | "replacedRequest"
    | "session",
    string
  >
>;

/** Signs up a customer, who stays signed in. */
export async function newCustomer(at: Installation): Promise<TestCustomer> {
  const email = `${randomUUID()}@example.com`;
  const body = { name: "Ada Lovelace", email, password: PASSWORD, password_confirmation: PASSWORD };
  const { token, user } = await request<{ token: string; user: { id: string } }>(at, null, "POST /api/register", body);
  return { id: user.id, email, token };
}

/** Creates one of every resource that has an id for a customer, through the product where possible. */
export async function createBelongings(at: Installation, customer: TestCustomer): Promise<Belongings> {
  const { pool } = at.database.handle;
  const contact = await request<{ contact: { id: string } }>(at, customer, "POST /api/contacts", {
    first_name: "Grace",
    phone_number: "+442079460958",
  });
  const { payment_id: payment, receipt, session_id: checkout } = await pay(at, customer);
  const card = await request<{ cards: { id: string }[] }>(at, customer, "GET /api/billing/auto-top-up");
  const { sessions } = await request<{ sessions: { id: string }[] }>(at, customer, "GET /api/sessions");
  const passkey = randomUUID();
  await pool.query(
    `insert into passkey (id, customer_id, credential_id, public_key, sign_count, transports, name, synced, created_at)
     values ($1, $2, $3, $3, 0, '{}', 'Key', false, now())`,
    [passkey, customer.id, randomBytes(32)],
  );
  const callerNumber = `+44${randomInt(2_000_000_000, 3_000_000_000)}`;
  const [creditRequest, replacedRequest, reminder] = [randomUUID(), randomUUID(), randomUUID()];
  await pool.query("insert into caller_number (number, customer_id, proven_at) values ($1, $2, now())", [
    callerNumber,
    customer.id,
  ]);
  await pool.query("insert into credit_request select unnest($1::uuid[]), $2, now(), now() + interval '1 day'", [
    [creditRequest, replacedRequest],
    customer.id,
  ]);
  await pool.query("insert into reminder values ($1, $2, $3, 'UTC', 'GB', '18:00', true, now() + interval '1 day', now())", [
    reminder,
    customer.id,
    contact.contact.id,
  ]);
  const family = await createFamily(at, customer);
  const { call } = await request<{ call: { id: string } }>(at, customer, "POST /api/calls/initiate", {
    destination_number: "+442079460958",
  });
  return {
    call: call.id,
    contact: contact.contact.id,
    receipt,
    session: one(sessions).id,
    card: one(card.cards).id,
    passkey,
    payment,
    checkout,
    callerNumber,
    creditRequest,
    replacedRequest,
    reminder,
    ...family,
  };
}

/** Makes the customer the owner of a family with one member and one open invitation. */
async function createFamily(at: Installation, owner: TestCustomer): Promise<Pick<Belongings, "member" | "invitation">> {
  const { pool } = at.database.handle;
  const [member, invitation] = [(await newCustomer(at)).id, randomUUID()];
  await pool.query("insert into family_member (customer_id, owner_id, joined_at) values ($1, $1, now())", [owner.id]);
  await pool.query(
    "insert into family_member (customer_id, owner_id, joined_at, owner_pays, shows_numbers) values ($2, $1, now(), true, true)",
    [owner.id, member],
  );
  await pool.query(
    "insert into family_invitation (customer_id, id, time_zone, created_at, expires_at) values ($1, $2, 'UTC', now(), now() + interval '1 day')",
    [owner.id, invitation],
  );
  return { member, invitation };
}

/** All stored data of a customer, as text, to compare before and after. */
export async function recordsOf(at: Installation, customer: TestCustomer): Promise<Record<string, string>> {
  const { pool } = at.database.handle;
  const { rows: tables } = await pool.query<{ table_name: string }>(
    "select table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name) where table_schema = current_schema() and column_name = 'customer_id' and table_type = 'BASE TABLE' order by 1",
  );
  const records: Record<string, string> = {};
  for (const { table_name: table } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select row_to_json(t)::text as row from "${table}" t where customer_id = $1 order by 1`,
      [customer.id],
    );
    records[table] = rows.map(({ row }) => row).join("\n");
  }
  return records;
}

async function pay(at: Installation, customer: TestCustomer) {
  const started = await request<{ payment_id: string; session_id: string; checkout_url: string }>(
    at,
    customer,
    "POST /api/billing/top-up",
    { amount: "10", keep_card: true },
  );
  const body = new URLSearchParams({ ...CARD, email: customer.email });
  const paid = await fetch(started.checkout_url, { method: "POST", body, redirect: "manual" });
  if (paid.status !== 303) throw new Error(`the payment page answered ${paid.status}: ${await paid.text()}`);
  for (let tries = 0; tries < 100; tries += 1) {
    const state = await request<{ receipt_id: string | null }>(at, customer, "POST /api/billing/confirm", {
      payment_id: started.payment_id,
    });
    const { cards } = await request<{ cards: unknown[] }>(at, customer, "GET /api/billing/auto-top-up");
    if (state.receipt_id !== null && cards.length > 0) return { ...started, receipt: state.receipt_id };
  }
  throw new Error("the payment was not credited");
}

/** A request whose refusal is expected. */
export function requestAs(
  at: Installation,
  customer: TestCustomer | null,
  { method, path, body }: { method: string; path: string; body?: object | undefined },
): Promise<RawAnswer> {
  const headers = {
    "idempotency-key": randomUUID(),
    ...(customer === null ? {} : { authorization: `Bearer ${customer.token}` }),
  };
  return rawHttp(at.addresses.port, path, { method, headers, body });
}

async function request<Body>(at: Installation, customer: TestCustomer | null, request: string, body?: object): Promise<Body> {
  const [method = "", path = ""] = request.split(" ");
  const answer = await askService(`http://127.0.0.1:${at.addresses.port}${path}`, {
    method,
    headers: {
      ...(customer === null ? {} : { authorization: `Bearer ${customer.token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${request} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Body;
}

function one<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined) throw new Error("the customer has no resource of this kind");
  return first;
}
