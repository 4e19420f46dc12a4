import { inEnglish } from "@farline/texts/english.ts";
import type { Params, Reason, Told } from "@farline/texts/reason.ts";

/** The part of an answer that is shown to the user: in English, and by name for pages in other languages. */
export function say(reason: Reason, params?: Params): Told & { readonly message: string } {
  return { message: inEnglish({ reason, params }), reason, params };
}
