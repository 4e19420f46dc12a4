import type { Insertable } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import type { CallTables } from "../record/calls.tables.ts";

/** Blocks an account's calls until `blocked_until`. Read by `read_call_counters`. */
export async function insertBlock(tx: Tx, block: Insertable<CallTables["call_block"]>): Promise<void> {
  await tx.insertInto("call_block").values(block).execute();
}
