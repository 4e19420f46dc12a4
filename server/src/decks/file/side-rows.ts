import { currencyIn } from "./currencies.ts";
import type { DeckColumn, DeckColumns } from "./deck-columns.ts";

/** A row that prices nothing: a notice, a total, or the header repeated on the next page. */
export type SideRow = "notice" | "total" | "repeated_header";

const PRICES = ["price", "firstPrice", "nextPrice", "callPrice"] as const;
const PREFIXES = ["prefixes", "callingCode", "areaCodes"] as const;
/** A notice with a value in more cells may be a row whose prefix was lost. */
const NOTICE_CELLS = 2;
const TOTAL =
  /^\W*(?:(?:sub|grand)[\s-]*)?(?:totals?|sum|count|number)(?:\s+(?:number|count|of|all))*(?:\s+(?:rows?|records?|prefix(?:es)?|codes?|destinations?|routes?|entries|lines))?\W*[\d.,\s]*$/i;
/** Words and increments ("60/60", "30+6") by which a notice may change what calls cost, when, or for whom. */
const DOUBTFUL =
  /\b(?:surcharges?|fees?|connect\w*|peak|weekends?|minimum|increments?|bill(?:ed|ing)|pulse|tax(?:es)?|vat|gst|discounts?|per call|origin\w*|callers?|cli|ani|eea|effective|valid\w*|until|expir\w*|except|excluding|excl)\b|\b\d{1,2}\s*[/+]\s*\d{1,2}\b/i;
const PAGE = /\bpage\s+\d+\s*(?:\/|of)\s*\d+/gi;

/**
 * Recognises rows beside the prices. A row with a digit where a price or a prefix belongs is none, except for totals, so that no price
 * is overlooked and no prefix is sold at a shorter one's price.
 * @returns its kind; "notice_unclear" for a notice that may change prices; null for any other row
 */
export function readSideRow(
  cells: readonly string[],
  { names, columns }: { readonly names: readonly string[]; readonly columns: DeckColumns },
): SideRow | "notice_unclear" | null {
  const trimmed = cells.map((cell) => cell.trim());
  if (names.every((name, place) => name === (trimmed[place] ?? ""))) return "repeated_header";
  const textOf = (wanted: readonly DeckColumn[]) =>
    wanted.flatMap((column) => (columns.get(column) ?? []).map((place) => trimmed[place] ?? "")).join("");
  const price = textOf(PRICES);
  if (/\d/.test(price)) return null;
  const written = trimmed.filter((cell) => cell !== "");
  const text = written.join(" ");
  if (TOTAL.test(text)) return "total";
  if (/\d/.test(textOf(PREFIXES)) || (price !== "" && written.length > NOTICE_CELLS)) return null;
  const isDoubtful = DOUBTFUL.test(text.replaceAll(PAGE, "")) || currencyIn(text) === "other";
  return isDoubtful ? "notice_unclear" : "notice";
}
