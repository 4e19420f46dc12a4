import type pg from "pg";
import { ledger } from "../src/ledger/ledger.ts";
import type { DatabaseHandle } from "../src/platform/database/database.ts";
import { insertPastCalls } from "./past-calls.ts";

/** Data that identifies the planted person. */
export const PERSON = {
  name: "Zelda Markfield",
  email: "Zelda.Markfield@Example.com",
  ownNumber: "+12025559876",
  calledNumber: "+4915155512345",
  calledText: "+49 1515 5512345",
  device: "Markfield browser",
  network: "198.51.77.x",
};
/** Matches any of that data in a text. */
export const TRACE = /markfield|2025559876|5512345|198\.51\.77/i;

const LATER = "now() + interval '1 hour'";
const HASH = "sha256(convert_to($1::text, 'UTF8'))";

/** Rows of one customer, in foreign-key order. `$1` is the customer's id, `$2` the id of a call. */
const ROWS: Readonly<Record<string, string>> = {
  session: `insert into session (id, customer_id, token_hash, browser_hash, device, network, created_at, authenticated_at,
    last_seen_at, expires_at) values (gen_random_uuid(), $1, sha256('planted'), sha256('browser'), '${PERSON.device}',
    '${PERSON.network}', now(), now(), now(), ${LATER})`,
  known_browser: "insert into known_browser values ($1, sha256('browser'), now())",
  ended_session: `insert into ended_session values (${HASH}, $1, 'expired', now())`,
  sign_in_challenge: `insert into sign_in_challenge values (${HASH}, $1, 0, now(), ${LATER})`,
  email_change: `insert into email_change (id, customer_id, new_email, needs_old, created_at, expires_at)
    values (gen_random_uuid(), $1, 'new.markfield@example.com', false, now(), ${LATER})`,
  mail_link: `insert into mail_link (id, customer_id, use, email_key, created_at, expires_at)
    values (gen_random_uuid(), $1, 'reset_password', lower('${PERSON.email}'), now(), ${LATER})`,
  passkey: `insert into passkey (id, customer_id, credential_id, public_key, sign_count, transports, name, synced, created_at)
    values (gen_random_uuid(), $1, convert_to($1::text, 'UTF8'), '', 0, '{}', 'Markfield''s key', false, now())`,
  passkey_challenge: `insert into passkey_challenge values (${HASH}, $1, ${LATER})`,
  identity: "insert into identity values ('https://issuer.example', 'markfield', $1, 'markfield@gmail.example', now())",
  google_flow: `insert into google_flow (id, browser_hash, purpose, customer_id, state, nonce, verifier, created_at, expires_at)
    values (gen_random_uuid(), sha256('flow'), 'link', $1, 'state', 'nonce', 'verifier', now(), ${LATER})`,
  ledger_mark: "insert into ledger_mark values ($1, 1, 0, 0)",
  authenticator: "insert into authenticator values ($1, 'secret', 'test', now(), now(), 0)",
  recovery_code: "insert into recovery_code values ($1, sha256('code'), now(), null)",
  security_event: `insert into security_event values (gen_random_uuid(), $1, 'caller_number_added', '${PERSON.ownNumber}',
    '${PERSON.device}', '${PERSON.network}', now())`,
  failed_sign_in: `insert into failed_sign_in
    values (gen_random_uuid(), lower('${PERSON.email}'), '${PERSON.device}', '${PERSON.network}', now())`,
  password_reset_request: `insert into password_reset_request values (gen_random_uuid(), lower('${PERSON.email}'), now())`,
  mail: `insert into mail (id, key, recipient, template, language, data, next_at, useful_until, created_at)
    values (gen_random_uuid(), 'planted', '${PERSON.email}', 'verify_email', 'en', '{"name": "${PERSON.name}"}', ${LATER}, ${LATER},
    now())`,
  newsletter_subscription: `insert into newsletter_subscription (id, email, email_key, language, state, asked_at, confirmed_at)
    values (gen_random_uuid(), '${PERSON.email}', lower('${PERSON.email}'), 'en', 'confirmed', now(), now())`,
  download_ticket: `insert into download_ticket values (${HASH}, $1, 'calls', '{"number": "${PERSON.calledNumber}"}', ${LATER})`,
  data_export: `insert into data_export (id, customer_id, state, bytes, requested_at, ready_at, expires_at)
    values (gen_random_uuid(), $1, 'ready', 9, now(), now(), ${LATER})`,
  account_erasure: `insert into account_erasure (customer_id, requested_at, next_try_at) values ($1, now(), ${LATER})
    on conflict do nothing`,
  contact: `insert into contact (id, customer_id, first_name, last_name, sort_key, search_text, created_at, updated_at)
    values (gen_random_uuid(), $1, 'Aunt', 'Markfield', 'aunt markfield', 'aunt markfield', now(), now())`,
  contact_number: `insert into contact_number (customer_id, contact_id, position, phone_number, extension, phone_number_type, country_code)
    select customer_id, id, 0, '${PERSON.calledNumber}', ',,4711', 'mobile', 'DE' from contact where customer_id = $1`,
  call_event: `insert into call_event values ('planted', $2, 'provider', 'call.answered', 'far', now(), now(),
    '{"to": "${PERSON.calledNumber}", "from": "${PERSON.ownNumber}"}')`,
  call_quality: "insert into call_quality values ($2, 5, 4.1, 20, 3, 0)",
  call_rating: "insert into call_rating values ($2, 'good', now())",
  call_refund_request: `insert into call_refund_request (call_id, customer_id, reason, note, evidence, state, amount_micros,
    decided_by, created_at, decided_at) values ($2, $1, 'no_audio', 'My aunt Markfield', '{"number": "${PERSON.calledNumber}"}',
    'refunded', 1000, 'rule', now(), now())`,
  voice_credential: `insert into voice_credential values ('credential', $1, 'sip', ${LATER}, now())`,
  echo_test: `insert into echo_test (id, customer_id, ticket_hash, expires_at, created_at)
    values (gen_random_uuid(), $1, ${HASH}, ${LATER}, now())`,
  guard_rail: "insert into guard_rail values ($1, 1000000, null, '{DE}', 'Europe/Berlin', now())",
  call_block: `insert into call_block values (gen_random_uuid(), $1, 'many_numbers', '{"number": "${PERSON.calledNumber}"}', now(), now())`,
  family_member: "insert into family_member (customer_id, owner_id, joined_at) values ($1, $1, now())",
  family_invitation: `insert into family_invitation (customer_id, id, email, time_zone, created_at, expires_at)
    values ($1, gen_random_uuid(), 'cousin@markfield.example', 'UTC', now(), ${LATER})`,
  freeze_review: "insert into freeze_review values ($1, 'a stolen card', now())",
  customer_term: `insert into customer_term
    select $1, 'spend-per-day', '1000000', ${LATER}, now(), id, 'Said by phone' from operator where name = 'grace'`,
  caller_number: `insert into caller_number (number, customer_id, chosen, proven_at) values ('${PERSON.ownNumber}', $1, true, now())`,
  caller_number_check: `insert into caller_number_check (id, customer_id, number, created_at, expires_at)
    values (gen_random_uuid(), $1, '${PERSON.ownNumber}', now(), ${LATER})`,
  test_credit_grant: "insert into test_credit_grant values (gen_random_uuid(), $1, 1000000, now())",
  stripe_customer: "insert into stripe_customer values ($1, 'cus_planted', now())",
  saved_card: `insert into saved_card (id, customer_id, payment_method_id, brand, last4, exp_month, exp_year, fingerprint,
    authenticated, created_at) values (gen_random_uuid(), $1, 'pm_planted', 'visa', '4242', 1, 2090, 'print', true, now())`,
  auto_top_up: `insert into auto_top_up (customer_id, is_on, card_id, threshold_micros, amount_micros, agreed_at, updated_at)
    select $1, false, id, 10000, 10000, now(), now() from saved_card where customer_id = $1`,
  card_setup: `insert into card_setup (id, customer_id, status, created_at, expires_at)
    values (gen_random_uuid(), $1, 'expired', now(), ${LATER})`,
  payment: `insert into payment (id, customer_id, kind, charge_micros, status, request_key, session_id, payment_intent_id,
    card_brand, card_last4, card_fingerprint, expires_at, created_at, settled_at) values (gen_random_uuid(), $1, 'custom', 20000000,
    'paid', 'key-of-markfield', 'cs_planted', 'pi_planted', 'visa', '4242', 'print', now(), now(), now())`,
  payment_failure: `insert into payment_failure
    select 'ch_planted', id, $1, 'print', 'card_declined', now() from payment where customer_id = $1`,
  reminder: `insert into reminder (id, customer_id, contact_id, time_zone, country_code, local_time, weekly, next_at, created_at)
    select gen_random_uuid(), customer_id, id, 'Europe/Berlin', 'DE', '18:00', true, ${LATER}, now() from contact where customer_id = $1`,
  credit_request: `insert into credit_request (id, customer_id, created_at, expires_at) values (gen_random_uuid(), $1, now(), ${LATER})`,
  credit_gift: `with other as (insert into customer (id, name, email, email_key, created_at)
      values (gen_random_uuid(), 'Other', 'other@example.com', 'other@example.com', now()) returning id)
    insert into credit_gift (id, payment_id, payer_id, beneficiary_id, amount_micros, greeting, state, created_at, decided_at)
    select gen_random_uuid(), payment.id, $1, other.id, 1000000, 'From your niece Markfield', 'given', now(), now()
    from payment, other where payment.customer_id = $1`,
  withdrawal: "insert into withdrawal values (gen_random_uuid(), $1, 1000000, 'markfield', now())",
  refund: `insert into refund (id, payment_id, customer_id, origin, amount_micros, status, provider_refund_id, created_at, settled_at)
    select gen_random_uuid(), id, $1, 'operator', 1000000, 'succeeded', 're_planted', now(), now() from payment where customer_id = $1`,
  dispute: `insert into dispute (id, payment_id, amount_micros, reason, status, created_at, updated_at)
    select 'dp_planted', id, 1000000, 'general', 'won', now(), now() from payment where customer_id = $1`,
  fraud_warning: `insert into fraud_warning select 'fw_planted', id, 'misc', 'none', now() from payment where customer_id = $1`,
  receipt: `insert into receipt (id, year, sequence, customer_id, kind, payment_id, amount_micros, bonus_micros, card_brand, card_last4,
    buyer_name, buyer_email, seller, sample, paid_at, issued_at) select gen_random_uuid(), 2026, 1, $1, 'payment', id, 20000000, 0,
    'visa', '4242', '${PERSON.name}', '${PERSON.email}',
    '{"name": "Farline", "address": [], "taxId": null, "taxMillipercent": null, "taxNote": null}', true, now(), now()
    from payment where customer_id = $1`,
  support_case: `insert into support_case (id, customer_id, topic, message, call_id, created_at)
    values (gen_random_uuid(), $1, 'charge', 'My aunt Markfield did not answer', $2, now())`,
  promo_use: `with campaign as (insert into promo_campaign (id, code, kind, bonus_micros, starts_at, created_at)
      values (gen_random_uuid(), 'PLANTED', 'fixed', 1000000, now(), now()) returning id)
    insert into promo_use select payment.id, campaign.id, $1, 1000000, 'granted', 'print', now(), now()
    from payment, campaign where customer_id = $1`,
  referral_code: "insert into referral_code values ($1, 'MARKF2EL', now())",
  referral: `with inviter as (insert into customer (id, name, email, email_key, created_at)
      values (gen_random_uuid(), 'Inviter', 'inviter@example.com', 'inviter@example.com', now()) returning id)
    insert into referral (invited_id, inviter_id, created_at) select $1, id, now() from inviter`,
  first_call: `insert into first_call (customer_id, state, decided_at, created_at)
    values ($1, 'granted', now(), now())
    on conflict (customer_id) do update set state = 'granted', decided_at = now(), next_look_at = null`,
  person_mark: `insert into person_mark values ($1, 'network', sha256('network'), now())`,
  free_credit: "insert into free_credit values ('planted', $1, 'promo', 1000000, now())",
  operation: `insert into operation (id, operator_id, operator, action, customer_id, subject, reason, happened_at)
    select gen_random_uuid(), id, name, 'block-caller-number', $1, '${PERSON.ownNumber}', 'Somebody objected', now() from operator
    where name = 'grace'`,
  approval: `insert into approval (id, action, customer_id, amount_micros, detail, reason, proposed_by, proposed_at, expires_at, state,
    decided_by, decided_at) select gen_random_uuid(), 'refund', $1, 1, '{}', 'By phone', id, now(), now(), 'withdrawn', id, now()
    from operator where name = 'grace'`,
};

