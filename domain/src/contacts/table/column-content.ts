import { plainDigits } from "../../ascii-digits.ts";

/** Of the cells of a column that have text. */
const MOST_OF = 0.6;
const FEWEST_DIGITS = 7;
const MOST_DIGITS = 15;
const MOST_CHARACTERS = 200;
const DATE = /^(\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})\b/;
const POSTCODE = /^\d{5}-\d{3,4}$/;
/** A number as people write it: signs between digits, a label before it, an extension behind it. */
const NUMBER = /^[^\p{L}\p{Nd}]*(?:[\p{L}.]{1,8}[:\s]\s*)?[+(]*\p{Nd}[\p{Nd}\s\p{Pd}().+/·]*(?:\s*(?:[,;/x#p]|\p{L}).*)?$/iu;

/** Whether a cell looks like a phone number, with marks, dashes and digits of any kind. */
export function looksLikeNumber(cell: string): boolean {
  const text = plainSigns(cell);
  const first = text.split(/[,;]|\s\/\s|\s\p{L}/u, 1)[0] ?? "";
  const digits = first.match(/\p{Nd}/gu)?.length ?? 0;
  return NUMBER.test(text) && digits >= FEWEST_DIGITS && digits <= MOST_DIGITS + 5 && !DATE.test(text) && !POSTCODE.test(text);
}

/** How a column's cells look, by the rows that were read ahead. */
export interface ColumnContent {
  readonly phones: boolean;
  /** Whether most numbers begin as phone numbers do: with a plus, a zero or a bracket. */
  readonly clearPhones: boolean;
  readonly emails: boolean;
  readonly words: boolean;
  readonly samples: readonly string[];
}

const MOST_SAMPLES = 3;
const SAMPLE_CHARACTERS = 40;

export function contentOf(cells: readonly string[]): ColumnContent {
  const filled = cells.filter((cell) => cell.trim() !== "");
  const most = (wanted: (cell: string) => boolean) =>
    filled.length > 0 && filled.filter((cell) => wanted(cell)).length >= filled.length * MOST_OF;
  return {
    phones: most(looksLikeNumber),
    clearPhones: most((cell) => looksLikeNumber(cell) && /^[^\p{L}\p{Nd}]*[+0(]/u.test(plainSigns(cell))),
    emails: most((cell) => /^\S+@\S+\.\S+$/.test(cell.trim())),
    words: most((cell) => /\p{L}/u.test(cell) && !/[@\d]/.test(cell) && cell.length <= 80),
    samples: filled.slice(0, MOST_SAMPLES).map((cell) => cell.trim().slice(0, SAMPLE_CHARACTERS).toWellFormed()),
  };
}

/** The cell with plain digits and dashes, without marks of direction and the apostrophe of spreadsheets. */
function plainSigns(cell: string): string {
  const plain = cell.slice(0, MOST_CHARACTERS).normalize("NFKC");
  return plainDigits(plain.replace(/\p{Cf}|^\s*'/gu, "").replace(/\p{Pd}/gu, "-")).trim();
}
