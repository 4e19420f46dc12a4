import { inEnglish } from "@farline/texts/english.ts";
import type { Params, Reason, MessageRef } from "@farline/texts/reason.ts";

/** Texts that claim that a mail was sent. Only `sayMailed` may say them, because it knows whether that is so. */
export type MailClaim = "email_change_sent" | "email_change_sent_to_both" | "email_sent";

/** A text for the user in a response: in English, and by reason for pages in other languages. */
export function say(reason: Exclude<Reason, MailClaim>, params?: Params): MessageRef & { readonly message: string } {
  return tell({ reason, params });
}

/** For `sayMailed` alone. */
export function tell({ reason, params }: MessageRef): MessageRef & { readonly message: string } {
  return { message: inEnglish({ reason, params }), reason, params };
}
