import type { TimelineType } from "@farline/contract/operator/constants.ts";
import type { TimelineEntry } from "@farline/contract/operator/customers.ts";
import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../platform/database/database.ts";
import { FINAL_STATUSES } from "../billing/billing.ts";

/** The position of an entry: its time in microseconds since 1970, as PostgreSQL keeps it, and its type and id. */
export interface TimelinePosition {
  readonly micros: string;
  readonly key: string;
}

export interface TimelineRow extends TimelinePosition {
  readonly type: TimelineType;
  readonly id: string;
  readonly at: Date;
  readonly amount_micros: bigint | null;
  readonly balance_micros: bigint | null;
  readonly state: string | null;
  readonly kind: string | null;
  readonly facts: TimelineEntry["facts"];
}

/** A source of entries: expressions over its tables. */
interface Source {
  readonly type: TimelineType;
  readonly from: RawBuilder<unknown>;
  readonly id: string;
  readonly at: string;
  readonly amount?: string;
  readonly state?: string;
  readonly kind?: string;
  /** By their names in an entry. */
  readonly facts?: Readonly<Partial<Record<keyof TimelineEntry["facts"], string>>>;
  /** The key of its transaction in the ledger. */
  readonly booked?: string;
}

/** Credit that comes neither from a payment nor goes back to one; those have entries of their own. */
const OTHER_CREDIT = sql.raw("('bonus', 'test_credit', 'adjustment', 'write_off', 'call_refund', 'gift')");

const CALL_FACTS = {
  number: "destination",
  country: "country_code",
  number_type: "number_type",
  end_reason: "end_reason",
  billed_seconds: "billed_seconds",
  duration_ms: "duration_ms",
} as const;
const emailOf = (id: string) => `(select email from customer where customer.id = ${id})`;
const GUEST = "(select 'guest' from customer where customer.id = g.payer_id and is_guest)";
/** Until when held credit waits, or its state. */
const GIFT = "case when g.state = 'held' then 'held until ' || to_char(g.due_at, 'YYYY-MM-DD') else g.state end";
/** A payment of which nothing is left to refund says why in place of "paid". */
const PAYMENT_STATE = `case when p.status <> 'paid' or p.refunded_micros + p.disputed_micros < p.charge_micros then p.status
  when p.disputed_micros > 0 then 'disputed' else 'refunded' end`;
const METHOD = "card_brand || coalesce(' ' || card_last4, '')";

/** What is counted about a customer for operators. Contacts are only counted: whom somebody knows is private. */
export interface CustomerFacts {
  readonly sessions: number;
  readonly contacts: number;
  readonly live_calls: number;
  readonly open_cases: number;
  readonly open_refund_requests: number;
  readonly open_disputes: number;
  readonly saved_cards: number;
  /** All payments, refunded ones included. */
  readonly paid_micros: bigint;
  readonly caller_numbers: string[];
  readonly block_rule: string | null;
  readonly blocked_until: Date | null;
  /** The customer's family, its owner first. */
  readonly family: { readonly id: string; readonly email: string; readonly is_owner: boolean }[];
}

/**
 * Reads a customer's timeline, newest first. Each source reads its own index and stops after `limit` rows, so a page costs the same for a
 * customer with a hundred thousand calls.
 */
export async function readTimelineRows(
  tx: Tx,
  customer: { readonly id: string; readonly email: string },
  page: { readonly after: TimelinePosition | null; readonly limit: number },
): Promise<TimelineRow[]> {
  const parts = sourcesOf(customer).map((source) => rowsOf(source, page));
  const { rows } = await sql<TimelineRow>`
    select timeline.*, line.balance_after_micros as balance_micros, (extract(epoch from at) * 1000000)::bigint::text as micros
    from (select * from (${sql.join(parts, sql` union all `)}) every order by at desc, key collate "C" desc limit ${page.limit}) timeline
    left join lateral (select e.balance_after_micros from ledger_transaction t join ledger_entry e on e.transaction_id = t.id
      where t.idempotency_key = timeline.booked and e.customer_id = ${customer.id}) line on true
    order by at desc, key collate "C" desc`.execute(tx);
  return rows;
}

