import type { Selectable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { BillingTables } from "../record/billing.tables.ts";

export type CreditPackageRow = Selectable<BillingTables["credit_package"]>;

const MAX_PACKAGES = 50;

/** Packages on sale, cheapest first. */
export function packagesOnSale(tx: Tx): Promise<CreditPackageRow[]> {
  return tx
    .selectFrom("credit_package")
    .selectAll()
    .where("on_sale", "=", true)
    .orderBy("amount_micros")
    .limit(MAX_PACKAGES)
    .execute();
}

export function packageOnSale(tx: Tx, id: string): Promise<CreditPackageRow | undefined> {
  return tx.selectFrom("credit_package").selectAll().where("on_sale", "=", true).where("id", "=", id).executeTakeFirst();
}
