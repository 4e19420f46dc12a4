/** Quoted strings, tokens and lists in header values (RFC 3261 §25.1). All functions take time linear in the text. */

const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;
const LAST_CONTROL = 0x1f;
const TAB = 0x09;
const DELETE = 0x7f;
const BACKSLASH = 0x5c;

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Splits at a separator outside quoted strings and angle brackets. Trims the elements and drops empty ones. */
export function splitOutside(text: string, separator: "," | ";"): string[] {
  const elements: string[] = [];
  let start = 0;
  let bracketed = false;
  const add = (end: number): void => {
    const element = text.slice(start, end).trim();
    if (element !== "") elements.push(element);
    start = end + 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"' && !bracketed) at = quotedEnd(text, at) - 1;
    else if (character === "<") bracketed = true;
    else if (character === ">") bracketed = false;
    else if (character === separator && !bracketed) add(at);
  }
  add(text.length);
  return elements;
}

/** Index after the quoted string that begins at `start`; the text's length if the closing quote is missing. */
export function quotedEnd(text: string, start: number): number {
  const close = closingQuote(text, start);
  return close === -1 ? text.length : close + 1;
}

/** The content of a quoted string; null if the text is anything else. */
export function unquote(text: string): string | null {
  if (text[0] !== '"' || text.length < 2 || closingQuote(text, 0) !== text.length - 1) return null;
  return text.slice(1, -1).replace(/\\([\s\S])/g, "$1");
}

function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** Also escapes control characters, which may only stand in escaped form. */
export function quote(text: string): string {
  // oxlint-disable-next-line no-control-regex -- those are meant
  return `"${text.replace(/["\\\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, "\\$&")}"`;
}

/** Whether a line has control characters other than tab that are not escaped by a backslash. */
export function hasControl(line: string): boolean {
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code === BACKSLASH && line[at + 1] !== "\n" && line[at + 1] !== "\r") at += 1;
    else if ((code <= LAST_CONTROL && code !== TAB) || code === DELETE) return true;
  }
  return false;
}
