import type { QueueItem, QueueKind, QueueOrder } from "@farline/contract/operator/queue.ts";
import { sql, type RawBuilder } from "kysely";
import { LONGEST_REFUND_MS, PENDING_REASONS, RESTING_STATUSES, SLOW_REFUND_MS } from "../billing/billing.ts";
import type { Tx } from "../platform/database/database.ts";

/** As literals, so that the partial index serves. */
const RESTING = sql.join(RESTING_STATUSES.map((status) => sql.lit(status)));

/** The position of a row in an order: its time or amount as the order compares it, and its kind and id. */
export interface QueuePosition {
  readonly rank: string;
  readonly key: string;
}

export interface QueueRow extends QueuePosition {
  readonly kind: QueueKind;
  readonly id: string;
  readonly since: Date;
  readonly due: Date;
  readonly amount_micros: bigint | null;
  readonly customer_id: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly language: string | null;
  readonly code: string | null;
  readonly state: string | null;
  readonly text: string;
  readonly facts: QueueItem["facts"];
  /** The payment at the provider, of a refund that waits. */
  readonly payment_at_provider: string | null;
}

export interface QueueCountRow {
  readonly kind: QueueKind;
  readonly waiting: number;
  readonly oldest: Date | null;
  readonly due: Date | null;
  /** At stake. */
  readonly amount_micros: bigint;
}

/** What an operator may see of the queue. */
export interface QueueView {
  readonly kinds: readonly QueueKind[];
  /** Proposals of these actions, and all of this operator's own, which they may withdraw. */
  readonly actions: readonly string[];
  readonly operatorId: string | null;
  readonly now: Date;
}

/** When each kind is due, if nobody outside says. */
interface DueTimes {
  readonly questionMs: number;
  readonly refundRequestMs: number;
  readonly reviewMs: number;
}

/**
 * A page of what waits. The sources are partial indexes of what is open, so its cost depends on the backlog alone; titles, texts and
 * details are read for the rows of the page.
 */
export async function readQueueRows(
  tx: Tx,
  view: QueueView & { readonly times: DueTimes },
  page: { readonly order: QueueOrder; readonly after: QueuePosition | null; readonly id: string | null; readonly limit: number },
): Promise<QueueRow[]> {
  const { order, after, id, limit } = page;
  // Ascending in both orders: the amount is negated.
  const rank = order === "due" ? sql`(extract(epoch from due) * 1000000)::bigint` : sql`(-coalesce(amount_micros, 0))`;
  const beyond = after === null ? sql`true` : sql`(rank, key) > (${after.rank}::bigint, ${after.key})`;
  const only = id === null ? sql`` : sql`and id = ${id}`;
  const { rows } = await sql<QueueRow>`
    select page.*, page.rank::text as rank, customer.email, customer.name, customer.language, shown.code, shown.state,
      shown.text, jsonb_strip_nulls(shown.facts) as facts, shown.payment_at_provider
    from (
      select * from (select *, ${rank} as rank, (kind || ':' || id) collate "C" as key from ${sourcesOf(view)}) waiting
      where ${beyond} ${only} order by rank, key limit ${limit}
    ) page
    left join customer on customer.id = page.customer_id
    left join lateral (${sql.join(
      view.kinds.map((kind) => DETAILS[kind]),
      sql` union all `,
    )}) shown on true
    order by page.rank, page.key`.execute(tx);
  return rows;
}

/** How many of each kind wait, for how long, and when the first is due. */
export async function countQueueRows(tx: Tx, view: QueueView & { readonly times: DueTimes }): Promise<QueueCountRow[]> {
  const { rows } = await sql<QueueCountRow>`
    select kind, count(*)::int as waiting, min(since) as oldest, min(due) as due,
      coalesce(sum(amount_micros), 0)::bigint as amount_micros
    from ${sourcesOf(view)} group by kind`.execute(tx);
  return view.kinds.map(
    (kind) => rows.find((row) => row.kind === kind) ?? { kind, waiting: 0, oldest: null, due: null, amount_micros: 0n },
  );
}

function sourcesOf(view: QueueView & { readonly times: DueTimes }): RawBuilder<unknown> {
  const { times } = view;
  const sources: Readonly<Record<QueueKind, () => RawBuilder<unknown>>> = {
    question: () => questions(times.questionMs),
    refund_request: () => refundRequests(times.refundRequestMs),
    approval: () => approvals(view),
    review: () => reviews(times.reviewMs),
    dispute: disputes,
    slow_refund: () => slowRefunds(view.now),
  };
  const rows = view.kinds.map((kind) => sources[kind]());
  return sql`(${sql.join(rows, sql` union all `)}) rows (kind, id, since, due, amount_micros, customer_id)`;
}

