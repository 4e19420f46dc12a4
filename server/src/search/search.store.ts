import type { SearchHitType } from "@farline/contract/operator/search.ts";
import { sql, type RawBuilder } from "kysely";
import type { Tx } from "../platform/database/database.ts";
import type { SearchTerm } from "./classify-search.ts";
import { PARTS_OF_CALLS } from "./lists.store.ts";

export interface FoundRow {
  readonly type: SearchHitType;
  readonly id: string;
  readonly customer_id: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly at: Date | null;
  readonly amount_micros: bigint | null;
  readonly text: string;
  readonly codes: string[];
}

/** Reads at most `limit` rows that match a term. Each query reads one index. */
export async function findRows(tx: Tx, term: SearchTerm, limit: number): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`
    select found.*, customer.name, customer.email
    from (${queryOf(term, limit)} limit ${limit}) found (type, id, customer_id, at, amount_micros, text, codes)
    left join customer on customer.id = found.customer_id`.execute(tx);
  return rows;
}

const CUSTOMER = sql`select 'customer', id::text, id, created_at, null::bigint, '', array[status] from customer`;
const CALL = sql`select 'call', id::text, customer_id, created_at, charge_micros, destination, array[status] from call`;
const PAYMENT = sql`select 'payment', id::text, customer_id, created_at, charge_micros, '', array[status] from payment`;
const REFUND = sql`select 'refund', id::text, customer_id, created_at, amount_micros, '', array[status] from refund`;
const RECEIPT = sql`select 'receipt', id::text, customer_id, issued_at, amount_micros, number, array[]::text[] from receipt`;
const CASE = sql`select 'case', number::text, customer_id, created_at, null::bigint, '', array[topic, state] from support_case`;

function queryOf(term: SearchTerm, limit: number): RawBuilder<unknown> {
  switch (term.kind) {
    case "id":
      return byId(term.id);
    case "email":
      return sql`${CUSTOMER} where email_key like ${startPattern(term.start)} order by email_key using ~<~`;
    case "domain":
      return orStart(sql`${CUSTOMER} where split_part(email_key, '@', 2) = ${term.domain} order by created_at desc`, term, limit);
    case "name":
      return orStart(byName(term.words), term, limit);
    case "network":
      return byNetwork(term.network, limit);
    case "number":
      return byNumber(term.start, limit);
    case "card":
      return byCard(term);
    case "receipt":
      return sql`${RECEIPT} where year = ${term.year} and sequence = ${term.sequence}`;
    case "case":
      return sql`${CASE} where number = ${term.number}`;
    case "provider_id":
      return byProviderId([term.id, ...term.behind]);
    case "leg":
    default:
      return sql`${CALL} where parked_call_control_id = ${term.id} union all ${CALL} where far_call_control_id = ${term.id}
        union all select 'echo_test', id::text, customer_id, created_at, null, '', array[]::text[] from echo_test where call_control_id = ${term.id}`;
  }
}

function byId(id: string): RawBuilder<unknown> {
  return sql`${CUSTOMER} where id = ${id}
    union all ${CALL} where id = ${id}
    union all ${CALL} where session_id = ${id}
    union all ${PAYMENT} where id = ${id}
    union all ${REFUND} where id = ${id}
    union all ${RECEIPT} where id = ${id}
    union all ${CASE} where id = ${id}
    union all select 'withdrawal', id::text, customer_id, created_at, amount_micros, '', array[]::text[] from withdrawal where id = ${id}
    union all select 'mail', m.id::text, c.id, m.created_at, null, '', array[m.template, m.state]
      from mail m left join customer c on c.email = m.recipient where m.id = ${id}
    union all select 'approval', id::text, customer_id, proposed_at, amount_micros, '', array[action, state] from approval where id = ${id}
    union all select 'operation', id::text, customer_id, happened_at, null, 'by ' || operator, array[action] from operation where id = ${id}
    union all select 'posting', id::text, customer_id, created_at, null, description, array[kind::text]
      from ledger_transaction where id = ${id}
    union all select 'hold', id::text, customer_id, created_at, amount_micros, '', array[state] from hold where id = ${id}
      and not exists (select from call c where c.id = hold.id)
    union all select 'gift', id::text, payer_id, created_at, amount_micros, '', array[state] from credit_gift where id = ${id}
    union all select 'number_check', id::text, customer_id, created_at, null, '', array[]::text[] from caller_number_check where id = ${id}
    union all select 'copy_of_data', id::text, customer_id, requested_at, null, '', array[state] from data_export where id = ${id}
    union all select 'sign-in_event', id::text, customer_id, happened_at, null, '', array[kind] from security_event where id = ${id}
    union all select 'test_credit', id::text, customer_id, created_at, amount_micros, '', array[]::text[] from test_credit_grant where id = ${id}
    union all select 'session', session_id::text, customer_id, ended_at, null, 'ended', array[]::text[] from ended_session where session_id = ${id}
    union all ${sql.join(
      Object.entries(CUSTOMERS_ROWS).map(([table, type]) => customersRow(table, type, id)),
      sql` union all `,
    )}
    union all select 'deck', id::text, null, created_at, null, name, array[]::text[] from deck where id = ${id}
    union all select 'deck', deck_id::text, null, effective_at, null, 'start', array[]::text[] from deck_activation where id = ${id}
    union all select 'promotion', id::text, null, created_at, null, code, array[]::text[] from promo_campaign where id = ${id}
    union all select 'breaker', id::text, null, opened_at, null, subject, array[kind] from breaker where id = ${id}
    union all select 'reconciliation', id::text, null, started_at, null, '', array[]::text[] from reconciliation_run where id = ${id}
    union all select 'operator', id::text, null, created_at, null, name, array[role] from operator where id = ${id}`;
}

