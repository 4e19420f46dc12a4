import type { Language } from "@farline/contract/languages.ts";
import { uuidv7 } from "uuidv7";
import type { Tx } from "../platform/database/database.ts";
import { insertMail } from "./mail.store.ts";
import type { MailContent } from "./mail-content.ts";

/** Of the addresses that erased accounts get instead of their own. */
const ERASED_DOMAIN = "@erased.invalid";
const KEEP_TRYING_MS = 24 * 60 * 60 * 1000;

/** A mail to be written: its content, to whom, in which language, and a key that makes it one of its kind. */
export type OutgoingMail = MailContent & {
  readonly to: string;
  readonly language: Language;
  /** Two mails with one key are one mail. */
  readonly key: string;
  readonly at: Date;
  /** When its link expires; the mail is not sent later. At most a day ahead. */
  readonly usefulUntil?: Date;
};

/**
 * Writes a mail into the outbox, in the transaction of what it tells about: both happen or neither. Sending it is a job's
 * affair, so no mail server can hold up or undo anything.
 */
export async function enqueueMail(tx: Tx, mail: OutgoingMail): Promise<void> {
  if (mail.to.endsWith(ERASED_DOMAIN)) return;
  const latest = new Date(mail.at.getTime() + KEEP_TRYING_MS);
  await insertMail(tx, {
    id: uuidv7(),
    key: mail.key,
    recipient: mail.to,
    template: mail.template,
    language: mail.language,
    data: JSON.stringify(mail.data),
    next_at: mail.at,
    useful_until: mail.usefulUntil !== undefined && mail.usefulUntil < latest ? mail.usefulUntil : latest,
    created_at: mail.at,
  });
}
