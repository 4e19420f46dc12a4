import type { DataExport } from "@farline/contract/personal-data/export.ts";
import { randomUUID } from "node:crypto";
import { deleteMailLinks, type Customer, type EndElsewhere } from "../../accounts/accounts.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { RateLimit } from "../../platform/http/rate-limit.ts";
import type { PersonalDataDependencies } from "../personal-data-dependencies.ts";
import { deleteExport, findExport, replaceExport, takeExportTurn, type DataExportRow } from "./data-export.store.ts";

/** The customer's latest copy as they see it, or null. */
export async function readExport(
  { handle }: Pick<PersonalDataDependencies, "handle">,
  customerId: string,
): Promise<DataExport | null> {
  const row = await findExport(handle.db, customerId);
  return row === undefined ? null : presentExport(row);
}

/**
 * Starts a copy of everything held about the customer, unless one is being prepared. It replaces an earlier one, whose link
 * stops working.
 * @param limit counts the copies that are started; null for an operator's
 * @param record writes an operator's order on the record, in the same transaction
 * @throws AppError rate_limited
 */
export async function requestExport(
  { handle, clock }: Pick<PersonalDataDependencies, "handle" | "clock">,
  customer: Pick<Customer, "id">,
  limit: RateLimit | null,
  record?: (tx: Tx) => Promise<void>,
): Promise<void> {
  await handle.db.transaction().execute(async (tx) => {
    await takeExportTurn(tx, customer.id);
    if ((await findExport(tx, customer.id))?.state === "preparing") return;
    await limit?.take(customer.id);
    await deleteMailLinks(tx, { customerId: customer.id, use: "export_ready" });
    await replaceExport(tx, { id: randomUUID(), customerId: customer.id, at: clock.now() });
    await record?.(tx);
  });
}

/** An intruder may have asked for the copy: it goes with everything else that they set up. */
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
