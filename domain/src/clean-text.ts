/** C0 without tab and line feed, DEL, and C1, with which terminals begin escape sequences too. */
const CONTROL = String.raw`\u0000-\u0008\u000B-\u001F\u007F-\u009F`;
/** Marks, embeddings, overrides and isolates that change the order of the text around them. */
const DIRECTION = String.raw`\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069`;
/** Of no width and no meaning in a name, so that two names can look the same. Joiners stay: scripts and emoji need them. */
const INVISIBLE = String.raw`\u200B\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB`;
const LINE_SEPARATOR = String.raw`\u2028\u2029`;

const LINE_BREAKS = new RegExp(String.raw`\r\n?|[\u000B\u000C\u0085${LINE_SEPARATOR}]`, "g");
const UNCLEAN = new RegExp(`[${CONTROL}${DIRECTION}${INVISIBLE}]`, "g");
const UNPRINTABLE = new RegExp(String.raw`[${CONTROL}\t\n${DIRECTION}${INVISIBLE}${LINE_SEPARATOR}]`, "g");
const NEEDS_CLEANING = new RegExp(String.raw`[${CONTROL}${DIRECTION}${INVISIBLE}${LINE_SEPARATOR}]`);

/**
 * A text that people wrote, without what no keyboard types into it on purpose: control characters, characters that turn the
 * direction of other text, invisible ones. Every line break becomes a line feed.
 */
export function cleanText(text: string): string {
  return NEEDS_CLEANING.test(text) ? text.replace(LINE_BREAKS, "\n").replace(UNCLEAN, "") : text;
}

/** The same for a text of one line, such as a name: runs of spaces and line breaks become one space. */
export function cleanLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/** Cleans every text in a value that was read from JSON or a query. Returns the value itself if all are clean. */
export function cleanTexts(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanTexts);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cleanTexts(inner)]));
}

/** A text for a terminal: as `printableLine`, line by line. */
export function printableText(text: string): string {
  return text.split("\n").map(printableLine).join("\n");
}

/** A text on one line of a terminal: what could move the cursor, change colours or reorder the line becomes a space. */
export function printableLine(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}