function rowsOf(source: Source, { after, limit }: { after: TimelinePosition | null; limit: number }): RawBuilder<unknown> {
  const { type, from, amount = "null", state = "null", kind = "null", booked = "null", facts = {} } = source;
  const named = Object.entries(facts).map(([name, value]) => `'${name}', ${value}`);
  const at = sql.raw(source.at);
  const key = sql.raw(`'${type}:' || ${source.id}`);
  const moment = after && sql`'epoch'::timestamptz + ${after.micros}::bigint * interval '1 microsecond'`;
  // The first condition uses the index; the second one separates entries of the same moment.
  const before = after && sql`and ${at} <= ${moment} and (${at} < ${moment} or (${key}) collate "C" < ${after.key})`;
  return sql`(select ${sql.lit(type)} as type, (${sql.raw(source.id)})::text as id, ${at} as at,
      (${sql.raw(amount)})::bigint as amount_micros, (${sql.raw(state)})::text as state, (${sql.raw(kind)})::text as kind,
      jsonb_strip_nulls(jsonb_build_object(${sql.raw(named.join(", "))})) as facts, (${sql.raw(booked)})::text as booked, ${key} as key
    from ${from} ${before ?? sql``}
    order by ${at} desc, (${key}) collate "C" desc limit ${limit})`;
}

function sourcesOf(customer: { readonly id: string; readonly email: string }): Source[] {
  return [...callSources(customer.id), ...paymentSources(customer.id), ...moneySources(customer.id), ...accountSources(customer)];
}

function rowsOfCustomer(table: string, id: string): RawBuilder<unknown> {
  return sql`${sql.table(table)} where customer_id = ${id}`;
}

/** Payments of the customer and for the customer, and cards that were declined. */
function paymentSources(id: string): Source[] {
  const payment = {
    ...({ type: "payment", id: "p.id", at: "p.created_at", amount: "p.charge_micros" } as const),
    state: PAYMENT_STATE,
    kind: "p.kind",
  };
  const facts = { method: METHOD, failure: "p.failure_code", gift: GIFT };
  return [
    {
      ...payment,
      from: sql`payment p left join credit_gift g on g.payment_id = p.id where p.customer_id = ${id}`,
      facts: { ...facts, paid_for: emailOf("g.beneficiary_id") },
      booked: "'topup:' || p.id",
    },
    {
      ...payment,
      from: sql`credit_gift g join payment p on p.id = g.payment_id where g.beneficiary_id = ${id}`,
      facts: { ...facts, paid_by: emailOf("g.payer_id"), guest: GUEST },
    },
    {
      type: "declined_card",
      from: rowsOfCustomer("payment_failure", id),
      id: "id",
      at: "failed_at",
      kind: "code",
      facts: { payment: "payment_id" },
    },
  ];
}

/** What followed payments, and other credit. */
function moneySources(id: string): Source[] {
  const own = (table: string) => rowsOfCustomer(table, id);
  const ofPayment = (table: string) =>
    sql`payment p join ${sql.table(table)} t on t.payment_id = p.id where p.customer_id = ${id}`;
  return [
    {
      type: "refund",
      from: own("refund"),
      id: "id",
      at: "created_at",
      amount: "amount_micros",
      state: "status",
      kind: "origin",
      facts: { waits_for: "pending_reason", failure: "failure", payment: "payment_id" },
      booked: "'refund:' || id",
    },
    { type: "withdrawal", from: own("withdrawal"), id: "id", at: "created_at", amount: "amount_micros" },
    {
      type: "dispute",
      from: ofPayment("dispute"),
      id: "t.id",
      at: "t.created_at",
      amount: "t.amount_micros",
      state: "t.status",
      kind: "t.reason",
      facts: { payment: "p.id" },
    },
    {
      type: "fraud_warning",
      from: ofPayment("fraud_warning"),
      id: "t.id",
      at: "t.created_at",
      state: "t.decision",
      kind: "t.fraud_type",
      facts: { payment: "p.id" },
    },
    {
      type: "credit",
      from: sql`ledger_entry e join ledger_transaction t on t.id = e.transaction_id
        where e.customer_id = ${id} and e.kind <> 'call' and e.kind in ${OTHER_CREDIT}`,
      id: "t.id",
      at: "t.created_at",
      amount: "e.amount_micros",
      kind: "e.kind",
      facts: { text: "t.description" },
      booked: "t.idempotency_key",
    },
  ];
}

