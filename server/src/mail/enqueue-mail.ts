import { DAY_MS } from "@farline/domain/durations.ts";
import type { Language } from "@farline/contract/languages.ts";
import { uuidv7 } from "uuidv7";
import type { Tx } from "../platform/database/database.ts";
import { insertMail } from "./mail.store.ts";
import type { MailContent } from "./mail-content.ts";

/** Domain of the addresses that erased accounts get. */
const ERASED_DOMAIN = "@erased.invalid";
const KEEP_TRYING_MS = DAY_MS;

/**
 * Mails per mailbox are limited by lane. `requested`: anyone who knows the address can trigger them. `reset`: likewise, but only
 * for an account's address, and its owner may need one. `account`: triggered while signed in, even before the address is
 * verified. `reminder`: made in any number while signed in. `money`: each is backed by a payment. Lanes are counted separately, so
 * that neither a stranger's requests nor a stolen session's reminders can block mails to the account's owner.
 */
type Lane = "requested" | "reset" | "account" | "reminder" | "money";

const LANES: Readonly<Record<MailContent["template"], Lane>> = {
  verify_email: "requested",
  reset_password: "reset",
  change_email_new: "requested",
  family_invitation: "requested",
  newsletter_confirm: "requested",
  newsletter_welcome: "requested",
  case_received: "requested",
  change_email_old: "account",
  export_ready: "account",
  security_notice: "account",
  account_notice: "account",
  account_locked: "account",
  account_closing: "account",
  account_erased: "account",
  case_answered: "account",
  reminder: "reminder",
  receipt: "money",
  payment_failed: "money",
  credit_received: "money",
};
/** Per mailbox and 24 hours. */
const MAX_PER_DAY: Readonly<Record<Lane, number>> = { requested: 8, reset: 6, account: 40, reminder: 20, money: 200 };

/** A mail to send: content, recipient, language and a unique key. */
export type OutgoingMail = MailContent & {
  readonly to: string;
  readonly language: Language;
  /** A second mail with the same key is dropped. */
  readonly key: string;
  readonly at: Date;
  /** When its link expires: the mail is not sent after that. At most a day ahead. */
  readonly usefulUntil?: Date;
};

/**
 * Puts a mail into the outbox, in the transaction of the event that it reports: both happen or neither. A job sends it, so
 * a mail server can never delay or fail the transaction. Mails beyond the daily limit of their lane are dropped.
 */
export async function enqueueMail(tx: Tx, mail: OutgoingMail): Promise<void> {
  if (mail.to.endsWith(ERASED_DOMAIN)) return;
  const lane = LANES[mail.template];
  const latest = new Date(mail.at.getTime() + KEEP_TRYING_MS);
  const row = {
    id: uuidv7(),
    key: mail.key,
    recipient: mail.to,
    template: mail.template,
    language: mail.language,
    data: JSON.stringify(mail.data),
    next_at: mail.at,
    useful_until: mail.usefulUntil !== undefined && mail.usefulUntil < latest ? mail.usefulUntil : latest,
    created_at: mail.at,
  };
  await insertMail(tx, row, { templates: templatesOf(lane), limit: MAX_PER_DAY[lane] });
}

function templatesOf(lane: Lane): string[] {
  return Object.entries(LANES).flatMap(([template, its]) => (its === lane ? [template] : []));
}
