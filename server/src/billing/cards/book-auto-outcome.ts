import { formatDollars } from "@farline/domain/money.ts";
import { findCustomer } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Payment } from "../record/payment.store.ts";
import { FAILURES_TO_STOP } from "./auto-top-up-rules.ts";
import { clearFailures, countFailure, stopAutoTopUp } from "./auto-top-up.store.ts";
import type { Context } from "../../context.ts";

const AUTHENTICATION = "authentication_required";

/**
 * Consequences of a finished automatic charge: the failure counter is reset, or the customer gets a
 * mail, and after too many failures the automatic top-up stops. A bank that asks for authentication stops it at once, since
 * every unattended charge would fail the same way. The mail about a success is its receipt. Call it once, in
 * the transaction that settles the payment.
 */
export async function bookAutoOutcome(tx: Tx, ctx: Context, payment: Payment): Promise<void> {
  if (payment.status === "paid") return clearFailures(tx, payment.customer_id);
  if (payment.status !== "failed") return;
  const now = ctx.clock.now();
  const failures = await countFailure(tx, payment.customer_id, now);
  const asks = payment.failure_code === AUTHENTICATION;
  const stops = failures !== undefined && (asks || failures >= FAILURES_TO_STOP);
  if (stops) await stopAutoTopUp(tx, payment.customer_id, asks ? AUTHENTICATION : "declined");
  ctx.log.info({ payment_id: payment.id, code: payment.failure_code, stops }, "automatic top-up failed");
  const customer = await findCustomer(tx, payment.customer_id);
  if (customer === undefined) throw new Error(`Payment ${payment.id} has no customer.`);
  await enqueueMail(tx, {
    template: "payment_failed",
    data: {
      name: customer.name,
      event: asks ? AUTHENTICATION : stops ? "stopped" : "declined",
      amount: formatDollars(payment.charge_micros),
    },
    to: customer.email,
    language: customer.language,
    key: `payment_failed ${payment.id}`,
    at: now,
  });
}
