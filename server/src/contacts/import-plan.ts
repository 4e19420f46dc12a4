import {
  contactEmail,
  ROWS_LISTED,
  type ChangedRow,
  type ImportResponse,
  type SkippedRow,
  type SkipReason,
} from "@farline/contract/contacts.ts";
import type { FileContact, FileNumber, RepairKind } from "@farline/domain/contacts/contact-file.ts";
import { MAX_NUMBERS_PER_CONTACT } from "@farline/domain/contacts/contact-details.ts";
import { foldText } from "@farline/domain/contacts/fold-text.ts";
import { withExtension } from "@farline/domain/numbers/extension.ts";
import { readNumberText } from "@farline/domain/numbers/number-text.ts";
import type { NumberProblem } from "@farline/domain/numbers/phone-number.ts";
import { readFileNumber } from "@farline/domain/contacts/stated-country.ts";
import { uuidv7 } from "uuidv7";
import { contactFacts, fullNameOf, isSameName } from "./contact-facts.ts";
import type { ContactFacts, KnownNumber, NewNumbers } from "./contact.store.ts";
import { numberKey, type NumberFacts } from "./contacts.tables.ts";

/** The plan for a file: each entry becomes a new contact, adds numbers to an existing one, or is skipped for a reason. */
export interface ImportPlan {
  readonly contacts: PlannedContact[];
  /** Numbers to add to existing contacts of the same name. */
  readonly added: (NewNumbers & { readonly person: PlannedContact })[];
  readonly skipped: SkippedRow[];
  /** Rows that are not imported as they stand in the file. */
  readonly changed: readonly ChangedRow[];
}

type PlannedContact = ContactFacts & { readonly id: string; readonly row: number };

const REASONS: Readonly<Record<NumberProblem | "country_unknown" | "country_contradicts", SkipReason>> = {
  empty: "no_number",
  emergency: "emergency",
  short_code: "short_code",
  star_code: "invalid_number",
  country_required: "country_required",
  ambiguous: "ambiguous",
  unknown_code: "invalid_number",
  renumbered: "renumbered",
  impossible: "invalid_number",
  invalid: "invalid_number",
  country_unknown: "country_unknown",
  country_contradicts: "country_contradicts",
};

/** Collects the rows of one file. Existing numbers are looked up after the last row. */
export class ImportPlanner {
  readonly #country: string | null;
  readonly #planned: PlannedContact[] = [];
  /** The first row of each name and number. Several names may share a number. */
  readonly #rows = new Map<string, number>();
  readonly #skipped: SkippedRow[] = [];
  readonly #changed: ChangedRow[] = [];

  /** @param country ISO code for numbers without a country code, or null */
  constructor(country: string | null) {
    this.#country = country;
  }

