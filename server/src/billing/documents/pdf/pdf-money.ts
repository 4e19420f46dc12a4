import type { Language } from "@farline/contract/languages.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import { formatDollars, type Micros } from "@farline/domain/money.ts";

/** Marks of the reading direction. The sheet orders its runs itself, and no font has signs for them. */
const DIRECTION_MARKS = /[\u200e\u200f\u2066-\u2069]/gu;
/** The narrow space of French groups, which our fonts lack. */
const NARROW_SPACE = /\u202f/gu;

/** Dollars as the document's language writes them. */
export function pdfMoney(
  micros: Micros,
  language: Language,
  { decimals = 2, signed = false }: { decimals?: 2 | 4 | 6; signed?: boolean } = {},
): string {
  return moneyText(formatDollars(micros, decimals), language, { signed })
    .replace(DIRECTION_MARKS, "")
    .replace(NARROW_SPACE, "\u00a0");
}
