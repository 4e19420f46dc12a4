import { contactNumbers, contactNumbersFor } from "../../contacts/contacts.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { ContactNumbers } from "./call-condition.ts";

/** Looks up one customer's contacts for a filter. */
export function contactNumbersOf(tx: Tx, customerId: string): ContactNumbers {
  return {
    ofContact: (contactId) => contactNumbers(tx, customerId, contactId),
    ofNames: (text) => contactNumbersFor(tx, customerId, text),
  };
}
