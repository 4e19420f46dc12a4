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
 * Books the outcome of an automatic charge: success resets the failure counter; failure sends a mail, and too many in a row stop
 * automatic top-up. A bank that requires authentication stops it immediately, because every off-session charge would fail the same
 * way. (A success is mailed as its receipt.) Call it once, in the transaction that settles the payment.
 */
export async function bookAutoOutcome(tx: Tx, ctx: Context, payment: Payment): Promise<void> {
  if (payment.status === "paid") return clearFailures(tx, payment.customer_id);
  if (payment.status !== "failed") return;
  const now = ctx.clock.now();
  const failures = await countFailure(tx, payment.customer_id, now);
  const needsAuthentication = payment.failure_code === AUTHENTICATION;
  const stops = failures !== undefined && (needsAuthentication || failures >= FAILURES_TO_STOP);
  if (stops) await stopAutoTopUp(tx, payment.customer_id, needsAuthentication ? AUTHENTICATION : "declined");
  ctx.log.info({ payment_id: payment.id, code: payment.failure_code, stops }, "automatic top-up failed");
  const customer = await findCustomer(tx, payment.customer_id);
  if (customer === undefined) throw new Error(`Payment ${payment.id} has no customer.`);
  await enqueueMail(tx, {
    template: "payment_failed",
    data: {
      name: customer.name,
      event: needsAuthentication ? AUTHENTICATION : stops ? "stopped" : "declined",
      amount: formatDollars(payment.charge_micros),
    },
    to: customer.email,
    language: customer.language,
    key: `payment_failed ${payment.id}`,
    at: now,
  });
}
