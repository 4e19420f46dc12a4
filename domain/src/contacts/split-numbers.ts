import { cleanLine } from "../text/clean-text.ts";

/** Fewer digits belong to the adjacent number, as an area code or extension. */
const MIN_DIGITS = 7;
/** Per cell. */
const MAX_CHARACTERS = 1000;
/**
 * Separators between two numbers: symbols, or words such as "or", "oder", "и". Google writes ":::". A comma directly before a digit
 * is a dialling pause.
 */
const BETWEEN = /:::|\s\/\s|[;|\\\n•·&]|,(?=\s|[+0])|[\p{L}\p{M}][\p{L}\p{M}.]*/gu;
/** Separates the words behind a number from those in front of the next one. */
const LIST_SIGN = /[,;|\n•·]|:::|\s\/\s/;
/** Also occurs inside a number: "0711/12 34 56". */
const SLASH = /\//g;
/** The parameters of a URI such as "tel:+441234567;ext=12" (RFC 3966). */
const ADDRESS = /;\s*[a-z-]+=/i;

interface LabelledNumber {
  readonly text: string;
  /** The words beside the number, or "". */
  readonly label: string;
}

/**
 * Splits the numbers in a cell: "A; B", "A / B", "A, B", "A oder B", "A (Anna), B (Ben)". A text with at most one number is returned
 * unchanged: "Tel. 0711/123 45 67 ext. 12".
 */
export function splitNumbers(text: string): LabelledNumber[] {
  const whole = text.trim();
  if (whole === "") return [];
  if (whole.length > MAX_CHARACTERS || ADDRESS.test(whole)) return [{ text: cleanLine(whole), label: "" }];
  return splitAt(whole, BETWEEN).flatMap(({ text: part, label }) =>
    splitAt(part, SLASH).map((number) => ({ text: cleanLine(number.text), label: label || number.label })),
  );
}

/** Splits where both sides have enough digits for a number. */
function splitAt(text: string, separator: RegExp): LabelledNumber[] {
  const numbers: { start: number; end: number }[] = [];
  let start = 0;
  for (const between of [...text.matchAll(separator), null]) {
    const end = between?.index ?? text.length;
    const digits = digitsOf(text.slice(start, end));
    const current = numbers.at(-1);
    if (current !== undefined && digitsOf(text.slice(current.start, current.end)) < MIN_DIGITS) current.end = end;
    else if (digits >= MIN_DIGITS || (current === undefined && digits > 0)) numbers.push({ start, end });
    else if (current !== undefined && digits > 0) current.end = end;
    if (between !== null) start = between.index + between[0].length;
  }
  if (numbers.length < 2) return [{ text, label: text }];
  const areInFront = /\p{L}/u.test(text.slice(0, numbers[0]?.start));
  /** The words between two numbers: those behind the first one, and those in front of the second one. */
  const wordsBetween = (first: number) => {
    const between = text.slice(numbers[first]?.end ?? 0, numbers[first + 1]?.start);
    const at = between.search(LIST_SIGN);
    if (at !== -1) return [between.slice(0, at), between.slice(at)];
    return areInFront && first < numbers.length - 1 ? ["", between] : [between, ""];
  };
  return numbers.map((number, index) => ({
    text: trimmed(text.slice(number.start, number.end)),
    label: `${index === 0 ? text.slice(0, number.start) : wordsBetween(index - 1)[1]} ${wordsBetween(index)[0]}`,
  }));
}

/** Without the brackets and signs that belong to the words beside a number. */
function trimmed(part: string): string {
  return part.replace(/^[\s)\]}>,;:./-]+|[\s([{<,;:/-]+$/gu, "");
}

function digitsOf(text: string): number {
  return text.match(/\p{Nd}/gu)?.length ?? 0;
}
