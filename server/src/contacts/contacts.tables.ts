import type { PhoneType } from "@farline/contract/contacts.ts";
import type { Selectable } from "kysely";

interface ContactTable {
  id: string;
  customer_id: string;
  first_name: string;
  last_name: string | null;
  company: string | null;
  email: string | null;
  /** E.164. */
  phone_number: string;
  phone_number_type: PhoneType;
  country_code: string;
  notes: string | null;
  favorite: boolean;
  sort_key: string;
  search_text: string;
  created_at: Date;
  updated_at: Date;
}

/** Tables of this subject, as Kysely sees them. */
export interface ContactTables {
  contact: ContactTable;
}

export type ContactRow = Selectable<ContactTable>;
