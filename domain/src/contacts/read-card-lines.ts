import { decodeBytes } from "./decode-text.ts";
import { contactFileLimits } from "./contact-limits.ts";

/** One property of a card, unfolded and with its transfer encoding undone. */
export interface CardLine {
  /** In capitals, without its group: "TEL" of "item1.TEL". */
  readonly name: string;
  /** As written, in any order: "TYPE=CELL,VOICE" or "CELL;PREF". */
  readonly parameters: string;
  readonly value: string;
}

const WANTED = new Set(["BEGIN", "END", "FN", "N", "ORG", "EMAIL", "NOTE", "CATEGORIES", "TEL"]);
/** Of a property that is kept; enough for the longest value with every byte encoded, so that the reader sees it is too long. */
const MOST_CHARACTERS = contactFileLimits.cellCharacters * 9 + 1000;

/**
 * The card properties in a text that a contact can store, in order. Lines are unfolded: one that begins with a
 * space or tab continues the line before (in 2.1 with that space, later without), and a quoted-printable one that ends
 * with "=" continues on the next line in any case.
 */
export function* readCardLines(text: string): Generator<CardLine, void, void> {
  const lines = new LineReader(text);
  let keepsSpace = false;
  for (let line = lines.take(); line !== null; line = lines.take()) {
    const head = headOf(line);
    const wanted = head !== null && (WANTED.has(head.name) || head.name === "VERSION");
    const quoted = wanted && /quoted-printable/i.test(head.parameters);
    const parts = [wanted ? line.slice(head.length) : ""];
    let length = parts[0]?.length ?? 0;
    for (;;) {
      const last = parts.at(-1) ?? "";
      const soft = quoted && last.endsWith("=");
      if (!soft && !lines.folded()) break;
      const next = lines.take();
      if (next === null) break;
      if (!wanted || length > MOST_CHARACTERS) continue;
      if (soft) parts[parts.length - 1] = last.slice(0, -1);
      const more = soft ? next : next.slice(keepsSpace ? 0 : 1);
      parts.push(more);
      length += more.length;
    }
    if (!wanted) continue;
    const value = parts.join("");
    if (head.name === "VERSION") keepsSpace = value.trim() === "2.1";
    else if (!/\b(base64|encoding=b)\b/i.test(head.parameters))
      yield { name: head.name, parameters: head.parameters, value: quoted ? decodeQuoted(value, head.parameters) : value };
  }
}

/** Reads lines one after another; any line end, and empty ones left out. */
class LineReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  take(): string | null {
    while (this.#at < this.#text.length) {
      const lineFeed = this.#text.indexOf("\n", this.#at);
      const end = lineFeed === -1 ? this.#text.length : lineFeed;
      const line = this.#text.slice(this.#at, this.#text[end - 1] === "\r" && end > this.#at ? end - 1 : end);
      this.#at = end + 1;
      if (line !== "") return line;
    }
    return null;
  }

  /** Whether the next line continues this one. */
  folded(): boolean {
    const next = this.#text[this.#at];
    return next === " " || next === "\t";
  }
}

/** What stands before the first colon outside quotes; null when the line is no property. */
function headOf(line: string): { name: string; parameters: string; length: number } | null {
  const head = /^\s*(?:[\w-]+\.)?([A-Za-z][\w-]*)((?:;(?:"[^"]*"|[^":])*)?):/.exec(line.slice(0, 1000));
  if (head === null) return null;
  return { name: (head[1] ?? "").toUpperCase(), parameters: (head[2] ?? "").slice(1), length: head[0].length };
}

/** Undoes quoted-printable (RFC 2045, 6.7) in the character set the parameters name. */
function decodeQuoted(value: string, parameters: string): string {
  const charset = /charset="?([\w.:-]+)/i.exec(parameters)?.[1] ?? "utf-8";
  return value.replace(/(?:=[0-9a-f]{2})+/gi, (run) => {
    const bytes = Uint8Array.from(run.slice(1).split("="), (hex) => Number.parseInt(hex, 16));
    return decodeBytes(bytes, charset.toLowerCase());
  });
}
