import { cleanLine, cleanText } from "../text/clean-text.ts";
import { contactDetails, contactLengths, mapDetails, MAX_NUMBERS_PER_CONTACT } from "./contact-details.ts";
import type { FileContact, RepairKind } from "./contact-file.ts";

interface Names {
  readonly firstName: string;
  readonly lastName: string;
}

/** Scripts in which the family name comes first, without a space between the names. */
const FAMILY_FIRST = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々・]+$/u;

/** Splits a full name at the first space. */
export function splitName(fullName: string): Names {
  const name = oneLine(fullName);
  const space = name.indexOf(" ");
  return space === -1 ? { firstName: name, lastName: "" } : { firstName: name.slice(0, space), lastName: name.slice(space + 1) };
}

/** Converts name parts for display: a Chinese, Japanese or Korean name becomes one word, family name first. */
export function displayNames({ firstName, lastName }: Names): Names {
  const isOneWord = firstName !== "" && lastName !== "" && FAMILY_FIRST.test(lastName + firstName.replaceAll(" ", ""));
  return isOneWord ? { firstName: lastName + firstName.replaceAll(" ", ""), lastName: "" } : { firstName, lastName };
}

/** `cleanLine` for a text of a file. */
export function oneLine(text: string): string {
  return cleanLine(text.toWellFormed());
}

/** `cleanText` for a text of a file. */
export function multiLine(text: string): string {
  return cleanText(text.toWellFormed()).trim();
}

/** Replaces a missing first name by the family name or the company, if there is one. */
function withFirstName<T extends Names & { readonly company: string }>(names: T): T {
  if (names.firstName !== "") return names;
  if (names.lastName !== "") return { ...names, firstName: names.lastName, lastName: "" };
  return { ...names, firstName: names.company, company: "" };
}

/** Completes a contact that a reader found: fills in a missing name and shortens texts to their limits. */
export function finishContact(found: FileContact): FileContact {
  const repairs = new Set<RepairKind>(found.repairs);
  const fit = (text: string, max: number, repair: RepairKind) => {
    if (text.length <= max) return text;
    repairs.add(repair);
    return shortened(text, max);
  };
  const named = withFirstName(found);
  if (found.numbers.length > MAX_NUMBERS_PER_CONTACT) repairs.add("numbers_left_out");
  return {
    ...named,
    firstName: fit(named.firstName, contactLengths.first_name, "name_shortened"),
    lastName: fit(named.lastName, contactLengths.last_name, "name_shortened"),
    ...mapDetails((detail) => fit(named[detail], contactDetails[detail].maxCharacters, `${detail}_shortened`)),
    email: fit(named.email, contactLengths.email, "email_left_out"),
    notes: fit(named.notes, contactLengths.notes, "notes_shortened"),
    numbers: named.numbers.slice(0, MAX_NUMBERS_PER_CONTACT),
    repairs: [...repairs],
  };
}

/** Shortens a text and ends it with an ellipsis. */
function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
