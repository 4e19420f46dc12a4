import { sql } from "kysely";
import type { Tx } from "../platform/database/database.ts";

interface DisputedPayment {
  readonly dispute_id: string;
  readonly payment_id: string;
  readonly customer_id: string;
  readonly name: string;
  readonly email: string;
}

/** A fact for the bank, in time order. */
export interface EvidenceRow {
  readonly at: Date;
  readonly what: string;
  readonly detail: string;
  /** Of a receipt, a refund, a sign-in or a call; how it was paid, of the payment. */
  readonly code: string | null;
  readonly number: string | null;
  readonly seconds: number | null;
  readonly amount_micros: bigint | null;
}

export async function findDisputedPayment(tx: Tx, disputeId: string): Promise<DisputedPayment | undefined> {
  return tx
    .selectFrom("dispute as d")
    .innerJoin("payment as p", "p.id", "d.payment_id")
    .innerJoin("customer as c", "c.id", "p.customer_id")
    .select(["d.id as dispute_id", "p.id as payment_id", "p.customer_id", "c.name", "c.email"])
    .where("d.id", "=", disputeId)
    .executeTakeFirst();
}

/** The account, the payment with its receipt and refunds, sign-ins from `signInsSince` on, and the calls made with its credit. */
export async function readEvidence(
  tx: Tx,
  { payment_id: paymentId, customer_id: customerId }: DisputedPayment,
  { signInsSince, most }: { signInsSince: Date; most: number },
): Promise<EvidenceRow[]> {
  const { rows } = await sql<EvidenceRow>`
    select * from (
      select created_at as at, 'account opened' as what, 'terms accepted at sign-up; address ' ||
          case when email_verified then 'confirmed' else 'not confirmed' end as detail, null::text as code,
          null::text as number, null::int as seconds, null::bigint as amount_micros
        from customer where id = ${customerId}
      union all select coalesce(settled_at, created_at), 'payment', concat_ws(', ', payment_intent_id,
          case when authenticated then 'confirmed by the cardholder''s bank (3-D Secure)' end),
          card_brand || coalesce(' ' || card_last4, ''), null, null, charge_micros
        from payment where id = ${paymentId}
      union all select issued_at, 'receipt', number, kind, null, null, amount_micros from receipt where payment_id = ${paymentId}
      union all select created_at, 'refund', '', status, null, null, amount_micros from refund where payment_id = ${paymentId}
      union all (select happened_at, 'account', concat_ws(', ', device, network), kind, null, null, null
        from security_event where customer_id = ${customerId} and happened_at > ${signInsSince}
        order by happened_at desc limit ${most})
      union all (${callsPaidBy(paymentId, customerId)} order by 1 limit ${most})
    ) evidence order by at, what`.execute(tx);
  return rows;
}

/** The calls made with a payment's credit and bonus: credit is spent in the order in which it was added. */
function callsPaidBy(paymentId: string, customerId: string) {
  return sql`
    with top_up as (
      select e.sequence, e.balance_after_micros - e.amount_micros as before_micros, p.charge_micros + p.bonus_micros as paid_micros
      from ledger_entry e join ledger_transaction t on t.id = e.transaction_id join payment p on p.id = t.reference_id
      where e.customer_id = ${customerId} and e.kind = 'top_up' and p.id = ${paymentId}
    ), spent as (
      select t.created_at, t.reference_id, t.description, -e.amount_micros as micros, top_up.*,
        sum(-e.amount_micros) over (order by e.sequence) as until_micros
      from top_up join ledger_entry e on e.customer_id = ${customerId} and e.sequence > top_up.sequence and e.kind = 'call'
        join ledger_transaction t on t.id = e.transaction_id
    )
    select coalesce(c.answered_at, spent.created_at), 'call', case when c.id is null then spent.description else '' end,
      c.country_code || ' ' || c.number_type, c.destination, ceil(c.duration_ms / 1000.0)::int, spent.micros
    from spent left join call c on c.id = spent.reference_id
    where until_micros > before_micros and until_micros - micros < before_micros + paid_micros`;
}
