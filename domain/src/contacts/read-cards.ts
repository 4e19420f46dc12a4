import { contactFileLimits, MOST_NUMBERS_OF_CONTACT } from "./contact-limits.ts";
import {
  oneLine,
  severalLines,
  splitName,
  withFirstName,
  type FileContact,
  type FileNumber,
  type Reading,
} from "./contact-file.ts";
import { readCardLines, type CardLine } from "./read-card-lines.ts";
import { phoneTypeOf } from "./csv-columns.ts";

/** A number that is not a telephone. */
const NOT_FOR_VOICE = /\b(fax|pager|telex|modem|bbs|video)\b/i;
const FOR_VOICE = /\b(voice|cell|mobile|iphone)\b/i;

/**
 * Reads address cards (vCard 2.1, RFC 2426 for 3.0, RFC 6350 for 4.0). Pictures, sounds and what a contact has no place for
 * are skipped, as are numbers for fax and pager. A card that the file breaks off in counts with what it holds.
 */
export function* readCards(text: string): Reading<FileContact> {
  const lines = readCardLines(text);
  let card: Card | null = null;
  let count = 0;
  let depth = 0;
  for (;;) {
    const next = lines.next();
    if (next.done === true) break;
    const line = next.value;
    const isCard = line.value.trim().toUpperCase() === "VCARD";
    if (line.name === "BEGIN" && isCard) {
      depth += 1;
      if (depth > 1) continue;
      count += 1;
      if (count > contactFileLimits.rows) return { kind: "too_many_rows", row: count };
      card = new Card(count);
    } else if (line.name === "END" && isCard) {
      depth = Math.max(0, depth - 1);
      if (depth > 0 || card === null) continue;
      yield card.contact();
      card = null;
      // A card inside a card (AGENT) belongs to somebody else.
    } else if (depth === 1 && card !== null) {
      if (line.value.length > contactFileLimits.cellCharacters) return { kind: "cell_too_long", row: count };
      card.take(line);
    }
  }
  if (card !== null) yield card.contact();
  return null;
}

class Card {
  readonly #row: number;
  #full = "";
  #names = { firstName: "", lastName: "" };
  #company = "";
  #email = "";
  #favorite = false;
  readonly #notes: string[] = [];
  readonly #numbers: FileNumber[] = [];

  constructor(row: number) {
    this.#row = row;
  }

  take({ name, parameters, value }: CardLine): void {
    switch (name) {
      case "FN":
        this.#full ||= oneLine(unescaped(value));
        break;
      case "N":
        if (this.#names.firstName === "" && this.#names.lastName === "") this.#names = structuredName(value);
        break;
      case "ORG":
        this.#company ||= components(value)[0] ?? "";
        break;
      case "EMAIL":
        this.#email ||= oneLine(unescaped(value)).replace(/^mailto:/i, "");
        break;
      case "NOTE":
        this.#notes.push(severalLines(unescaped(value)));
        break;
      case "CATEGORIES":
        this.#favorite ||= /\b(starred|favou?rites?)\b/i.test(value);
        break;
      case "TEL":
        this.#takeNumber(parameters, value);
        break;
    }
  }

  #takeNumber(parameters: string, value: string): void {
    if (this.#numbers.length >= MOST_NUMBERS_OF_CONTACT) return;
    if (NOT_FOR_VOICE.test(parameters) && !FOR_VOICE.test(parameters)) return;
    const text = oneLine(unescaped(value));
    if (text !== "") this.#numbers.push({ text, type: phoneTypeOf(parameters) });
  }

  contact(): FileContact {
    const { firstName, lastName } = this.#names;
    const names = firstName === "" && lastName === "" ? splitName(this.#full) : this.#names;
    return {
      row: this.#row,
      ...withFirstName({ ...names, company: this.#company }),
      email: this.#email,
      notes: this.#notes.filter(Boolean).join("\n"),
      favorite: this.#favorite,
      numbers: this.#numbers,
    };
  }
}

/** Family name; given name; further names; titles before; titles behind. The titles are left out. */
function structuredName(value: string): { firstName: string; lastName: string } {
  const [family = "", given = "", further = ""] = components(value);
  return { firstName: oneLine(`${given} ${further}`), lastName: family };
}

/** Splits a value at unescaped semicolons. */
function components(value: string): string[] {
  return [...value.matchAll(/((?:\\.?|[^\\;])*)(?:;|$)/gsu)].map(([, part = ""]) => oneLine(unescaped(part)));
}

function unescaped(value: string): string {
  return value.replace(/\\([\s\S])/gu, (_, char: string) => (char === "n" || char === "N" ? "\n" : char));
}
