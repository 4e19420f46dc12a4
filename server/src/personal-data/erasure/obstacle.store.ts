import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** An account's unfinished business. */
export interface OpenBusiness {
  readonly frozen: boolean;
  readonly liveCall: boolean;
  readonly pendingPayment: boolean;
  readonly openRefund: boolean;
  readonly openRequest: boolean;
  /** The states of its disputes, in the provider's terms. */
  readonly disputes: readonly string[];
}

export async function readOpenBusiness(tx: Tx, customerId: string, now: Date): Promise<OpenBusiness> {
  const { rows } = await sql<OpenBusiness>`
    select
      (select status = 'frozen' from customer where id = ${customerId}) as frozen,
      exists (select from call where ${customerId} in (customer_id, payer_id) and next_check_at is not null) as "liveCall",
      exists (select from payment where customer_id = ${customerId} and status in ('created', 'open', 'pending', 'review'))
        as "pendingPayment",
      exists (select from refund where customer_id = ${customerId} and status in ('ordered', 'pending')) as "openRefund",
      exists (select from call_refund_request r join call c on c.id = r.call_id
          where r.state = 'open' and ${customerId} in (c.customer_id, c.payer_id))
        or exists (select from approval where customer_id = ${customerId} and state = 'open' and expires_at > ${now}) as "openRequest",
      array(select distinct dispute.status from dispute join payment on payment.id = dispute.payment_id
        where payment.customer_id = ${customerId}) as disputes`.execute(tx);
  const [business] = rows;
  if (business === undefined) throw new Error("The query for open business returned no row.");
  return business;
}
