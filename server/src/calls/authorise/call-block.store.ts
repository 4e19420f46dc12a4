import type { Insertable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { CallTables } from "../record/calls.tables.ts";

/** Blocks an account's calls for a while. `read_caller_counters` reads this. */
export async function insertBlock(tx: Tx, block: Insertable<CallTables["call_block"]>): Promise<void> {
  await tx.insertInto("call_block").values(block).execute();
}
