import { ledger } from "@farline/server/ledger/ledger.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCustomer, requestAs, type TestCustomer } from "./src/customers.ts";
import { Attempts } from "./src/attempts.ts";
import { startInstallation, type Installation } from "./src/product.ts";

/** Expensive, so that only the first-call grant or bought credit covers it. */
const ACCRA = "+233241234567";
const LONDON = "+442079460958";
const GRANT_MICROS = 250_000;

const attempts = new Attempts();
let at: Installation;
beforeAll(async () => {
  at = await startInstallation();
});
afterAll(() => at?.close());

function request(customer: TestCustomer | null, method: string, path: string, body?: object) {
  return requestAs(at, customer, { method, path, body });
}

async function customerWithCredit(): Promise<TestCustomer> {
  const customer = await newCustomer(at);
  await request(customer, "POST", "/api/billing/test-credit", { amount: 20 });
  return customer;
}

async function count(sql: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await at.database.handle.pool.query(sql, [...values]);
  return Number(rows[0].count);
}

test("no call costs more than the price shown", async () => {
  const customer = await customerWithCredit();
  for (const change of [
    { rate_per_minute: "0.0001" },
    { first_interval_s: 0 },
    { rate_per_minute: "-1" },
    { rate_per_minute: "1e-9" },
  ]) {
    const shown_price = { rate_per_minute: "0.0001", first_interval_s: 1, next_interval_s: 1, ...change };
    const { status } = await request(customer, "POST", "/api/calls/initiate", { destination_number: LONDON, shown_price });
    attempts.check("call above the price shown", JSON.stringify(change), status === 409 || status === 422);
  }
  expect(await count("select count(*) from call where customer_id = $1", [customer.id])).toBe(0);
});

test("ambiguous numbers are not dialled, priced or stored", async () => {
  const customer = await customerWithCredit();
  for (const [digits, country] of [
    ["6462345678", "US"],
    ["4917612345678", "DE"],
    ["38343201234", "XK"],
    ["33612345678", "AT"],
  ] as const) {
    const call = { destination_number: digits, destination_country: country };
    const number = { phone_number: digits, country_code: country };
    for (const [path, body] of [
      ["/api/calls/initiate", call],
      ["/api/calls/quote", call],
      ["/api/rates/lookup-number", number],
      ["/api/contacts", { first_name: "Ann", ...number }],
      ["/api/contacts", { first_name: "Ann", phone_number: LONDON, other_numbers: [number] }],
      ["/api/calls/caller-id/checks", number],
    ] as const) {
      const { status, text } = await request(customer, "POST", path, body);
      attempts.check("ambiguous number", `${digits} ${path}`, status === 422 && text.includes("number_ambiguous"));
    }
  }
  expect(await count("select count(*) from call where customer_id = $1", [customer.id])).toBe(0);
  expect(await count("select count(*) from contact where customer_id = $1", [customer.id])).toBe(0);
});

test("a customer gets one free first call within the grant, even with several requests at once", async () => {
  const customer = await newCustomer(at);
  const { db, pool } = at.database.handle;
  await pool.query("update customer set email_verified = true where id = $1", [customer.id]);
  await pool.query(
    "update first_call set state = 'granted', bonus_micros = $2, next_look_at = null, decided_at = now() where customer_id = $1",
    [customer.id, GRANT_MICROS],
  );
  await ledger.credit(db, {
    key: `first-call:${customer.id}`,
    customerId: customer.id,
    kind: "bonus",
    amountMicros: BigInt(20 * GRANT_MICROS),
    referenceId: null,
    description: "Your first call is free, and a reward",
  });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => request(customer, "POST", "/api/calls/initiate", { destination_number: ACCRA })),
  );
  const begun = answers.filter(({ status }) => status === 201).length;
  attempts.check("free call beyond the grant", `8 at once: ${begun} began`, begun <= 1);
  const held = await count("select held_micros as count from account where customer_id = $1", [customer.id]);
  attempts.check("free call beyond the grant", `holds ${held}`, held <= GRANT_MICROS);
});

