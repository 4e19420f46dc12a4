import { MOVES_NOTHING, recordOperation } from "../operator/operator.ts";
import type { OperatorContext } from "../context.ts";
import { endRestore, restoreInProgress } from "./restore.store.ts";

/**
 * Opens the doors by an operator's decision although differences remain, which are settled afterwards one by one.
 * @returns false if no restore is in progress, or if it was never checked: then receipt numbers could be given twice
 */
export async function openDoors(ctx: OperatorContext, { reason }: { reason: string }): Promise<boolean> {
  return ctx.transaction(async (tx) => {
    const restore = await restoreInProgress(tx);
    if (restore === undefined || restore.receipts_above === null) return false;
    await endRestore(tx, restore.id, ctx.clock.now());
    await recordOperation(tx, ctx, { moves: MOVES_NOTHING, action: "open-doors", customerId: null, subject: restore.id, reason });
    return true;
  });
}
