import { plainDigits } from "../../ascii-digits.ts";

/** Share of a column's non-empty cells that must match. */
const MIN_SHARE = 0.6;
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
const MAX_CHARACTERS = 200;
const DATE = /^(\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4})\b/;
const POSTCODE = /^\d{5}-\d{3,4}$/;
/** A number as people write it: separators between digits, possibly after a label and before an extension. */
const NUMBER = /^[^\p{L}\p{Nd}]*(?:[\p{L}.]{1,8}[:\s]\s*)?[+(]*\p{Nd}[\p{Nd}\s\p{Pd}().+/·]*(?:\s*(?:[,;/x#p]|\p{L}).*)?$/iu;

/** Whether a cell looks like a phone number, in digits of any script. */
export function looksLikeNumber(cell: string): boolean {
  const text = plainSigns(cell);
  const first = text.split(/[,;]|\s\/\s|\s\p{L}/u, 1)[0] ?? "";
  const digits = first.match(/\p{Nd}/gu)?.length ?? 0;
  return NUMBER.test(text) && digits >= MIN_DIGITS && digits <= MAX_DIGITS + 5 && !DATE.test(text) && !POSTCODE.test(text);
}

/** What most cells of a column contain, judged by the first rows. */
export interface ColumnContent {
  readonly phones: boolean;
  /** Whether most numbers start with a plus, a zero or a bracket, like phone numbers. */
  readonly clearPhones: boolean;
  readonly emails: boolean;
  readonly words: boolean;
  readonly samples: readonly string[];
}

const MAX_SAMPLES = 3;
const SAMPLE_CHARACTERS = 40;

export function contentOf(cells: readonly string[]): ColumnContent {
  const filled = cells.filter((cell) => cell.trim() !== "");
  const mostly = (wanted: (cell: string) => boolean) =>
    filled.length > 0 && filled.filter((cell) => wanted(cell)).length >= filled.length * MIN_SHARE;
  return {
    phones: mostly(looksLikeNumber),
    clearPhones: mostly((cell) => looksLikeNumber(cell) && /^[^\p{L}\p{Nd}]*[+0(]/u.test(plainSigns(cell))),
    emails: mostly((cell) => /^\S+@\S+\.\S+$/.test(cell.trim())),
    words: mostly((cell) => /\p{L}/u.test(cell) && !/[@\d]/.test(cell) && cell.length <= 80),
    samples: filled.slice(0, MAX_SAMPLES).map((cell) => cell.trim().slice(0, SAMPLE_CHARACTERS).toWellFormed()),
  };
}

/** The cell with ASCII digits and dashes, without direction marks and a spreadsheet's leading apostrophe. */
function plainSigns(cell: string): string {
  const plain = cell.slice(0, MAX_CHARACTERS).normalize("NFKC");
  return plainDigits(plain.replace(/\p{Cf}|^\s*'/gu, "").replace(/\p{Pd}/gu, "-")).trim();
}
