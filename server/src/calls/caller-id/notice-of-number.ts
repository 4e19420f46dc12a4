import { randomUUID } from "node:crypto";
import type { Customer } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import type { Tx } from "../../platform/database/database.ts";

/** Tells the owner of an account that its calls show another number: whoever calls back reaches that one. */
export async function noticeOfNumber(tx: Tx, customer: Customer, at: Date): Promise<void> {
  await enqueueMail(tx, {
    template: "security_notice",
    data: { name: customer.name, event: "caller_number_added", at: at.toISOString(), device: null },
    to: customer.email,
    language: customer.language,
    key: `notice caller_number_added ${customer.id} ${randomUUID()}`,
    at,
  });
}
