import { contactNumber, contactNumbersFor } from "../../contacts/contacts.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { ContactNumbers } from "./call-condition.ts";

/** Looks up one customer's contacts for a filter. */
export function contactNumbersOf(tx: Tx, customerId: string): ContactNumbers {
  return {
    async ofContact(contactId) {
      const number = await contactNumber(tx, customerId, contactId);
      return number === null ? [] : [number];
    },
    ofNames: (text) => contactNumbersFor(tx, customerId, text),
  };
}
