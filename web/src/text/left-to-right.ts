import { isolateNumber } from "@farline/domain/money-text.ts";
import { currentLanguage } from "./i18n.ts";

/** Keeps a number in left-to-right order inside text in the app's language. */
export function leftToRight(text: string): string {
  return isolateNumber(text, currentLanguage());
}
