import type { FileDecoder } from "../charset/file-decoder.ts";
import { contactFileLimits, type FileContact, type FileNumber, type Reading, type RepairKind } from "../contact-file.ts";
import { type ContactDetail, contactDetails, detailNames, mapDetails } from "../contact-details.ts";
import { displayNames, finishContact, multiLine, oneLine, splitName } from "../contact-texts.ts";
import { phoneTypeOf } from "../table/phone-headers.ts";
import { splitNumbers } from "../split-numbers.ts";
import { type CardLine, readCardLines } from "./read-card-lines.ts";
import { foldText } from "../fold-text.ts";

/** Types of numbers that are not for voice calls. */
const NOT_FOR_VOICE = /\b(fax|pager|telex|modem|bbs|video)\b/i;

const FOR_VOICE = /\b(voice|cell|mobile|iphone)\b/i;

/** Properties that start a card even if its BEGIN line is missing. */
const OPENING = new Set(["VERSION", "FN", "N", "TEL"]);

/** A card's `N` property. */
interface StructuredName {
  readonly family: string;
  readonly given: string;
  readonly further: string;
  readonly before: string;
  readonly behind: string;
}

/**
 * Reads address cards (vCard 2.1, RFC 2426 for 3.0, RFC 6350 for 4.0). Pictures, sounds, fax and pager numbers and properties that
 * contacts do not have are skipped. A card without an END line ends where the next one begins, so that its contact does not get
 * another person's number.
 */
export function* readCards(bytes: Uint8Array, decoder: FileDecoder): Reading<FileContact> {
  const lines = readCardLines(bytes, decoder);
  const reader = new CardReader();
  for (;;) {
    const next = lines.next();
    if (next.done === true) {
      if (next.value > contactFileLimits.bytes) return { kind: "too_large", row: null };
      break;
    }
    const done = next.value === null ? null : reader.take(next.value);
    if (reader.count > contactFileLimits.rows) return { kind: "too_many_rows", row: reader.count };
    yield done;
  }
  const last = reader.close();
  if (last !== null) yield last;
  return null;
}

/** Splits properties into cards. */
class CardReader {
  count = 0;
  #card: Card | null = null;
  /** Inside the embedded card of an agent, who is another person. */
  #isInAgent = false;
  #agentMayFollow = false;

  /** Returns the contact whose card ends with this line, or null. */
  take(line: CardLine): FileContact | null {
    const isCard = line.value.trim().toUpperCase() === "VCARD";
    const agentFollows = this.#agentMayFollow;
    this.#agentMayFollow = line.name === "AGENT" && line.value.trim() === "" && this.#card !== null;
    if (line.name === "BEGIN" && isCard) {
      if (agentFollows) {
        this.#isInAgent = true;
        return null;
      }
      const before = this.close();
      this.#open([]);
      return before;
    }
    if (line.name === "END" && isCard) return this.#end();
    if (this.#isInAgent) return null;
    if (this.#card === null && OPENING.has(line.name)) this.#open(["card_not_closed"]);
    this.#card?.take(line);
    return null;
  }

  /** Ends a card without an END line. */
  close(): FileContact | null {
    this.#isInAgent = false;
    const open = this.#card;
    this.#card = null;
    return open?.contact(["card_not_closed"]) ?? null;
  }

  #open(repairs: readonly RepairKind[]): void {
    this.count += 1;
    this.#card = new Card(this.count, repairs);
  }

  #end(): FileContact | null {
    if (this.#isInAgent) {
      this.#isInAgent = false;
      return null;
    }
    const ended = this.#card;
    this.#card = null;
    return ended?.contact([]) ?? null;
  }
}

class Card {
  readonly #row: number;
  readonly #repairs: Set<RepairKind>;
  #full = "";
  #nickname = "";
  #structured: StructuredName | null = null;
  #email = "";
  #favorite = false;
  readonly #details: Record<ContactDetail, string> = { ...mapDetails(() => "") };
  readonly #notes: string[] = [];
  readonly #numbers: FileNumber[] = [];

