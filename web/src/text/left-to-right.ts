import { currentLanguage } from "./i18n.ts";
import { isolateFigure } from "./money-text.ts";

/** Keeps a number in left-to-right order inside text in the app's language. */
export function leftToRight(text: string): string {
  return isolateFigure(text, currentLanguage());
}
