import { z } from "zod";
import type { SecretKeys } from "../platform/secret-keys.ts";

/** What a security notice may tell of: something that changes who gets into an account. */
export const noticeEvents = [
  "password_changed",
  "password_reset",
  "email_changed",
  "session_stopped",
  "google_linked",
  "google_unlinked",
  "two_factor_on",
  "two_factor_off",
  "recovery_codes_new",
  "passkey_added",
  "passkey_removed",
] as const;
export type NoticeEvent = (typeof noticeEvents)[number];

const name = z.string();
/** Record whose token the link carries; the token itself is made when the mail is sent. */
const linkId = z.uuid();

/** Every mail there is, with what its template needs. */
export const mailContent = z.discriminatedUnion("template", [
  z.object({ template: z.literal("verify_email"), data: z.object({ name, linkId }) }),
  z.object({ template: z.literal("reset_password"), data: z.object({ name, linkId }) }),
  /** To the new address. */
  z.object({ template: z.literal("change_email_new"), data: z.object({ name, newEmail: z.string(), linkId }) }),
  /** To the present address. */
  z.object({ template: z.literal("change_email_old"), data: z.object({ name, newEmail: z.string(), linkId }) }),
  z.object({
    template: z.literal("security_notice"),
    data: z.object({
      name,
      event: z.enum(noticeEvents),
      at: z.iso.datetime(),
      /** For example "Chrome on Windows". */
      device: z.string().nullable(),
    }),
  }),
  z.object({ template: z.literal("newsletter_confirm"), data: z.object({ linkId }) }),
  z.object({ template: z.literal("newsletter_welcome"), data: z.object({ linkId }) }),
]);
export type MailContent = z.infer<typeof mailContent>;

/** What a link's token is good for; the first argument of its making (see `linkToken`). */
export const linkUses = {
  verifyEmail: "verify_email",
  resetPassword: "reset_password",
  changeEmailNew: "change_email_new",
  changeEmailOld: "change_email_old",
  newsletterConfirm: "newsletter_confirm",
  newsletterUnsubscribe: "newsletter_unsubscribe",
} as const;
export type LinkUse = (typeof linkUses)[keyof typeof linkUses];

/** What a mail needs of the installation. */
export interface MailHome {
  /** Origin of the web app, without a trailing slash. */
  readonly publicUrl: string;
  readonly secretKeys: SecretKeys;
}
