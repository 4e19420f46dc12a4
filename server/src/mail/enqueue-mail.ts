import { DAY_MS } from "@farline/domain/durations.ts";
import type { Language } from "@farline/contract/languages.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../platform/app-error.ts";
import type { Tx } from "../platform/database/database.ts";
import { insertMail, lockMailbox } from "./mail.store.ts";
import type { MailContent } from "./mail-content.ts";

/** Domain of the addresses that erased accounts get. */
const ERASED_DOMAIN = "@erased.invalid";
const KEEP_TRYING_MS = DAY_MS;

/**
 * Who asked for a mail. `owner`: the customer of this confirmed address, in a live session, in a browser that they have used, or through
 * a mailed link. `holder`: likewise, but the address is not confirmed, so it may be somebody else's. `operator`: an operator, for the
 * customer. `stranger`: anybody else, with the account of who asked while signed in.
 */
export type Asker =
  | { readonly by: "owner" | "operator" }
  | { readonly by: "holder"; readonly customerId: string }
  | { readonly by: "stranger"; readonly customerId?: string };

/** A customer who asks for a mail to the address of their own account. */
export function askerOf({ id, emailVerified }: { readonly id: string; readonly emailVerified: boolean }): Asker {
  return emailVerified ? { by: "owner" } : { by: "holder", customerId: id };
}

interface LaneRule {
  /** Mails to one mailbox in 24 hours. */
  readonly most: number;
  /** Of these, those that one account asked for. */
  readonly mostOfOne?: number;
}

/**
 * Mails to one mailbox are counted by who asked and for what, each lane by itself, so that nothing that strangers ask for can block what
 * an owner asks for their own address. `STRANGERS_LANES` together are all that a mailbox gets whose owner did not ask.
 */
const LANES = {
  own_access: { most: 6 },
  own: { most: 16 },
  holder: { most: 5, mostOfOne: 4 },
  change: { most: 3, mostOfOne: 2 },
  invited: { most: 3 },
  reset: { most: 3 },
  /** Notices of what happened in an account, also before its address is confirmed. */
  account: { most: 40 },
  reminder: { most: 20 },
  /** Each is backed by a payment. */
  money: { most: 200 },
} as const satisfies Readonly<Record<string, LaneRule>>;
type MailLane = keyof typeof LANES;

const STRANGERS_LANES: ReadonlySet<MailLane> = new Set(["holder", "change", "invited", "reset"]);
/** Password resets that anybody can ask for; the page says so. */
export const RESETS_PER_DAY = LANES.reset.most;

/** Mails that somebody asks for by an address. The sender names who asked. */
type AskedTemplate =
  | "verify_email"
  | "reset_password"
  | "change_email_new"
  | "family_invitation"
  | "newsletter_confirm"
  | "newsletter_welcome"
  | "case_received";

const ASKED_LANES: Readonly<Record<AskedTemplate, Readonly<Record<Asker["by"], MailLane>>>> = {
  verify_email: { owner: "own_access", operator: "account", holder: "holder", stranger: "reset" },
  reset_password: { owner: "own_access", operator: "account", holder: "holder", stranger: "reset" },
  change_email_new: { owner: "change", operator: "account", holder: "change", stranger: "change" },
  family_invitation: { owner: "invited", operator: "account", holder: "invited", stranger: "invited" },
  newsletter_confirm: { owner: "own", operator: "account", holder: "invited", stranger: "invited" },
  newsletter_welcome: { owner: "own", operator: "account", holder: "invited", stranger: "invited" },
  case_received: { owner: "own", operator: "account", holder: "invited", stranger: "invited" },
};

const NOTICE_LANES: Readonly<Record<Exclude<MailContent["template"], AskedTemplate>, MailLane>> = {
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

interface Envelope {
  readonly to: string;
  readonly language: Language;
  /** A second mail with the same key is dropped. */
  readonly key: string;
  readonly at: Date;
  /** When its link expires: the mail is not sent after that. At most a day ahead. */
  readonly usefulUntil?: Date;
}

/** A mail to send: content, recipient, language, a unique key, and who asked if anybody did. */
export type OutgoingMail = Envelope &
  (
    | (Extract<MailContent, { template: AskedTemplate }> & { readonly asker: Asker })
    | Exclude<MailContent, { template: AskedTemplate }>
  );

declare const enqueued: unique symbol;
/** What became of a mail. Only `enqueueMail` makes one, and only with one can an answer say that a mail was sent (`sayMailed`). */
export interface Mailed {
  readonly [enqueued]: true;
  readonly to: string;
  /** False if the mailbox has had its mails of the lane today. */
  readonly going: boolean;
}

/**
 * Puts a mail into the outbox, in the transaction of the event that it reports: both happen or neither. A job sends it, so
 * a mail server can never delay or fail the transaction. Mails beyond the daily limit of their lane are dropped, which the result says.
 */
export async function enqueueMail(tx: Tx, mail: OutgoingMail): Promise<Mailed> {
  if (mail.to.endsWith(ERASED_DOMAIN)) return outcome(mail.to, false);
  const lane = isAsked(mail) ? ASKED_LANES[mail.template][mail.asker.by] : NOTICE_LANES[mail.template];
  const { most, mostOfOne = most }: LaneRule = LANES[lane];
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
    lane,
    asked_by: (isAsked(mail) && "customerId" in mail.asker && mail.asker.customerId) || null,
  };
  if (STRANGERS_LANES.has(lane)) await lockMailbox(tx, mail.to);
  return outcome(mail.to, await insertMail(tx, row, { most, mostOfOne }));
}

/** @throws AppError rate_limited if the mail was dropped: inside the transaction, so that nothing else happens without it */
export function requireMailed(mailed: Mailed): Mailed {
  if (mailed.going) return mailed;
  throw new AppError("rate_limited", {
    reason: "mails_used",
    params: { email: mailed.to },
    retryAfterSeconds: DAY_MS / 1000,
  });
}

function isAsked(mail: OutgoingMail): mail is OutgoingMail & { template: AskedTemplate } {
  return Object.hasOwn(ASKED_LANES, mail.template);
}

function outcome(to: string, going: boolean): Mailed {
  return { to, going } as Mailed;
}