  constructor(row: number, repairs: readonly RepairKind[]) {
    this.#row = row;
    this.#repairs = new Set(repairs);
  }

  take({ name, parameters, value, repairs }: CardLine): void {
    for (const repair of repairs) this.#repairs.add(repair);
    const text = () => oneLine(unescaped(value));
    const detail = detailNames.find((one) => contactDetails[one].cardProperty === name);
    // ORG has components: the company, then its units.
    if (detail !== undefined) this.#details[detail] ||= name === "ORG" ? (components(value).find(Boolean) ?? "") : text();
    switch (name) {
      case "FN":
        this.#full ||= text();
        break;
      case "N":
        this.#structured ??= structuredName(value);
        break;
      case "NICKNAME":
        this.#nickname ||= text();
        break;
      case "EMAIL":
        this.#email ||= text().replace(/^mailto:/i, "");
        break;
      case "NOTE":
        this.#notes.push(multiLine(unescaped(value)));
        break;
      case "CATEGORIES":
        this.#favorite ||= /\b(starred|favou?rites?)\b/i.test(value);
        break;
      case "TEL":
        this.#takeNumbers(parameters, text());
        break;
    }
  }

  #takeNumbers(parameters: string, text: string): void {
    if (text === "") return;
    if (NOT_FOR_VOICE.test(parameters) && !FOR_VOICE.test(parameters)) {
      this.#repairs.add("fax_left_out");
      return;
    }
    const numbers = splitNumbers(text);
    if (numbers.length > 1) this.#repairs.add("numbers_split");
    const type = phoneTypeOf(parameters);
    for (const number of numbers) this.#numbers.push({ text: number, type });
  }

  contact(repairs: readonly RepairKind[]): FileContact {
    return finishContact({
      row: this.#row,
      ...cardNames(this.#full, this.#structured, this.#details.company === "" ? this.#nickname : ""),
      ...this.#details,
      email: this.#email,
      notes: this.#notes.filter(Boolean).join("\n"),
      favorite: this.#favorite,
      numbers: this.#numbers,
      repairs: [...this.#repairs, ...repairs],
    });
  }
}

/** Family name; given name; further names; prefixes; suffixes. */
function structuredName(value: string): StructuredName {
  const [family = "", given = "", further = "", before = "", behind = ""] = components(value);
  return { family, given, further, before, behind };
}

/** Splits a value at unescaped semicolons. */
function components(value: string): string[] {
  return [...value.matchAll(/((?:\\.?|[^\\;])*)(?:;|$)/gsu)].map(([, part = ""]) => oneLine(unescaped(part)));
}

function unescaped(value: string): string {
  return value.replace(/\\([\s\S])/gu, (_, char: string) => (char === "n" || char === "N" ? "\n" : char));
}

/**
 * A person's names. `FN` is the display name and takes precedence. The parts of `N` are used if they are the same name, possibly a
 * longer form or in address-book order ("Nowak, Ola").
 * @param fallback the name of a card without one
 */
function cardNames(
  full: string,
  name: StructuredName | null,
  fallback: string,
): { readonly firstName: string; readonly lastName: string } {
  const firstName = name === null ? "" : oneLine(`${name.given} ${name.further}`);
  const lastName = name?.family ?? "";
  if (name === null || (firstName === "" && lastName === "")) return splitName(full === "" ? fallback : full);
  if (full === "") return displayNames({ firstName, lastName });
  if (isSameName(full, name)) return { firstName, lastName };
  return splitName(full);
}

function isSameName(full: string, { family, given, further, before, behind }: StructuredName): boolean {
  const words = wordsOf(full);
  if (isWithin(words, wordsOf([before, given, further, family, behind].join(" ")))) return true;
  return full.includes(",") && isWithin(words, wordsOf([before, family, behind, before, given, further, behind].join(" ")));
}

/** Whether all words occur among the others in the same order. */
function isWithin(words: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  return words.every((word) => {
    at = others.indexOf(word, at) + 1;
    return at > 0;
  });
}

function wordsOf(text: string): string[] {
  return foldText(text)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);
}