/**
 * Gives an existing customer a planted person's name and address, rows in every table with customers' rows, and a charged
 * call. @returns the call's id
 */
export async function plantPerson({ db, pool }: DatabaseHandle, customerId: string): Promise<string> {
  await pool.query("update customer set name = $2, email = $3, email_key = lower($3) where id = $1", [
    customerId,
    PERSON.name,
    PERSON.email,
  ]);
  const createdAt = new Date();
  const [callId = ""] = await insertPastCalls(db, [
    { customerId, createdAt, destination: PERSON.calledNumber, countryCode: "DE", chargeMicros: 100_000n },
  ]);
  await pool.query("update call set caller_number = $2, rate_prefix = '491515', client_call_id = 'markfield' where id = $1", [
    callId,
    PERSON.ownNumber,
  ]);
  const topUp = { key: `planted:${customerId}`, customerId, kind: "top_up" as const, amountMicros: 100_000n };
  await ledger.credit(db, { ...topUp, referenceId: null, description: "Top-up" });
  await ledger.hold(db, { holdId: callId, customerId, wantMicros: 100_000n, leastMicros: 100_000n });
  await ledger.postHold(db, { holdId: callId, chargeMicros: 100_000n, description: `Call to ${PERSON.calledText}` });
  for (const [table, row] of Object.entries(ROWS)) {
    const sql = row.replaceAll("$1", `'${customerId}'::uuid`).replaceAll("$2", `'${callId}'::uuid`);
    await pool.query(sql).catch((error: unknown) => {
      throw new Error(`No row of ${table}: ${(error as Error).message}`);
    });
  }
  return callId;
}

/** All rows in which the planted person can still be recognised, as "table: row". */
export async function findTraces(pool: pg.Pool): Promise<string[]> {
  const tables = await pool.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  const found: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ line: string }>(`select t::text as line from "${name}" t`);
    for (const { line } of rows) if (TRACE.test(line)) found.push(`${name}: ${line}`);
  }
  return found;
}