/** What is of one customer, and has nothing to show but that it exists. */
const CUSTOMERS_ROWS: Readonly<Record<string, SearchHitType>> = {
  session: "session",
  call_block: "block",
  credit_request: "credit_request",
  contact: "contact",
  reminder: "reminder",
  card_setup: "saving_of_a_card",
  saved_card: "card",
  email_change: "address_change",
  passkey: "passkey",
  family_invitation: "invitation",
  echo_test: "echo_test",
};

function customersRow(table: string, type: SearchHitType, id: string): RawBuilder<unknown> {
  return sql`select ${type}, id::text, customer_id, created_at, null, '', array[]::text[] from ${sql.table(table)} where id = ${id}`;
}

/** The newest calls to exactly this number, or else calls to numbers that begin with it; and who shows it to the called. */
function byNumber(start: string, limit: number): RawBuilder<unknown> {
  const exact = PARTS_OF_CALLS.map((part) => sql`not exists (select from call where destination = ${start} and ${part})`);
  const calls = PARTS_OF_CALLS.map(
    (part) => sql`(${CALL} where destination = ${start} and ${part} order by created_at desc limit ${limit})
      union all (${CALL} where destination like ${startPattern(start)} and ${part} and ${sql.join(exact, sql` and `)}
        order by destination using ~<~ limit ${limit})`,
  );
  return sql`(select 'caller_number', number, customer_id, proven_at, null::bigint, number, array[]::text[] from caller_number where number = ${start})
    union all ${sql.join(calls, sql` union all `)}`;
}

/** As in the index of names (server/migrations). */
export const NAME_WORDS = sql`to_tsvector('simple', regexp_replace(normalize(name, nfkd), '[\\u0300-\\u036f]', '', 'g'))`;

/** The words are letters and digits alone, so that none is an operator. */
function startsOf(words: readonly string[]): string {
  return words.map((word) => `'${word}':*`).join(" & ");
}

/** Materialised, because a plan for few rows of an unknown name reads the table until it has found them. */
function byName(words: readonly string[]): RawBuilder<unknown> {
  return sql`with named as materialized (
      ${CUSTOMER} where ${NAME_WORDS} @@ to_tsquery('simple', ${startsOf(words)})
    ) select * from named`;
}

/** What was found, or customers whose address begins with the text. */
function orStart(found: RawBuilder<unknown>, { start }: { start: string | null }, limit: number): RawBuilder<unknown> {
  if (start === null) return found;
  const byStart = sql`${CUSTOMER} where email_key like ${startPattern(start)} order by email_key using ~<~ limit ${limit}`;
  return sql`select * from ((${found} limit ${limit}) union (${byStart})) either`;
}

/** The customers who signed in there last. */
function byNetwork(network: string, limit: number): RawBuilder<unknown> {
  return sql`${CUSTOMER} where id in (
    (select customer_id from security_event where network = ${network} order by happened_at desc limit ${limit})
    union (select customer_id from session where network = ${network} order by created_at desc limit ${limit}))`;
}

function byCard({ last4, amountMicros, day }: Extract<SearchTerm, { kind: "card" }>): RawBuilder<unknown> {
  const amount = amountMicros === null ? sql`` : sql`and charge_micros = ${amountMicros}`;
  const within = day === null ? sql`` : sql`and created_at >= ${day.from} and created_at < ${day.to}`;
  return sql`${PAYMENT} where card_last4 = ${last4} ${amount} ${within} order by created_at desc`;
}

function byProviderId(ids: readonly string[]): RawBuilder<unknown> {
  return sql`${PAYMENT} where payment_intent_id = any(${ids})
    union all ${PAYMENT} where session_id = any(${ids})
    union all ${REFUND} where provider_refund_id = any(${ids})
    union all select 'dispute', d.id, p.customer_id, d.created_at, d.amount_micros, '', array[d.status]
      from dispute d join payment p on p.id = d.payment_id where d.id = any(${ids})
    union all select 'fraud_warning', f.id, p.customer_id, f.created_at, p.charge_micros, '', array[f.decision]
      from fraud_warning f join payment p on p.id = f.payment_id where f.id = any(${ids})
    union all select 'customer', s.customer_id::text, s.customer_id, s.created_at, null, '', array[]::text[]
      from stripe_customer s where s.provider_customer_id = any(${ids})
    union all select 'card', id::text, customer_id, created_at, null, brand || ' ' || last4, array[]::text[] from saved_card where payment_method_id = any(${ids})
    union all select 'saving_of_a_card', id::text, customer_id, created_at, null, '', array[status] from card_setup where session_id = any(${ids})
    union all ${PAYMENT} where id in (select f.payment_id from payment_failure f where f.id = any(${ids}))`;
}

/** A LIKE pattern for texts that begin with this one. */
function startPattern(start: string): string {
  return `${start.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
