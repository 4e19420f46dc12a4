import type { TermName } from "@farline/domain/business/customer-terms.ts";
import type { Insertable } from "kysely";
import type { Transaction, Tx } from "../platform/database/database.ts";
import type { CustomerTerm, TermTables } from "./terms.tables.ts";

/** What is set for a customer now. */
export function listTerms(tx: Tx, customerId: string, now: Date): Promise<CustomerTerm[]> {
  return tx
    .selectFrom("customer_term")
    .innerJoin("operator", "operator.id", "customer_term.set_by")
    .selectAll("customer_term")
    .select("operator.name as operator")
    .where("customer_id", "=", customerId)
    .where("until", ">", now)
    .orderBy("customer_term.name")
    .execute();
}

/** Sets a term, in place of an earlier one of the same name. */
export async function storeTerm(tx: Transaction, term: Insertable<TermTables["customer_term"]>): Promise<void> {
  const { customer_id: _customer, name: _name, ...changed } = term;
  await tx
    .insertInto("customer_term")
    .values(term)
    .onConflict((conflict) => conflict.columns(["customer_id", "name"]).doUpdateSet(changed))
    .execute();
}

export async function deleteTerm(tx: Transaction, customerId: string, name: TermName): Promise<void> {
  await tx.deleteFrom("customer_term").where("customer_id", "=", customerId).where("name", "=", name).execute();
}