function after(column: string, ms: number): RawBuilder<unknown> {
  return sql`${sql.ref(column)} + ${ms}::bigint * interval '1 millisecond'`;
}

function questions(dueMs: number): RawBuilder<unknown> {
  return sql`select 'question', q.number::text, q.created_at, ${after("q.created_at", dueMs)},
      coalesce(c.charge_micros, p.charge_micros), q.customer_id
    from support_case q left join call c on c.id = q.call_id left join payment p on p.id = q.payment_id
    where q.state = 'open'`;
}

function refundRequests(dueMs: number): RawBuilder<unknown> {
  return sql`select 'refund_request', r.call_id::text, r.created_at, ${after("r.created_at", dueMs)}, c.charge_micros, r.customer_id
    from call_refund_request r join call c on c.id = r.call_id where r.state = 'open'`;
}

function approvals({ actions, operatorId, now }: QueueView): RawBuilder<unknown> {
  return sql`select 'approval', a.id::text, a.proposed_at, a.expires_at, a.amount_micros, a.customer_id from approval a
    where a.state = 'open' and a.expires_at > ${now} and (a.action = any(${actions}) or a.proposed_by = ${operatorId}::uuid)`;
}

function reviews(dueMs: number): RawBuilder<unknown> {
  return sql`select 'review', f.customer_id::text, f.opened_at, ${after("f.opened_at", dueMs)}, a.balance_micros, f.customer_id
    from freeze_review f join account a on a.customer_id = f.customer_id`;
}

function disputes(): RawBuilder<unknown> {
  return sql`select 'dispute', d.id, d.created_at, d.due_at, d.amount_micros, p.customer_id
    from dispute d join payment p on p.id = d.payment_id
    where d.status not in (${RESTING}) and d.handled is null`;
}

/**
 * Those on their way for long; and the last one that a guest's card refused, while a part of the payment is still the guest's, because a guest
 * has no account that could say so.
 */
function slowRefunds(now: Date): RawBuilder<unknown> {
  const row = sql`'slow_refund', r.id::text, r.created_at, ${after("r.created_at", LONGEST_REFUND_MS)}`;
  return sql`select ${row}, r.amount_micros, r.customer_id from refund r
    where r.next_try_at is not null and r.status in ('ordered', 'pending') and ${after("r.created_at", SLOW_REFUND_MS)} < ${now}
    union all select ${row}, l.returnable_micros - l.given_micros, r.customer_id
    from refund r join customer guest on guest.id = r.customer_id and guest.is_guest
      join account a on a.customer_id = guest.id join payment p on p.id = r.payment_id and p.return_failed
      cross join lateral payment_left(array[p.id]) l
    where r.status = 'failed' and a.balance_micros > 0 and l.returnable_micros > l.given_micros and not exists (
      select from refund later where later.payment_id = r.payment_id and later.id > r.id and later.status = 'failed')`;
}

/** What an operator does about a refund that waits. */
const REFUND_INSTRUCTION = sql`case when r.status = 'failed'
    then 'The card refused it, and the payer is a guest without an account. Ask them for another way, pay it there, and record it as a refund paid outside.'
    when r.status = 'ordered'
    then 'It has not reached the payment provider. The service tries for three days, and then returns the credit.'
    ${sql.join(
      Object.entries(PENDING_REASONS).map(
        ([reason, { instruction }]) => sql`when r.pending_reason = ${sql.lit(reason)} then ${sql.lit(instruction)}`,
      ),
      sql` `,
    )}
    else 'Look it up at the payment provider.' end`;

/** The page's id if it is of this kind. Ids of other kinds have another form, which could not be converted. */
const idOf = (kind: QueueKind, type: "uuid" | "bigint" | "text") =>
  sql`case when page.kind = ${sql.lit(kind)} then page.id::${sql.raw(type)} end`;

/** A call, as the facts name it. */
const CALL_FACTS = sql`jsonb_build_object('call', c.id, 'number', c.destination, 'country', c.country_code, 'number_type', c.number_type,
  'billed_seconds', c.billed_seconds, 'duration_ms', c.duration_ms, 'end_reason', c.end_reason)`;

/** A payment, as the facts name it. */
const PAYMENT_FACTS = sql`jsonb_build_object('payment', p.id, 'method', p.card_brand || coalesce(' ' || p.card_last4, ''))`;

