import type { TermName } from "@farline/domain/business/customer-terms.ts";
import type { Selectable } from "kysely";

interface CustomerTermTable {
  customer_id: string;
  name: TermName;
  /** A tier's name, micro-dollars or a count. */
  value: string;
  until: Date;
  set_at: Date;
  set_by: string;
  reason: string;
}

/** Kysely types of the tables of customers' terms. */
export interface TermTables {
  customer_term: CustomerTermTable;
}

/** Something that an operator has set for a customer until a time. */
export type CustomerTerm = Selectable<CustomerTermTable> & { readonly operator: string };
