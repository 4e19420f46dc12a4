import { freezeReasons } from "@farline/contract/constants.ts";
import { caseTopic } from "@farline/contract/cases/cases.ts";
import { receiptKind } from "@farline/contract/billing-documents.ts";
import { z } from "zod";
import type { SecretKeys } from "../platform/settings/secret-keys.ts";

/** Events of a security notice: changes to who can sign in to an account. */
export const noticeEvents = [
  "password_changed",
  "password_reset",
  "address_proved",
  "email_changed",
  "session_stopped",
  "google_linked",
  "google_unlinked",
  "two_factor_on",
  "two_factor_off",
  "recovery_codes_new",
  "recovery_code_used",
  "passkey_added",
  "passkey_removed",
  "limits_loosened",
  "caller_number_added",
  "family_joined",
] as const;
export type NoticeEvent = (typeof noticeEvents)[number];

/** Access removed from an account because an intruder could have set it up, as named in the owner's mail. */
const removedAccess = [
  "email_change",
  "passkeys",
  "google",
  "authenticator",
  "auto_top_up",
  "saved_cards",
  "live_calls",
  "caller_number",
  "family",
] as const;
export type RemovedAccess = (typeof removedAccess)[number];

/** What an operator or a rule did to an account. */
export const accountEvents = ["account_unfrozen", "caller_number_removed"] as const;

/** How an automatic top-up failed: once, so often that it stopped, or because the bank requires confirmation. */
export const paymentFailures = ["declined", "stopped", "authentication_required", "not_arrived", "refund_failed"] as const;

const name = z.string();
/** Id of the link's record. The token is derived when the mail is sent. */
const linkId = z.uuid();

/** All mails with the data of their templates. */
export const mailContent = z.discriminatedUnion("template", [
  z.object({ template: z.literal("verify_email"), data: z.object({ name, linkId }) }),
  z.object({ template: z.literal("reset_password"), data: z.object({ name, linkId }) }),
  /** To the new address. */
  z.object({ template: z.literal("change_email_new"), data: z.object({ name, newEmail: z.string(), linkId }) }),
  /** To the current address. */
  z.object({ template: z.literal("change_email_old"), data: z.object({ name, newEmail: z.string(), linkId }) }),
  /** A copy of the customer's data can be downloaded. */
  z.object({ template: z.literal("export_ready"), data: z.object({ name, linkId }) }),
  z.object({
    template: z.literal("security_notice"),
    data: z.object({
      name,
      event: z.enum(noticeEvents),
      at: z.iso.datetime(),
      /** For example "Chrome on Windows". */
      device: z.string().nullable(),
      removed: z.array(z.enum(removedAccess)).optional(),
      /** Sign-in still requires an authenticator code. */
      codeStays: z.boolean().optional(),
    }),
  }),
  z.object({ template: z.literal("account_notice"), data: z.object({ name, event: z.enum(accountEvents) }) }),
  z.object({ template: z.literal("account_locked"), data: z.object({ name, because: z.enum(freezeReasons) }) }),
  /** The account will be erased at this time unless its owner cancels. */
  z.object({ template: z.literal("account_closing"), data: z.object({ name, at: z.iso.datetime() }) }),
  z.object({ template: z.literal("account_erased"), data: z.object({ name }) }),
  /** The content of a receipt. Amounts are decimal dollars. */
  z.object({
    template: z.literal("receipt"),
    data: z.object({
      name,
      receiptId: z.uuid(),
      kind: receiptKind,
      number: z.string(),
      amount: z.string(),
      bonus: z.string().nullable(),
      /** Paid and bonus credit together; null for refunds. */
      credited: z.string().nullable(),
      tax: z.object({ percent: z.string(), amount: z.string() }).nullable(),
      card: z.string().nullable(),
      at: z.iso.datetime(),
      /** Lines: name, address, tax number. */
      seller: z.array(z.string()),
      taxNote: z.string().nullable(),
      sample: z.boolean(),
      /** The buyer has no account, so no page with the receipt. */
      guest: z.literal(true).optional(),
      /** The credit was bought for somebody else. */
      forOther: z.literal(true).optional(),
    }),
  }),
  z.object({
    template: z.literal("payment_failed"),
    data: z.object({ name, event: z.enum(paymentFailures), amount: z.string() }),
  }),
  /** `from`: the payer's first name. `greeting` has no links (`readPassedOn`); its recipient asked the payer for credit. */
  z.object({
    template: z.literal("credit_received"),
    data: z.object({ name, from: z.string(), amount: z.string(), greeting: z.string() }),
  }),
  /** `contact` is the customer's own name for the person; `time` is on the clock of `timeZone`. */
  z.object({
    template: z.literal("reminder"),
    data: z.object({ name, contact: z.string(), time: z.string(), countryCode: z.string(), timeZone: z.string(), linkId }),
  }),
  /** Never includes the message: anyone may sign up with a stranger's address. `number`: the case's number. */
  z.object({ template: z.literal("case_received"), data: z.object({ name, number: z.string(), topic: caseTopic }) }),
  z.object({ template: z.literal("case_answered"), data: z.object({ name, number: z.string(), answer: z.string() }) }),
  /** An invitation to call on the owner's credit. `owner`: the owner's name. */
  z.object({ template: z.literal("family_invitation"), data: z.object({ owner: z.string(), linkId }) }),
  z.object({ template: z.literal("newsletter_confirm"), data: z.object({ linkId }) }),
  z.object({ template: z.literal("newsletter_welcome"), data: z.object({ linkId }) }),
]);
export type MailContent = z.infer<typeof mailContent>;

/** What a link's token may be used for (see `linkToken`). */
export const linkUses = {
  verifyEmail: "verify_email",
  resetPassword: "reset_password",
  changeEmailNew: "change_email_new",
  changeEmailOld: "change_email_old",
  exportReady: "export_ready",
  family: "family_invitation",
  newsletterConfirm: "newsletter_confirm",
  newsletterUnsubscribe: "newsletter_unsubscribe",
  creditRequest: "credit_request",
  reminderStop: "reminder_stop",
} as const;
export type LinkUse = (typeof linkUses)[keyof typeof linkUses];

/** Installation settings that mails need. */
export interface MailHome {
  /** Origin of the web app, without a trailing slash. */
  readonly publicUrl: string;
  readonly secretKeys: SecretKeys;
  readonly supportEmail: string;
  readonly promotions: { readonly firstCallMicros: bigint };
}
