import { mapDetails } from "@farline/domain/contacts/contact-details.ts";
import { uuidv7 } from "uuidv7";
import { contactFacts } from "../src/contacts/contact-facts.ts";
import { insertContacts } from "../src/contacts/contact.store.ts";
import type { DatabaseHandle } from "../src/platform/database/database.ts";

interface NewContact {
  readonly firstName: string;
  readonly lastName?: string | null;
  readonly number: string;
  readonly countryCode?: string;
}

/** Gives a customer a contact with a mobile number, British unless said. Returns the contact's id. */
export async function addContact(
  { db }: DatabaseHandle,
  customerId: string,
  { firstName, lastName = null, number, countryCode = "GB" }: NewContact,
): Promise<string> {
  const id = uuidv7();
  const facts = contactFacts({
    firstName,
    lastName,
    ...mapDetails(() => null),
    email: null,
    notes: null,
    numbers: [{ phone_number: number, extension: "", phone_number_type: "mobile", country_code: countryCode }],
    favorite: false,
  });
  await db.transaction().execute((tx) => insertContacts(tx, customerId, { contacts: [{ ...facts, id }], now: new Date() }));
  return id;
}
