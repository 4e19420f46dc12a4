import { formatDollars } from "@farline/domain/money.ts";
import { findCustomer } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Payment } from "../record/payment.store.ts";

/** Queues the mail about a delayed payment whose money did not arrive. */
export async function mailNotArrived(tx: Tx, payment: Payment, now: Date): Promise<void> {
  const customer = await findCustomer(tx, payment.customer_id);
  if (customer === undefined) throw new Error(`Payment ${payment.id} has no customer.`);
  await enqueueMail(tx, {
    template: "payment_failed",
    data: { name: customer.name, event: "not_arrived", amount: formatDollars(payment.charge_micros) },
    to: customer.email,
    language: customer.language,
    key: `payment_failed ${payment.id}`,
    at: now,
  });
}
