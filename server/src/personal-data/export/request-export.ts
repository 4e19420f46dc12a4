import { MOVES_NOTHING, recordOperation } from "../../operator/operator.ts";
import type { DataExport } from "@farline/contract/personal-data/export.ts";
import { randomUUID } from "node:crypto";
import { deleteMailLinks, type Customer, type EndElsewhere } from "../../accounts/accounts.ts";
import type { RateLimit } from "../../platform/http/rate-limit.ts";
import { deleteExport, findExport, replaceExport, lockExportsOf, type DataExportRow } from "./data-export.store.ts";
import type { Context } from "../../context.ts";

/** The customer's latest copy as they see it, or null. */
export async function readExport({ handle }: Context, customerId: string): Promise<DataExport | null> {
  const row = await findExport(handle.db, customerId);
  return row === undefined ? null : presentExport(row);
}

/**
 * Starts a copy of everything stored about the customer, unless one is being prepared. It replaces an earlier one, whose
 * link stops working.
 * @param order.limit counts started copies; null for an operator's
 * @param order.reason the operator's; null for the customer's own request
 * @throws AppError rate_limited
 */
export async function requestExport(
  ctx: Context,
  customer: Pick<Customer, "id">,
  { limit, reason }: { readonly limit: RateLimit | null; readonly reason: string | null },
): Promise<void> {
  await ctx.transaction(async (tx) => {
    await lockExportsOf(tx, customer.id);
    if ((await findExport(tx, customer.id))?.state === "preparing") return;
    await limit?.take(customer.id);
    await deleteMailLinks(tx, { customerId: customer.id, use: "export_ready" });
    await replaceExport(tx, { id: randomUUID(), customerId: customer.id, at: ctx.clock.now() });
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "export-account",
      customerId: customer.id,
      subject: null,
      reason: reason ?? "",
    });
  });
}

/** An intruder may have requested the copy, so it is deleted with everything else that they set up. */
export const endExports: EndElsewhere = async (tx, { customerId }) => {
  await deleteMailLinks(tx, { customerId, use: "export_ready" });
  await deleteExport(tx, customerId);
  return [];
};

function presentExport(row: DataExportRow): DataExport {
  return {
    state: row.state,
    failure: row.failure,
    requested_at: row.requested_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    bytes: row.bytes === null ? null : Number(row.bytes),
  };
}
