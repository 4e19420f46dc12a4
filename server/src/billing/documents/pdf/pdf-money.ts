import type { Language } from "@farline/contract/languages.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";

/** Direction marks. The sheet orders its runs itself, and no font has glyphs for them. */
const DIRECTION_MARKS = /[\u200e\u200f\u2066-\u2069]/gu;
/** The narrow no-break space of French thousands, which our fonts lack. */
const NARROW_SPACE = /\u202f/gu;

/** Formats dollars for the document's language. */
export function pdfMoney(
  micros: Micros,
  language: Language,
  { decimals = 2, signed = false }: { decimals?: 2 | 4 | 6; signed?: boolean } = {},
): string {
  return moneyText(formatDollars(micros, decimals), language, { signed })
    .replace(DIRECTION_MARKS, "")
    .replace(NARROW_SPACE, "\u00a0");
}