const dollars = (micros: string) => sql`round(${sql.raw(micros)} / 1000000.0, 6)::text`;

/** What a row of the page shows. */
const DETAILS: Readonly<Record<QueueKind, RawBuilder<unknown>>> = {
  question: sql`select q.topic as code, null as state, q.message as text, null as payment_at_provider,
      jsonb_build_object('payment', q.payment_id) || case when c.id is null then '{}' else ${CALL_FACTS} end as facts
    from support_case q left join call c on c.id = q.call_id where q.number = ${idOf("question", "bigint")}`,
  refund_request: sql`select r.reason as code, null as state, r.note as text, null as payment_at_provider,
      ${CALL_FACTS} || jsonb_build_object('packets_from_caller', r.evidence -> 'packetsFromCaller',
        'packets_from_called', r.evidence -> 'packetsFromCalled', 'mos', r.evidence -> 'heard' -> 'meanMos',
        'tier', r.evidence -> 'tier', 'refunds_before', r.evidence -> 'byRule' -> 'toCustomer') as facts
    from call_refund_request r join call c on c.id = r.call_id where r.call_id = ${idOf("refund_request", "uuid")}`,
  approval: sql`select a.action as code, null as state, a.reason as text, null as payment_at_provider, '{}'::jsonb as facts
    from approval a where a.id = ${idOf("approval", "uuid")}`,
  review: sql`select null as code, null as state, f.reason as text, null as payment_at_provider,
      jsonb_build_object('debt', ${dollars("nullif(a.debt_micros, 0)")}, 'held', ${dollars("nullif(a.held_micros, 0)")}) as facts
    from freeze_review f join account a on a.customer_id = f.customer_id where f.customer_id = ${idOf("review", "uuid")}`,
  dispute: sql`select d.reason as code, d.status as state, '' as text, null as payment_at_provider,
      ${PAYMENT_FACTS} || jsonb_build_object('authenticated', p.authenticated,
        'paid_at', to_char(p.settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) as facts
    from dispute d join payment p on p.id = d.payment_id where d.id = ${idOf("dispute", "text")}`,
  slow_refund: sql`select r.pending_reason as code, r.origin as state, ${REFUND_INSTRUCTION} as text,
      p.payment_intent_id as payment_at_provider, ${PAYMENT_FACTS} as facts
    from refund r join payment p on p.id = r.payment_id where r.id = ${idOf("slow_refund", "uuid")}`,
};

/** Another operator, who has a case open. */
export interface CaseHolderRow {
  readonly subject: string;
  readonly name: string;
  readonly since: Date;
}

interface OpenedCase {
  readonly operatorId: string;
  readonly subject: string;
  readonly now: Date;
  /** What was last seen open before counts no more. */
  readonly liveSince: Date;
}

/** Notes the one case that an operator has open. Since when it is stays while they have it open. */
export async function openCase(db: Tx, { operatorId, subject, now, liveSince }: OpenedCase): Promise<void> {
  await sql`
    insert into open_case (operator_id, subject, since, seen_at) values (${operatorId}, ${subject}, ${now}, ${now})
    on conflict (operator_id) do update set subject = excluded.subject, seen_at = excluded.seen_at,
      since = case when open_case.subject = excluded.subject and open_case.seen_at > ${liveSince} then open_case.since else excluded.since end`.execute(
    db,
  );
}

/** The others who had it open before have it no more: who opens it again comes after. */
export async function takeOverCase(db: Tx, { operatorId, subject }: OpenedCase): Promise<void> {
  await db.deleteFrom("open_case").where("subject", "=", subject).where("operator_id", "<>", operatorId).execute();
}

/** For each of the cases who opened it first, if that is another operator. One row for each operator, so they are few. */
export async function caseHolders(
  db: Tx,
  { operatorId, subjects, liveSince }: { operatorId: string; subjects: readonly string[]; liveSince: Date },
): Promise<CaseHolderRow[]> {
  const { rows } = await sql<CaseHolderRow & { operator_id: string }>`
    select distinct on (opened.subject) opened.subject, opened.operator_id, opened.since, operator.name
    from open_case opened join operator on operator.id = opened.operator_id and operator.removed_at is null
    where opened.subject = any (${subjects}::text[]) and opened.seen_at > ${liveSince}
    order by opened.subject, opened.since, opened.operator_id`.execute(db);
  return rows.filter((row) => row.operator_id !== operatorId);
}
