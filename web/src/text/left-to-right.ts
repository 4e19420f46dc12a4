import { currentLanguage } from "./i18n.ts";
import { isolateFigure } from "./money-text.ts";

/** Keeps a figure in its left-to-right order inside the text of the language the app is in. */
export function leftToRight(text: string): string {
  return isolateFigure(text, currentLanguage());
}