/** The customer's calls, and those that they pay for as the family's owner. */
function callSources(id: string): Source[] {
  const shared = {
    type: "call",
    id: "id",
    at: "created_at",
    amount: "charge_micros",
    state: "status",
    booked: "'call:' || id",
  } as const;
  return [
    { ...shared, from: rowsOfCustomer("call", id), facts: { ...CALL_FACTS, paid_by: emailOf("call.payer_id") } },
    { ...shared, from: sql`call where payer_id = ${id}`, facts: { ...CALL_FACTS, made_by: emailOf("call.customer_id") } },
  ];
}

function accountSources({ id, email }: { readonly id: string; readonly email: string }): Source[] {
  const own = (table: string) => rowsOfCustomer(table, id);
  return [
    {
      type: "refund_request",
      from: own("call_refund_request"),
      id: "call_id",
      at: "created_at",
      amount: "amount_micros",
      state: "state",
      kind: "reason",
      facts: { text: "nullif(note, '')" },
    },
    {
      type: "call_block",
      from: own("call_block"),
      id: "id",
      at: "created_at",
      kind: "rule",
      facts: { until: "to_char(blocked_until at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')" },
    },
    {
      type: "mail",
      from: sql`mail where lower(recipient) = lower(${email})`,
      id: "id",
      at: "created_at",
      state: "state",
      kind: "template",
    },
    {
      type: "account",
      from: own("security_event"),
      id: "id",
      at: "happened_at",
      kind: "kind",
      facts: { text: "detail", device: "device" },
    },
    {
      type: "case",
      from: own("support_case"),
      id: "number",
      at: "created_at",
      state: "state",
      kind: "topic",
      facts: { number: "number::text", text: "message", call: "call_id", payment: "payment_id" },
    },
    {
      type: "operation",
      from: own("operation"),
      id: "id",
      at: "happened_at",
      kind: "action",
      facts: { operator: "operator", text: "reason" },
    },
  ];
}

export async function readCustomerFacts(tx: Tx, customerId: string, now: Date): Promise<CustomerFacts> {
  const { rows } = await sql<CustomerFacts>`
    select
      (select count(*)::integer from session s where s.customer_id = c.id and s.expires_at > ${now}) as sessions,
      (select count(*)::integer from contact x where x.customer_id = c.id) as contacts,
      (select count(*)::integer from call l where (l.customer_id = c.id or l.payer_id = c.id) and l.ended_at is null) as live_calls,
      (select count(*)::integer from support_case s where s.customer_id = c.id and s.state = 'open') as open_cases,
      (select count(*)::integer from call_refund_request r where r.customer_id = c.id and r.state = 'open') as open_refund_requests,
      (select coalesce(sum(p.charge_micros), 0)::bigint from payment p where p.customer_id = c.id and p.status = 'paid') as paid_micros,
      (select count(*)::integer from payment p join dispute d on d.payment_id = p.id
        where p.customer_id = c.id and d.status <> all (${FINAL_STATUSES}::text[])) as open_disputes,
      (select count(*)::integer from saved_card s where s.customer_id = c.id and s.removed_at is null) as saved_cards,
      array(select number from caller_number n where n.customer_id = c.id order by number) as caller_numbers,
      (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'email', p.email, 'is_owner', m.owner_id = m.customer_id)
          order by m.customer_id <> m.owner_id, m.joined_at), '[]')
        from family_member me join family_member m on m.owner_id = me.owner_id join customer p on p.id = m.customer_id
        where me.customer_id = c.id) as family,
      block.rule as block_rule, block.blocked_until
    from customer c
    left join lateral (select b.rule, b.blocked_until from call_block b
      where b.customer_id = c.id and b.blocked_until > ${now} order by b.blocked_until desc limit 1) block on true
    where c.id = ${customerId}`.execute(tx);
  const [facts] = rows;
  if (facts === undefined) throw new Error("The customer does not exist.");
  return facts;
}
