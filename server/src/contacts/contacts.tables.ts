import type { PhoneType } from "@farline/contract/contacts.ts";
import type { ContactDetail } from "@farline/domain/contacts/contact-details.ts";
import type { Selectable } from "kysely";

interface ContactTable extends Record<ContactDetail, string | null> {
  id: string;
  customer_id: string;
  first_name: string;
  last_name: string | null;
  email: string | null;
  notes: string | null;
  favorite: boolean;
  /** The clock that the customer chose for the main number, of several that its country has. */
  time_zone: string | null;
  sort_key: string;
  search_text: string;
  created_at: Date;
  updated_at: Date;
}

interface ContactNumberTable {
  customer_id: string;
  contact_id: string;
  /** 0 is the main number. */
  position: number;
  /** E.164. */
  phone_number: string;
  /** Dialled after the answer: digits, * and #, with a comma for each pause. Empty for none. */
  extension: string;
  phone_number_type: PhoneType;
  country_code: string;
}

/** Kysely types of this subject's tables. */
export interface ContactTables {
  contact: ContactTable;
  contact_number: ContactNumberTable;
}

export type NumberFacts = Pick<
  Selectable<ContactNumberTable>,
  "phone_number" | "extension" | "phone_number_type" | "country_code"
>;

/** Numbers of a contact with the same key are duplicates. */
export function numberKey({ phone_number, extension }: Pick<NumberFacts, "phone_number" | "extension">): string {
  return phone_number + extension;
}

/** A contact with its numbers in order, the main one first. */
export type ContactRow = Selectable<ContactTable> & { readonly numbers: readonly [NumberFacts, ...NumberFacts[]] };
