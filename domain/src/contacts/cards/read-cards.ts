import type { FileDecoder } from "../charset/file-decoder.ts";
import {
  contactFileLimits,
  type DamageKind,
  type FileContact,
  type FileNumber,
  type Reading,
  type RepairKind,
} from "../contact-file.ts";
import { type ContactDetail, contactDetails, detailNames, mapDetails } from "../contact-details.ts";
import { displayNames, finishContact, multiLine, oneLine, splitName } from "../contact-texts.ts";
import { isNotForVoice, phoneTypeOf } from "../table/phone-headers.ts";
import { splitNumbers } from "../split-numbers.ts";
import { type CardLine, readCardLines } from "./read-card-lines.ts";
import { foldText } from "../fold-text.ts";

const FOR_VOICE = /\bvoice\b/i;
/** Apple writes its own labels like this: "_$!<HomeFAX>!$_". */
const APPLE_LABEL = /^_\$!<(.*)>!\$_$/;
/** Another property inside a value. */
const LOST_LINE_END = /(?:^|\p{Ll})N[:;]|(?:FN|TEL|VERSION|UID|EMAIL)[:;]/u;
/** The end of another line instead of a number, or right behind its digits: "+4930N:Bob", "+4930Bob". */
const CUT_NAME = /^:|^\+[\d\s().-]*(?:[A-Z]*:.*|\p{L}+)$|^[\p{L}\s]+$/u;
const LEAST_PREFERRED = 101;

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
    const value = line.value.trim().toUpperCase();
    const agentFollows = this.#agentMayFollow;
    this.#agentMayFollow = line.name === "AGENT" && value === "" && this.#card !== null;
    if (line.name === "AGENT" && /^BEGIN\s*:\s*VCARD$/.test(value) && this.#card !== null) this.#isInAgent = true;
    if (line.name === "BEGIN") {
      if (agentFollows) {
        this.#isInAgent = true;
        return null;
      }
      const before = this.close();
      this.#open([]);
      return before;
    }
    if (line.name === "END") return this.#end();
    if (this.#isInAgent) return null;
    const isSecond = line.name === "VERSION" && this.#card?.isBegun === true;
    const before = isSecond ? this.close() : null;
    if (this.#card === null && OPENING.has(line.name)) this.#open(["card_not_closed"]);
    this.#card?.take(line);
    return before;
  }

  /** Ends a card without an END line. */
  close(): FileContact | null {
    this.#isInAgent = false;
    const open = this.#card;
    this.#card = null;
    return open?.contact(["card_not_closed"], false) ?? null;
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
    return ended?.contact([], true) ?? null;
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
  readonly #numbers: CardNumber[] = [];
  /** What Apple and Google call the numbers of a group. */
  readonly #labels = new Map<string, string>();
  #version = "";
  #uid = "";
  #damage: DamageKind | null = null;
  #endsInNumber = false;
  #isNameBroken = false;

  constructor(row: number, repairs: readonly RepairKind[]) {
    this.#row = row;
    this.#repairs = new Set(repairs);
  }

  /** Whether another VERSION line begins another card. Some programs repeat it at the top of a card. */
  get isBegun(): boolean {
    const hasName = this.#full !== "" || this.#structured !== null;
    return this.#version !== "" && (hasName || this.#numbers.length > 0);
  }

  take(line: CardLine): void {
    const { name, parameters, value, repairs } = line;
    for (const repair of repairs) this.#repairs.add(repair);
    this.#endsInNumber = name === "TEL" && line.isCut;
    if (this.#isAnother(line)) this.#damage = "two_people";
    const text = () => oneLine(unescaped(value));
    const detail = detailNames.find((one) => contactDetails[one].cardProperty === name);
    // ORG has components: the company, then its units.
    if (detail !== undefined) this.#details[detail] ||= name === "ORG" ? (components(value).find(Boolean) ?? "") : text();
    switch (name) {
      case "":
        if (value === "FN" || value === "N") this.#isNameBroken = true;
        else this.#damage ??= "cut_off";
        break;
      case "VERSION":
        this.#version ||= text();
        break;
      case "UID":
        this.#uid ||= text();
        break;
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
      case "X-ABLABEL":
        this.#labels.set(line.group, text().replace(APPLE_LABEL, "$1"));
        break;
      case "TEL":
        if (value.trim() !== "") this.#numbers.push({ text: multiLine(unescaped(value)), parameters, group: line.group });
        break;
    }
  }

  /** Whether a line names another person than the lines before it, so that a border between two cards was lost. */
  #isAnother({ name, parameters, value }: CardLine): boolean {
    if (name !== "NOTE" && LOST_LINE_END.test(value)) return true;
    if (name === "TEL" && CUT_NAME.test(value.trim())) return true;
    if (/\b(?:ALTID|LANGUAGE)=/i.test(parameters)) return false;
    const text = oneLine(unescaped(value));
    if (name === "UID") return this.#uid !== "" && text !== this.#uid;
    if ((name !== "FN" && name !== "N") || text.replace(/;/g, "") === "") return false;
    if (name === "FN" && this.#full !== "" && text !== this.#full) return true;
    const isFirst = name === "FN" || this.#structured === null;
    if (isFirst && this.#numbers.length === 0 && value.includes(name === "N" ? ";" : "")) return false;
    const words = wordsOf(text);
    const known = wordsOf(`${this.#full} ${nameText(this.#structured)}`);
    if (known.length === 0) return this.#numbers.length > 0 && this.#repairs.has("card_not_closed");
    return isFirst ? !words.some((word) => known.includes(word)) : !isWithin(words, known);
  }

  /** Google breaks names into lines, but then FN and N agree. */
  #isCut(isClosed: boolean): boolean {
    const isSafe = this.#structured !== null && isSameName(this.#full, this.#structured);
    return (this.#endsInNumber && !isClosed) || (this.#isNameBroken && !isSafe);
  }

  #voiceNumbers(): FileNumber[] {
    const ranked = this.#numbers.toSorted((a, b) => preferenceOf(a.parameters) - preferenceOf(b.parameters));
    return ranked.flatMap(({ text, parameters, group }) => {
      const label = group === "" ? "" : (this.#labels.get(group) ?? "");
      const types = customLabels(parameters);
      const isVoice = !isNotForVoice(label) && (!isNotForVoice(types) || FOR_VOICE.test(types));
      const all = splitNumbers(text);
      const numbers = isVoice ? all.filter((number) => !isNotForVoice(number.label)) : [];
      if (numbers.length < all.length) this.#repairs.add("fax_left_out");
      if (numbers.length > 1) this.#repairs.add("numbers_split");
      const byTypes = phoneTypeOf(types);
      const type = byTypes === "other" ? phoneTypeOf(label) : byTypes;
      return numbers.map((number) => ({ text: number.text, type, stated: null }));
    });
  }

  contact(repairs: readonly RepairKind[], isClosed: boolean): FileContact {
    const numbers = this.#voiceNumbers();
    return finishContact({
      row: this.#row,
      ...cardNames(this.#full, this.#structured, this.#details.company === "" ? this.#nickname : ""),
      ...this.#details,
      email: this.#email,
      notes: this.#notes.filter(Boolean).join("\n"),
      favorite: this.#favorite,
      numbers,
      repairs: [...this.#repairs, ...repairs],
      damage: this.#damage ?? (this.#isCut(isClosed) ? "cut_off" : null),
    });
  }
}

/** A property of numbers, as written. */
interface CardNumber {
  readonly text: string;
  readonly parameters: string;
  readonly group: string;
}

/** The rank of a number: "PREF=1" in 4.0, a type in 2.1 and 3.0. */
function preferenceOf(parameters: string): number {
  const rank = /\bPREF="?(\d{1,3})/i.exec(parameters)?.[1];
  if (rank !== undefined) return Number(rank);
  return /\bpref\b/i.test(parameters) ? 1 : LEAST_PREFERRED;
}

/** The types and labels among a number's parameters. Android writes its own as X-CUSTOM, quoted-printable. */
function customLabels(parameters: string): string {
  return parameters.replace(/X-CUSTOM\(.*?,((?:=[0-9A-F]{2})+)\)/gi, (_, coded: string) => {
    const bytes = coded
      .split("=")
      .slice(1)
      .map((hex) => Number.parseInt(hex, 16));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  });
}

function nameText(name: StructuredName | null): string {
  return name === null ? "" : Object.values(name).join(" ");
}

/** A comma between two names of a part, "Philip,Paul" (RFC 6350, 6.2.2). One of the text itself is escaped or has a space behind it. */
const BETWEEN_NAMES = /\\.|,(?=\S)/gsu;

/** Family name; given name; further names; prefixes; suffixes. */
function structuredName(value: string): StructuredName {
  const parts = value.replace(BETWEEN_NAMES, (found) => (found === "," ? " " : found));
  const [family = "", given = "", further = "", before = "", behind = ""] = components(parts);
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
  if (full === `${firstName} ${lastName}` || isSameName(full, name)) return { firstName, lastName };
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
