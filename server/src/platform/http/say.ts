import { inEnglish } from "@farline/texts/english.ts";
import type { Params, Reason, Told } from "@farline/texts/reason.ts";

/** A text for the user in a response: in English, and by reason for pages in other languages. */
export function say(reason: Reason, params?: Params): Told & { readonly message: string } {
  return { message: inEnglish({ reason, params }), reason, params };
}
