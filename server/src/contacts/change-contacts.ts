import type { contactRequest } from "@farline/contract/contacts.ts";
import { MOST_CONTACTS } from "@farline/domain/contacts/contact-limits.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import type { Customer } from "../accounts/accounts.ts";
import { AppError } from "../platform/http/app-error.ts";
import type { Tx } from "../platform/database/database.ts";
import { toNumberError } from "../rates/rates.ts";
import { contactFacts, fullNameOf } from "./contact-facts.ts";
import type { ContactDependencies } from "./contact-dependencies.ts";
import {
  countContacts,
  deleteContact,
  findContact,
  findContactsOfNumbers,
  insertContacts,
  lockContactsOf,
  toggleFavorite,
  updateContact,
  type ContactFacts,
} from "./contact.store.ts";
import type { ContactRow } from "./contacts.tables.ts";

type Dependencies = Pick<ContactDependencies, "handle" | "clock">;
type ContactInput = z.output<typeof contactRequest>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const UNIQUE_VIOLATION = "23505";
const EVERY_ONE = { words: [], digits: null, favoritesOnly: false } as const;

/** @throws AppError conflict (the number is known, or the list is full), number_invalid, country_required, emergency_number */
export async function addContact({ handle, clock }: Dependencies, customer: Customer, input: ContactInput): Promise<ContactRow> {
  const facts = factsOf(input, null);
  return handle.db.transaction().execute(async (tx) => {
    await lockContactsOf(tx, customer.id);
    if ((await countContacts(tx, customer.id, EVERY_ONE)) >= MOST_CONTACTS)
      throw new AppError("conflict", `You have ${MOST_CONTACTS} contacts. That is the most we keep.`);
    const [added] = await insertContacts(tx, customer.id, { contacts: [{ ...facts, id: uuidv7() }], now: clock.now() });
    if (added === undefined) throw await numberTaken(tx, customer, facts.phone_number);
    return added;
  });
}

/** Replaces every text of a contact. @throws AppError not_found, and those of `addContact` */
export async function changeContact(
  { handle, clock }: Dependencies,
  customer: Customer,
  { id, input }: { id: string; input: ContactInput },
): Promise<ContactRow> {
  const before = UUID.test(id) ? await findContact(handle.db, customer.id, id) : undefined;
  if (before === undefined) throw contactNotFound();
  const facts = factsOf(input, before);
  try {
    return found(await updateContact(handle.db, customer.id, { id, facts, now: clock.now() }));
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
    throw await numberTaken(handle.db, customer, facts.phone_number);
  }
}

/** @throws AppError not_found */
export async function removeContact({ handle }: Pick<Dependencies, "handle">, customer: Customer, id: string): Promise<void> {
  if (!UUID.test(id) || !(await deleteContact(handle.db, customer.id, id))) throw contactNotFound();
}

/** Toggles a favourite. @throws AppError not_found */
export async function switchFavorite({ handle, clock }: Dependencies, customer: Customer, id: string): Promise<ContactRow> {
  return found(UUID.test(id) ? await toggleFavorite(handle.db, customer.id, { id, now: clock.now() }) : undefined);
}

function factsOf(input: ContactInput, before: ContactRow | null): ContactFacts {
  const number = normalizeNumber(input.phone_number, input.country_code ?? null);
  if (!number.ok) throw toNumberError(number.problem, number.emergencyNumber, "phone_number");
  const facts = contactFacts({
    firstName: input.first_name,
    lastName: input.last_name,
    company: input.company,
    email: input.email,
    notes: input.notes,
    phoneNumber: number.e164,
    countryCode: number.countryCode,
    phoneType: input.phone_number_type ?? before?.phone_number_type ?? "mobile",
    favorite: input.favorite ?? before?.favorite ?? false,
  });
  // The typed text may have been control characters only.
  if (facts.first_name !== "") return facts;
  const text = "Enter a first name.";
  throw new AppError("validation_failed", text, { fields: { first_name: [text] } });
}

function found(row: ContactRow | undefined): ContactRow {
  if (row === undefined) throw contactNotFound();
  return row;
}

function contactNotFound(): AppError {
  return new AppError("not_found", "This contact does not exist.");
}

async function numberTaken(tx: Tx, customer: Customer, number: string): Promise<AppError> {
  const [other] = await findContactsOfNumbers(tx, customer.id, [number]);
  const message =
    other === undefined ? "Another contact has this number." : `You already have this number as ${fullNameOf(other)}.`;
  return new AppError("conflict", message, { fields: { phone_number: [message] } });
}
