import { inEnglish } from "@farline/texts/english.ts";
import type { Params, Reason, MessageRef } from "@farline/texts/reason.ts";
import { languages } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import Negotiator from "negotiator";

/** Browsers send a handful of languages. Longer headers are ignored, because matching takes quadratic time. */
const LONGEST_HEADER = 500;

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

/**
 * The best match for an Accept-Language header (RFC 9110 §12.5.4); English without a match.
 * @param spoken the supported languages
 */
export function preferredLanguage(header: string | undefined, spoken: readonly Language[] = languages): Language {
  const read = header === undefined || header.length > LONGEST_HEADER ? "" : header;
  const [best] = new Negotiator({ headers: { "accept-language": read } }).languages([...spoken]);
  return spoken.find((language) => language === best) ?? "en";
}
