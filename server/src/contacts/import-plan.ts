import { contactEmail, ROWS_LISTED, type ImportResponse, type SkippedRow, type SkipReason } from "@farline/contract/contacts.ts";
import type { FileContact, FileNumber } from "@farline/domain/contacts/contact-file.ts";
import { contactLengths } from "@farline/domain/contacts/contact-limits.ts";
import { normalizeNumber, type NumberProblem } from "@farline/domain/numbers/phone-number.ts";
import { uuidv7 } from "uuidv7";
import { contactFacts, fullNameOf } from "./contact-facts.ts";
import type { ContactFacts } from "./contact.store.ts";

/** The plan for a file: each number becomes a new contact, or is skipped for a reason. */
export interface ImportPlan {
  readonly contacts: PlannedContact[];
  readonly skipped: SkippedRow[];
}

export type PlannedContact = ContactFacts & { readonly id: string; readonly row: number };

const REASONS: Readonly<Record<NumberProblem, SkipReason>> = {
  empty: "no_number",
  emergency: "emergency",
  short_code: "short_code",
  star_code: "invalid_number",
  country_required: "country_required",
  impossible: "invalid_number",
  invalid: "invalid_number",
};

/** Collects the rows of one file. Existing numbers are looked up once all rows are known. */
export class ImportPlanner {
  readonly #country: string | null;
  readonly #planned = new Map<string, PlannedContact>();
  readonly #skipped: SkippedRow[] = [];

  /** @param country ISO code for numbers without a country code, or null */
  constructor(country: string | null) {
    this.#country = country;
  }

  add(person: FileContact): void {
    if (person.numbers.length === 0) this.#skip(person, "", "no_number");
    else for (const number of person.numbers) this.#addNumber(person, number);
  }

  #addNumber(person: FileContact, { text, type }: FileNumber): void {
    if (person.firstName === "") return this.#skip(person, text, "no_name");
    if (isTooLong(person)) return this.#skip(person, text, "too_long");
    const number = normalizeNumber(text, this.#country);
    if (!number.ok) return this.#skip(person, text, REASONS[number.problem]);
    const earlier = this.#planned.get(number.e164);
    // A number repeated within one card is not reported.
    if (earlier?.row === person.row) return;
    if (earlier !== undefined)
      return this.#skip(person, text, "repeated", { other: fullNameOf(earlier), other_row: earlier.row });
    const facts = contactFacts({
      ...person,
      email: contactEmail.safeParse(person.email).success ? person.email : null,
      phoneNumber: number.e164,
      phoneType: type,
      countryCode: number.countryCode,
    });
    this.#planned.set(number.e164, { ...facts, id: uuidv7(), row: person.row });
  }

  #skip(person: FileContact, number: string, reason: SkipReason, other: Partial<SkippedRow> = {}): void {
    const name = `${person.firstName} ${person.lastName}`.trim();
    this.#skipped.push({
      row: person.row,
      name: shortened(name),
      number: shortened(number),
      reason,
      other: null,
      other_row: null,
      ...other,
    });
  }

  /** The numbers to look for among the customer's contacts. */
  numbers(): string[] {
    return [...this.#planned.keys()];
  }

  /** @param known names of the customer's contacts by number; @param room how many more contacts the customer may keep */
  finish(known: ReadonlyMap<string, string>, room: number): ImportPlan {
    const contacts: PlannedContact[] = [];
    const skipped = [...this.#skipped];
    for (const contact of this.#planned.values()) {
      const skip = { row: contact.row, name: fullNameOf(contact), number: contact.phone_number, other: null, other_row: null };
      const other = known.get(contact.phone_number);
      if (other !== undefined) skipped.push({ ...skip, reason: "known", other });
      else if (contacts.length >= room) skipped.push({ ...skip, reason: "list_full" });
      else contacts.push(contact);
    }
    return { contacts, skipped: skipped.toSorted((a, b) => a.row - b.row) };
  }
}

/** The answer about a plan or a finished import. */
export function presentPlan({ contacts, skipped }: ImportPlan): Omit<ImportResponse, "preview" | "problem"> {
  const byReason: ImportResponse["skipped_by_reason"] = {};
  for (const { reason } of skipped) byReason[reason] = (byReason[reason] ?? 0) + 1;
  return {
    imported: contacts.length,
    skipped: skipped.length,
    imported_rows: contacts.slice(0, ROWS_LISTED).map((contact) => ({
      row: contact.row,
      name: fullNameOf(contact),
      phone_number: contact.phone_number,
      country_code: contact.country_code,
    })),
    skipped_rows: skipped.slice(0, ROWS_LISTED),
    skipped_by_reason: byReason,
  };
}

const SHOWN_CHARACTERS = 120;

function shortened(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS - 1).toWellFormed()}…`;
}

function isTooLong({ firstName, lastName, company, notes }: FileContact): boolean {
  return (
    firstName.length > contactLengths.first_name ||
    lastName.length > contactLengths.last_name ||
    company.length > contactLengths.company ||
    notes.length > contactLengths.notes
  );
}
