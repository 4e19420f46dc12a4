import { cleanLine, cleanText } from "../clean-text.ts";
import type { FileContact, RepairKind } from "./contact-file.ts";
import { contactLengths, MOST_NUMBERS_OF_CONTACT } from "./contact-limits.ts";

interface Names {
  readonly firstName: string;
  readonly lastName: string;
}

/** Writings in which the family name stands first and no space is between the names. */
const FAMILY_FIRST = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々・]+$/u;

/**
 * Splits a full name at the first space. Joined by a space the parts are the name again.
 */
export function splitName(fullName: string): Names {
  const name = oneLine(fullName);
  const space = name.indexOf(" ");
  return space === -1 ? { firstName: name, lastName: "" } : { firstName: name.slice(0, space), lastName: name.slice(space + 1) };
}

/** Names in parts, as they are shown: a Chinese, Japanese or Korean name is one word that begins with the family's. */
export function shownNames({ firstName, lastName }: Names): Names {
  const isOneWord = firstName !== "" && lastName !== "" && FAMILY_FIRST.test(lastName + firstName.replaceAll(" ", ""));
  return isOneWord ? { firstName: lastName + firstName.replaceAll(" ", ""), lastName: "" } : { firstName, lastName };
}

/** A text of a file on one line (`cleanLine`). */
export function oneLine(text: string): string {
  return cleanLine(text.toWellFormed());
}

/** A text of a file with its lines (`cleanText`). */
export function severalLines(text: string): string {
  return cleanText(text.toWellFormed()).trim();
}

/**
 * Fills a missing first name with the family name alone, or with the company.
 * @returns the names with the first one filled, where anything can fill it
 */
function withFirstName<T extends Names & { readonly company: string }>(names: T): T {
  if (names.firstName !== "") return names;
  if (names.lastName !== "") return { ...names, firstName: names.lastName, lastName: "" };
  return { ...names, firstName: names.company, company: "" };
}

/** A contact of what a reader found: nobody without a name that can have one, and no text longer than a contact holds. */
export function finishContact(found: FileContact): FileContact {
  const repairs = new Set<RepairKind>(found.repairs);
  const fit = (text: string, most: number, repair: RepairKind) => {
    if (text.length <= most) return text;
    repairs.add(repair);
    return shortened(text, most);
  };
  const named = withFirstName(found);
  if (found.numbers.length > MOST_NUMBERS_OF_CONTACT) repairs.add("numbers_left_out");
  return {
    ...named,
    firstName: fit(named.firstName, contactLengths.first_name, "name_shortened"),
    lastName: fit(named.lastName, contactLengths.last_name, "name_shortened"),
    company: fit(named.company, contactLengths.company, "company_shortened"),
    email: fit(named.email, contactLengths.email, "email_left_out"),
    notes: fit(named.notes, contactLengths.notes, "notes_shortened"),
    numbers: named.numbers.slice(0, MOST_NUMBERS_OF_CONTACT),
    repairs: [...repairs],
  };
}

/** The beginning of a text, with a sign that it goes on. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
