import { randomUUID } from "node:crypto";
import { insertSecurityEvent, type Customer, type requestOrigin } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import type { Tx } from "../../platform/database/database.ts";

/** Mails the owner and logs in the activity that calls now show another number, because people call that number back. */
export async function mailNumberChange(
  tx: Tx,
  customer: Customer,
  proven: { number: string; from: ReturnType<typeof requestOrigin>; at: Date },
): Promise<void> {
  const { number, from, at } = proven;
  await insertSecurityEvent(tx, { customerId: customer.id, kind: "caller_number_added", detail: number, from, at });
  await enqueueMail(tx, {
    template: "security_notice",
    data: { name: customer.name, event: "caller_number_added", at: at.toISOString(), device: from.device },
    to: customer.email,
    language: customer.language,
    key: `notice caller_number_added ${customer.id} ${randomUUID()}`,
    at,
  });
}
