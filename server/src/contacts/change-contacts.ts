import { isUuid } from "@farline/domain/uuid.ts";
import type { contactChangeRequest, contactRequest } from "@farline/contract/contacts.ts";
import { mapDetails, MAX_CONTACTS } from "@farline/domain/contacts/contact-details.ts";
import { readNumberText } from "@farline/domain/numbers/number-text.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import { uuidv7 } from "uuidv7";
import type { z } from "zod";
import type { Customer } from "../accounts/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import type { Transaction } from "../platform/database/database.ts";
import { toNumberError } from "../rates/rates.ts";
import { contactFacts, fullNameOf, isSameName } from "./contact-facts.ts";
import { mergeChange } from "./merge-change.ts";
import {
  ALL_CONTACTS,
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
import { numberKey, type ContactRow, type NumberFacts } from "./contacts.tables.ts";
import type { Context } from "../context.ts";

type ContactInput = z.output<typeof contactRequest>;
type ContactChange = z.output<typeof contactChangeRequest>;

/** @throws AppError conflict (a contact with this name has the number, or the list is full), number_invalid, number_ambiguous, country_required, emergency_number */
export async function addContact(ctx: Context, customer: Customer, input: ContactInput): Promise<ContactRow> {
  const facts = factsOf(input, null);
  const id = uuidv7();
  return tellPages(ctx, customer, async (tx) => {
    await lockContactsOf(tx, customer.id);
    if ((await countContacts(tx, customer.id, ALL_CONTACTS)) >= MAX_CONTACTS)
      throw new AppError("conflict", { reason: "contacts_full", params: { max: MAX_CONTACTS } });
    await requireNew(tx, customer, { ...facts, id });
    await insertContacts(tx, customer.id, { contacts: [{ ...facts, id }], now: ctx.clock.now() });
    return found(await findContact(tx, customer.id, id));
  });
}

/** Replaces the fields of a contact, but for those that were left as they were seen. @throws AppError not_found, and those of `addContact` */
export async function changeContact(
  ctx: Context,
  customer: Customer,
  { id, input }: { id: string; input: ContactChange },
): Promise<ContactRow> {
  return tellPages(ctx, customer, async (tx) => {
    await lockContactsOf(tx, customer.id);
    const before = found(isUuid(id) ? await findContact(tx, customer.id, id) : undefined);
    const facts = factsOf(mergeChange(input, before), before);
    await requireNew(tx, customer, { ...facts, id: before.id });
    // A chosen clock is where the number is, so another number needs another choice.
    const clock = facts.numbers[0].phone_number === before.numbers[0].phone_number ? before.time_zone : null;
    await updateContact(tx, customer.id, { id, facts, clock, now: ctx.clock.now() });
    return found(await findContact(tx, customer.id, id));
  });
}

/** @throws AppError not_found */
export async function removeContact(ctx: Context, customer: Customer, id: string): Promise<void> {
  if (!isUuid(id)) throw contactNotFound();
  await tellPages(ctx, customer, async (tx) => {
    await lockContactsOf(tx, customer.id);
    if (!(await deleteContact(tx, customer.id, id))) throw contactNotFound();
  });
}

/** Toggles a favourite. @throws AppError not_found */
export async function switchFavorite(ctx: Context, customer: Customer, id: string): Promise<ContactRow> {
  if (!isUuid(id)) throw contactNotFound();
  return tellPages(ctx, customer, async (tx) => {
    if (!(await toggleFavorite(tx, customer.id, { id, now: ctx.clock.now() }))) throw contactNotFound();
    return found(await findContact(tx, customer.id, id));
  });
}

/** Changes contacts, and tells the customer's open pages once it is done. */
export async function tellPages<Result>(
  { live, transaction }: Context,
  customer: Pick<Customer, "id">,
  change: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const result = await transaction(change);
  live.publish(customer.id, { type: "contacts" });
  return result;
}

function factsOf(input: ContactInput, before: ContactRow | null): ContactFacts {
  const facts = contactFacts({
    firstName: input.first_name,
    lastName: input.last_name,
    ...mapDetails((detail) => input[detail]),
    email: input.email,
    notes: input.notes,
    numbers: numbersOf(input, before),
    favorite: input.favorite ?? before?.favorite ?? false,
  });
  // The input may have consisted of control characters.
  if (facts.first_name !== "") return facts;
  throw new AppError("validation_failed", { reason: "first_name_needed", field: "first_name" });
}

/** The main number and the others, without duplicates. */
function numbersOf(input: ContactInput, before: ContactRow | null): ContactFacts["numbers"] {
  const known = before?.numbers ?? [];
  const main = numberFacts(input, known, 0);
  const others = input.other_numbers?.map((other, index) => numberFacts(other, known, index + 1)) ?? known.slice(1);
  const seen = new Set([numberKey(main)]);
  return [main, ...others.filter((number) => !seen.has(numberKey(number)) && seen.add(numberKey(number)))];
}

function numberFacts(
  input: Pick<ContactInput, "phone_number" | "country_code" | "phone_number_type">,
  known: readonly NumberFacts[],
  position: number,
): NumberFacts {
  const { extension } = readNumberText(input.phone_number);
  const number = normalizeNumber(input.phone_number, input.country_code ?? null);
  const field = fieldOf(position);
  if (!number.ok) throw toNumberError(number, { number: field, country: field });
  const before = known.find((one) => one.phone_number === number.e164);
  const type = input.phone_number_type ?? before?.phone_number_type ?? "mobile";
  return { phone_number: number.e164, extension, phone_number_type: type, country_code: number.countryCode };
}

/** The request field of a number. */
function fieldOf(position: number): string {
  return position === 0 ? "phone_number" : `other_numbers.${position - 1}.phone_number`;
}

/** @throws AppError conflict if another contact of the same name has one of the numbers, for example a form sent twice */
async function requireNew(
  tx: Transaction,
  customer: Customer,
  contact: Pick<ContactRow, "id" | "numbers" | "first_name" | "last_name">,
): Promise<void> {
  const keys = contact.numbers.map(numberKey);
  const known = await findContactsOfNumbers(
    tx,
    customer.id,
    contact.numbers.map((number) => number.phone_number),
  );
  const other = known.find((one) => one.id !== contact.id && keys.includes(numberKey(one)) && isSameName(one, contact));
  if (other === undefined) return;
  const field = fieldOf(keys.indexOf(numberKey(other)));
  throw new AppError("conflict", { reason: "contact_known", params: { name: fullNameOf(other) }, field });
}

function found(row: ContactRow | undefined): ContactRow {
  if (row === undefined) throw contactNotFound();
  return row;
}

function contactNotFound(): AppError {
  return new AppError("not_found", { reason: "contact_unknown" });
}
