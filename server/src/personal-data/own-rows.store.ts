import { sql, type RawBuilder } from "kysely";
import type { PersonalTable } from "./personal-tables.ts";

/** The condition that selects the customer's rows of a table. */
export function ownRows({ rows }: Pick<PersonalTable, "rows">, customerId: string): RawBuilder<unknown> {
  return sql.join(
    rows.split("$1").map((part) => sql.raw(part)),
    sql`${customerId}::uuid`,
  );
}
