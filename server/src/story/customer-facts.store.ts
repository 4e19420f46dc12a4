import { sql } from "kysely";
import { FINAL_STATUSES } from "../billing/billing.ts";
import type { Tx } from "../platform/database/database.ts";

/** What is counted about a customer for operators. Contacts are only counted: whom somebody knows is private. */
export interface CustomerFacts {
  readonly sessions: number;
  readonly contacts: number;
  readonly live_calls: number;
  readonly open_cases: number;
  readonly open_disputes: number;
  readonly saved_cards: number;
  readonly caller_numbers: string[];
  readonly block_rule: string | null;
  readonly blocked_until: Date | null;
  /** The customer's family, its owner first. */
  readonly family: { readonly id: string; readonly email: string; readonly is_owner: boolean }[];
}

export async function readCustomerFacts(tx: Tx, customerId: string, now: Date): Promise<CustomerFacts> {
  const { rows } = await sql<CustomerFacts>`
    select
      (select count(*)::integer from session s where s.customer_id = c.id and s.expires_at > ${now}) as sessions,
      (select count(*)::integer from contact x where x.customer_id = c.id) as contacts,
      (select count(*)::integer from call l where (l.customer_id = c.id or l.payer_id = c.id) and l.next_check_at is not null) as live_calls,
      (select count(*)::integer from support_case s where s.customer_id = c.id and s.state = 'open') as open_cases,
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