  add(person: FileContact): void {
    const email = contactEmail.safeParse(person.email).success ? person.email : null;
    const repairs = new Set(person.repairs);
    if (email === null && person.email !== "") repairs.add("email_left_out");
    if (person.damage !== null) {
      this.#skip(person, person.numbers.map(({ text }) => text).join(", "), person.damage);
      return;
    }
    if (person.numbers.length === 0) this.#skip(person, "", "no_number");
    const [first, ...others] = person.numbers.flatMap((number) => this.#numberOf(person, number, repairs) ?? []);
    if (repairs.size > 0) this.#changed.push({ row: person.row, name: shortened(nameOf(person)), repairs: [...repairs] });
    if (first === undefined) return;
    const facts = contactFacts({ ...person, email, numbers: [first, ...others] });
    this.#planned.push({ ...facts, id: uuidv7(), row: person.row });
  }

  /** Null for a skipped number. */
  #numberOf(person: FileContact, inFile: FileNumber, repairs: Set<RepairKind>): NumberFacts | null {
    const { text, type, stated } = inFile;
    if (person.firstName === "") return this.#skip(person, text, "no_name");
    const written = readFileNumber(inFile, this.#country);
    const today =
      !written.ok && written.problem === "renumbered" && written.choices.length === 1 ? written.choices[0] : undefined;
    const number = today === undefined ? written : readFileNumber({ ...inFile, text: today.e164 }, null);
    if (today !== undefined && number.ok) repairs.add("number_renewed");
    if (!number.ok) {
      const choices = number.problem === "ambiguous" ? number.choices.map(({ e164 }) => e164) : [];
      return this.#skip(person, text, REASONS[number.problem], { choices, country: shortened(stated?.text ?? "") });
    }
    if (!number.valid) return this.#skip(person, text, "unsure_number");
    const facts = {
      phone_number: number.e164,
      extension: readNumberText(text).extension,
      phone_number_type: type,
      country_code: number.countryCode,
    };
    const key = `${numberKey(facts)} ${foldText(nameOf(person))}`;
    const earlier = this.#rows.get(key);
    // A number repeated within one card is not reported.
    if (earlier === person.row) return null;
    if (earlier !== undefined) return this.#skip(person, text, "repeated", { other_row: earlier });
    this.#rows.set(key, person.row);
    return facts;
  }

  #skip(person: FileContact, number: string, reason: SkipReason, more: Partial<SkippedRow> = {}): null {
    this.#skipped.push({
      row: person.row,
      name: shortened(nameOf(person)),
      number: shortened(number),
      reason,
      other_row: null,
      choices: [],
      country: "",
      ...more,
    });
    return null;
  }

  /** The numbers to look up among the customer's contacts. */
  numbers(): string[] {
    return [...new Set(this.#planned.flatMap(({ numbers }) => numbers.map((number) => number.phone_number)))];
  }

  /** @param known the customer's contacts with any of the numbers; @param room how many more contacts the customer may add */
  finish(known: readonly KnownNumber[], room: number): ImportPlan {
    const owners = Map.groupBy(known, (owner) => owner.phone_number);
    const counts = new Map(known.map(({ id, count }) => [id, count]));
    const plan: ImportPlan = { contacts: [], added: [], skipped: [...this.#skipped], changed: this.#changed };
    for (const person of this.#planned) {
      // A shared number alone does not identify a contact: the name must match too.
      const ownEntries = person.numbers
        .flatMap((number) => owners.get(number.phone_number) ?? [])
        .filter((owner) => isSameName(owner, person));
      const keys = new Set(ownEntries.map(numberKey));
      for (const number of person.numbers.filter((one) => keys.has(numberKey(one))))
        plan.skipped.push(skippedNumber(person, number, "known"));
      const [first, ...others] = person.numbers.filter((number) => !keys.has(numberKey(number)));
      if (first === undefined) continue;
      const numbers = [first, ...others] as const;
      const [same] = ownEntries;
      const from = same === undefined ? 0 : (counts.get(same.id) ?? 0);
      if (same !== undefined && from + numbers.length <= MAX_NUMBERS_PER_CONTACT) {
        counts.set(same.id, from + numbers.length);
        plan.added.push({ id: same.id, numbers, from, person });
      } else if (plan.contacts.length >= room)
        for (const number of numbers) plan.skipped.push(skippedNumber(person, number, "list_full"));
      else plan.contacts.push({ ...person, numbers });
    }
    return { ...plan, skipped: plan.skipped.toSorted((a, b) => a.row - b.row) };
  }
}

function skippedNumber(person: PlannedContact, number: NumberFacts, reason: SkipReason): SkippedRow {
  return {
    row: person.row,
    name: fullNameOf(person),
    number: readable(number),
    reason,
    other_row: null,
    choices: [],
    country: "",
  };
}

function nameOf({ firstName, lastName }: FileContact): string {
  return `${firstName} ${lastName}`.trim();
}

/** The response for a plan or a finished import. */
export function presentPlan({
  contacts,
  added,
  skipped,
  changed,
}: ImportPlan): Omit<ImportResponse, "preview" | "problem" | "file"> {
  const byReason: ImportResponse["skipped_by_reason"] = {};
  for (const { reason } of skipped) byReason[reason] = (byReason[reason] ?? 0) + 1;
  const imported: readonly (PlannedContact & { readonly merged: boolean })[] = [
    ...contacts.map((contact) => ({ ...contact, merged: false })),
    ...added.map(({ person, numbers }) => ({ ...person, numbers, merged: true })),
  ].toSorted((a, b) => a.row - b.row);
  return {
    imported: imported.length,
    merged: added.length,
    skipped: skipped.length,
    changed: changed.length,
    imported_rows: imported.slice(0, ROWS_LISTED).map((contact) => ({
      row: contact.row,
      name: fullNameOf(contact),
      phone_numbers: contact.numbers.map(readable),
      country_code: contact.numbers[0].country_code,
      merged: contact.merged,
    })),
    skipped_rows: skipped.slice(0, ROWS_LISTED),
    changed_rows: changed.slice(0, ROWS_LISTED),
    skipped_by_reason: byReason,
  };
}

function readable({ phone_number, extension }: NumberFacts): string {
  return withExtension(phone_number, extension);
}

const SHOWN_CHARACTERS = 120;

function shortened(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS - 1).toWellFormed()}…`;
}
