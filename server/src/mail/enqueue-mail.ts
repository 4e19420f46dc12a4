import { DAY_MS } from "@farline/domain/durations.ts";
import type { Language } from "@farline/contract/languages.ts";
import { uuidv7 } from "uuidv7";
import type { Tx } from "../platform/database/database.ts";
import { insertMail } from "./mail.store.ts";
import type { MailContent } from "./mail-content.ts";

/** Of the addresses that erased accounts get instead of their own. */
const ERASED_DOMAIN = "@erased.invalid";
const KEEP_TRYING_MS = DAY_MS;

/**
 * Mails per mailbox are limited by lane. `asked`: anyone who knows the address can trigger them. `reset`: so can they these, but only
 * for an account's own address, and its owner may need one. `account`: anyone signed in to the
 * account can, even before the address is verified. `money`: each is backed by a payment. The lanes are counted separately, so that a
 * stranger's requests cannot block mails to the account's owner.
 */
type Lane = "asked" | "reset" | "account" | "money";

const LANES: Readonly<Record<MailContent["template"], Lane>> = {
  verify_email: "asked",
  reset_password: "reset",
  change_email_new: "asked",
  newsletter_confirm: "asked",
  newsletter_welcome: "asked",
  case_received: "asked",
  change_email_old: "account",
  export_ready: "account",
  security_notice: "account",
  account_notice: "account",
  account_locked: "account",
  account_closing: "account",
  account_erased: "account",
  case_answered: "account",
  receipt: "money",
  payment_failed: "money",
};
/** Per mailbox and 24 hours. */
const MAX_PER_DAY: Readonly<Record<Lane, number>> = { asked: 8, reset: 6, account: 40, money: 200 };

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
 * affair, so no mail server can hold up or undo anything. Mails beyond the daily limit of their lane are dropped.
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
  await insertMail(tx, row, { templates: templatesOf(lane), most: MAX_PER_DAY[lane] });
}

function templatesOf(lane: Lane): string[] {
  return Object.entries(LANES).flatMap(([template, its]) => (its === lane ? [template] : []));
}
