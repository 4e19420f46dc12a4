import type { TermName } from "@farline/domain/business/customer-terms.ts";
import type { BlockRule } from "@farline/domain/calls/call-refusal.ts";
import type { RiskTier } from "@farline/domain/calls/risk-tier.ts";
import type { ActivityKind } from "../../account-activity.ts";
import type { RefundReason } from "../../call-details.ts";
import type { PartName } from "../../operations.ts";
import type { CaseTopic } from "../../cases/cases.ts";
import type { FreezeReason } from "../../constants.ts";
import type { CustomerStatus } from "../customers.ts";
import type { ColumnMeaning } from "../decks.ts";
import type { OverviewPart, OverviewTrunk } from "../overview.ts";
import type { QueueKind } from "../queue.ts";
import type { OperatorRole } from "../rights.ts";

/** What operators read for each code of a closed list: a code without words does not compile. */
export type WordsOf<Code extends string> = Readonly<Record<Code, string>>;

/**
 * The words for a code. One that an older release or the payment provider may have written, and that no list has, is shown as a sentence
 * rather than raw.
 */
export function wordFor(words: Readonly<Record<string, string>>, code: string): string {
  if (Object.hasOwn(words, code)) return words[code] ?? "";
  const spaced = code.replaceAll(/[_-]+/g, " ").trim();
  return spaced === "" ? "Unknown" : spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The same inside a sentence. */
export function innerWordFor(words: Readonly<Record<string, string>>, code: string): string {
  const word = wordFor(words, code);
  // An abbreviation keeps its capitals.
  return /^[A-Z](?![A-Z])/.test(word) ? word.charAt(0).toLowerCase() + word.slice(1) : word;
}

/** A detail in words; a time is written by the reader's clock. */
export interface DetailWords {
  readonly name: string;
  readonly text: string;
  /** ISO 8601, in place of the text. */
  readonly at: string | null;
}

/** "Spanish". @param code ISO 639-1 */
export function languageName(code: string): string {
  return code === "" ? "an unknown language" : (new Intl.DisplayNames("en", { type: "language" }).of(code) ?? code);
}

export const refundReasonWords: WordsOf<RefundReason> = {
  no_audio: "No sound",
  one_way: "One side heard nothing",
  bad_sound: "Bad sound",
  cut_off: "Cut off",
  wrong_number: "Wrong number",
  other: "Another reason",
};

export const topicWords: WordsOf<CaseTopic> = {
  sound: "Sound of a call",
  charge: "A charge",
  number: "A number",
  payment: "A payment",
  account: "The account",
  other: "Something else",
};

/** Kinds of what waits for an operator. */
export const queueKindWords: WordsOf<QueueKind> = {
  question: "Questions",
  refund_request: "Refund requests",
  approval: "Proposals",
  review: "Frozen accounts",
  dispute: "Disputes",
  slow_refund: "Pending refunds",
};

/** Parts of the overview, as in "Trunks could not be read". */
export const overviewPartWords: WordsOf<OverviewPart> = {
  warnings: "Problems",
  parts: "Component status",
  queue: "The queue",
  live: "The live calls",
  today: "Today's figures",
  trunks: "Trunks",
  ledger: "The ledger's checks",
  decks: "The price lists",
  first_steps: "The first steps",
};

/** What the service relies on, as in "Worked at its last real use: payments". */
export const partWords: WordsOf<PartName> = {
  database: "database",
  rates: "prices",
  intake: "intake",
  voice: "voice provider",
  payments: "payments",
  mails: "mails",
  google: "Google sign-in",
  webhooks: "payment provider's events",
  postings: "postings",
  calls: "calls",
};

export const trunkStateWords: WordsOf<NonNullable<OverviewTrunk["state"]>> = {
  ok: "works",
  down: "does not answer",
  refused: "refuses our account",
  failing: "fails calls",
};

/** Reason shown to the customer when their account is frozen. */
export const freezeWords: WordsOf<FreezeReason> = {
  review: "The account is being reviewed",
  payment: "A payment is being reviewed",
  calls: "Calls are being reviewed",
  owner: "The owner asked for it",
};

export const customerStatusWords: WordsOf<CustomerStatus> = { active: "Active", frozen: "Frozen", closing: "Closing" };

export const tierWords: WordsOf<RiskTier> = {
  unverified: "Unconfirmed",
  new: "New",
  known: "Known",
  trusted: "Trusted",
};

/** A customer's tier and limits. */
export const termWords: WordsOf<TermName> = {
  tier: "Trust",
  "live-calls": "Concurrent calls",
  "calls-per-day": "Calls per day",
  "numbers-per-day": "Numbers per day",
  "countries-per-day": "Countries per day",
  "spend-per-day": "Spending per day",
  "spend-above-class-a": "Spending per day on expensive numbers",
  "spend-above-class-b": "Spending per day on the most expensive numbers",
  "top-up-per-day": "Top-ups per day",
  "top-up-per-week": "Top-ups per week",
};

export const roleWords: WordsOf<OperatorRole> = { support: "Support", finance: "Finance", admin: "Administrator" };

/** Patterns that pause a customer's calls: those of `BLOCK_SECONDS`. */
export const blockWords: WordsOf<BlockRule> = {
  near_numbers: "Numbers one after the other were called",
  short_calls: "Many calls of a few seconds",
};

export const activityWords: WordsOf<ActivityKind> = {
  signed_in: "Signed in",
  sign_in_failed: "Wrong password",
  second_factor_failed: "Wrong code at the second step",
  device_signed_out: "A device was signed out",
  signed_out_everywhere: "Signed out everywhere",
  session_stopped: "A session was stopped: it was used from elsewhere",
  password_changed: "Password changed",
  password_reset: "Password reset by link",
  name_changed: "Name changed",
  email_changed: "Email address changed",
  email_change_ended: "Email address change cancelled",
  two_factor_on: "Second step switched on",
  two_factor_off: "Second step switched off",
  recovery_codes_new: "New recovery codes",
  recovery_code_used: "Used a recovery code",
  passkey_added: "Passkey added",
  passkey_removed: "Passkey removed",
  google_linked: "Google connected",
  google_unlinked: "Google disconnected",
  google_took_unverified: "The owner of the address took over the account with Google",
  google_refused: "Google sign-in refused",
  caller_number_added: "Own number added",
  caller_number_removed: "Own number removed",
  account_frozen: "Account frozen",
  account_unfrozen: "Account opened again",
  erasure_requested: "Erasure requested",
  erasure_called_off: "Erasure cancelled",
};

/** Every mail that customers get. */
export const mailWords = {
  verify_email: "Link to confirm the address",
  reset_password: "Link for a new password",
  change_email_new: "Link to confirm the new address",
  change_email_old: "Notice to the old address",
  export_ready: "Copy of the data is ready",
  security_notice: "Security notice",
  account_notice: "Notice about the account",
  account_locked: "Notice that the account is frozen",
  account_closing: "Notice that the account closes",
  account_erased: "Notice that the account is erased",
  receipt: "Receipt",
  payment_failed: "Notice of a failed payment",
  credit_received: "Notice of credit from somebody else",
  reminder: "Reminder to call",
  case_received: "We have your question",
  case_answered: "Answer to the question",
  family_invitation: "Invitation to a family",
  newsletter_confirm: "Link to confirm the newsletter",
  newsletter_welcome: "Newsletter confirmed",
} as const satisfies Readonly<Record<string, string>>;

export const mailStateWords: WordsOf<"waiting" | "sent" | "given_up" | "refused"> = {
  waiting: "queued",
  sent: "sent",
  given_up: "given up",
  refused: "refused by the mailbox",
};

/** A copy of a customer's data. */
export const exportStateWords: WordsOf<"preparing" | "ready" | "downloaded" | "expired" | "failed"> = {
  preparing: "being prepared",
  ready: "ready",
  downloaded: "downloaded",
  expired: "not fetched in time",
  failed: "failed",
};

export const proposalStateWords: WordsOf<"open" | "confirmed" | "rejected" | "withdrawn"> = {
  open: "waits",
  confirmed: "carried out",
  rejected: "rejected",
  withdrawn: "withdrawn",
};

export const caseStateWords: WordsOf<"open" | "answered" | "closed"> = { open: "open", answered: "answered", closed: "closed" };
export const requestStateWords: WordsOf<"open" | "refunded" | "declined"> = {
  open: "open",
  refunded: "refunded",
  declined: "declined",
};

/** What a column of a price list means. */
export const columnWords: WordsOf<ColumnMeaning> = {
  prefix: "Prefix",
  "calling-code": "Country calling code",
  "area-code": "Area code, or the rest of the prefix",
  description: "Destination name",
  country: "Country",
  iso: "Two-letter country code",
  type: "Number type, such as mobile",
  price: "Price per minute",
  "first-price": "Price of the first minute",
  "next-price": "Price of each further minute",
  "price-per-call": "Price per call, regardless of length",
  increments: "First and further blocks of seconds",
  "first-interval": "First block of seconds",
  "next-interval": "Further blocks of seconds",
  effective: "Date from which the row is valid",
  currency: "Currency",
  unit: "Unit of the price",
  origins: "Caller numbers the price applies to",
  forbidden: "Whether the prefix is blocked",
  active: "Whether the prefix is open",
  change: "Whether the price rises or falls",
  status: "Prefix status",
  "exact-match": "Whether it is one exact number",
  direction: "Incoming or outgoing calls",
  ignore: "Ignore this column",
};