test("mails that strangers can trigger are limited per mailbox, across all forms", async () => {
  const victim = `${randomUUID()}@example.com`;
  const password = "correct horse battery";
  await request(null, "POST", "/api/register", { name: "Ada", email: victim, password, password_confirmation: password });
  for (let i = 0; i < 12; i += 1) {
    await request(null, "POST", "/api/password/forgot", { email: i % 2 === 0 ? victim : victim.toUpperCase() });
    await request(null, "POST", "/api/newsletter", { email: victim, consent: true });
    const other = await newCustomer(at);
    await request(other, "POST", "/api/email/change", { email: victim });
  }
  const mails = await count("select count(*) from mail where lower(recipient) = $1", [victim]);
  attempts.check("mails to somebody who did not ask", `${mails} in a burst`, mails <= 15);
});

/** A customer with a confirmed address, and their link that asks for credit. */
async function beneficiary() {
  const customer = await newCustomer(at);
  await at.database.handle.pool.query("update customer set email_verified = true where id = $1", [customer.id]);
  const { text } = await request(customer, "POST", "/api/credit-requests", {});
  const { url, id } = JSON.parse(text) as { url: string; id: string };
  return { customer, id, token: url.split("#t=")[1] ?? "" };
}

test("a greeting carries no link and no number, however written", async () => {
  const [{ token }, { customer: payer }] = [await beneficiary(), await beneficiary()];
  const give = (greeting: string) => request(payer, "POST", "/api/billing/gifts", { token, amount: "10", greeting });
  expect((await give("Happy birthday, Mama! Call me at 18:00.")).status).toBe(200);
  for (const greeting of [
    "evil。com",
    "evil\u00AD.com",
    "e\u200Dvil.c\u200Com",
    "evil․com",
    "1/800/555/0199",
    "١٨٠٠٥٥٥٠١٩٩",
    "1️8️0️0️5️5️5️0",
  ]) {
    const { status, text } = await give(greeting);
    attempts.check("link or number in a greeting", `${greeting}: ${status}`, status === 422 && text.includes("gift_greeting"));
  }
});

test("one's own links and codes are refused clearly, and never cause an internal error", async () => {
  const { customer, token, id } = await beneficiary();
  const { pool } = at.database.handle;
  const limits = { daily_cap: null, monthly_cap: null, countries: null, time_zone: "UTC" };
  const { text } = await request(customer, "POST", "/api/family/invitations", { email: null, limits });
  const { family } = JSON.parse(text) as { family: { invitations: { link: string }[] } };
  const family_link = family.invitations[0]?.link.split("#t=")[1] ?? "";
  const choices = { owner_pays: true, shows_numbers: false };
  expect([token, family_link]).toEqual([expect.stringMatching(/.{60}/), expect.stringMatching(/.{60}/)]);
  const { code = "" } = JSON.parse((await request(customer, "GET", "/api/referral")).text) as { code?: string };
  const { rows } = await pool.query("select email from customer where id = $1", [customer.id]);
  for (const [what, method, path, body] of [
    ["family link", "POST", "/api/family/accept", { token: family_link, ...choices }],
    ["family link, paying alone", "POST", "/api/family/accept", { token: family_link, owner_pays: false, shows_numbers: true }],
    ["membership", "DELETE", `/api/family/members/${customer.id}`, undefined],
    ["limits", "PUT", `/api/family/members/${customer.id}/limits`, limits],
    ["choices", "PATCH", "/api/family/choices", choices],
    ["request for credit", "POST", "/api/billing/gifts", { token, amount: "10" }],
    ["request for credit, as a family link", "POST", "/api/family/accept", { token, ...choices }],
    ["referral code", "POST", "/api/referral/claim", { code }],
    ["address", "POST", "/api/email/change", { email: rows[0].email }],
    ["address in capitals", "POST", "/api/email/change", { email: String(rows[0].email).toUpperCase() }],
    ["request for credit, twice gone", "DELETE", `/api/credit-requests/${randomUUID()}`, undefined],
  ] as const) {
    const { status, text: answer } = await request(customer, method, path, body);
    const refused = what === "referral code" ? answer.includes('"accepted":false') : status >= 400 && status < 500;
    attempts.check("one's own link", `${what}: ${status}`, refused);
  }
  const people = await count("select count(*) from family_member where owner_id = $1", [customer.id]);
  expect([people, id]).toEqual([1, expect.any(String)]);
});

test("every attempt was refused", () => {
  expect(attempts.succeeded).toEqual([]);
});
