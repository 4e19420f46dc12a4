/** C0 without tab and line feed, DEL, and C1, which also starts escape sequences in terminals. */
const CONTROL = String.raw`\u0000-\u0008\u000B-\u001F\u007F-\u009F`;
/** Marks, embeddings, overrides and isolates, which change the direction of surrounding text. */
const DIRECTION = String.raw`\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069`;
/** Zero-width characters without meaning in a name, which make different names look the same. Scripts and emoji need joiners. */
const INVISIBLE = String.raw`\u200B\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB`;
const LINE_SEPARATOR = String.raw`\u2028\u2029`;

const LINE_BREAKS = new RegExp(String.raw`\r\n?|[\u000B\u000C\u0085${LINE_SEPARATOR}]`, "g");
const UNCLEAN = new RegExp(`[${CONTROL}${DIRECTION}${INVISIBLE}]`, "g");
const UNPRINTABLE = new RegExp(String.raw`[${CONTROL}\t\n${DIRECTION}${INVISIBLE}${LINE_SEPARATOR}]`, "g");
const NEEDS_CLEANING = new RegExp(String.raw`[${CONTROL}${DIRECTION}${INVISIBLE}${LINE_SEPARATOR}]`);

/**
 * Removes control characters, invisible characters and those that change text direction from user input, and converts line
 * breaks to line feeds.
 */
export function cleanText(text: string): string {
  return NEEDS_CLEANING.test(text) ? text.replace(LINE_BREAKS, "\n").replace(UNCLEAN, "") : text;
}

/** Joiners, fillers and the like show nothing alone; the blank of Braille counts as a sign, but is one too. */
const SEEN = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Cleans a single-line text, such as a name: runs of white space become one space, and what shows nothing becomes empty. */
export function cleanLine(text: string): string {
  return SEEN.test(text) ? cleanText(text).replaceAll(/\s+/g, " ").trim() : "";
}

/** Cleans every text in a value parsed from JSON or a query. */
export function cleanTexts(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanTexts);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cleanTexts(inner)]));
}

/** Makes a text safe for a terminal: `printableLine` for each line. */
export function printableText(text: string): string {
  return text.split("\n").map(printableLine).join("\n");
}

/** Makes a text safe for one line of a terminal: replaces characters that could control the terminal or reorder the line by spaces. */
export function printableLine(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}
