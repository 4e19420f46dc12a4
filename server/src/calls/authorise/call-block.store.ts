import type { Insertable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { CallTables } from "../calls.tables.ts";

/** Stops an account from calling for a while. `read_callers` looks here. */
export async function insertBlock(tx: Tx, block: Insertable<CallTables["call_block"]>): Promise<void> {
  await tx.insertInto("call_block").values(block).execute();
}
