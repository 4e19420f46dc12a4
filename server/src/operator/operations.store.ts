import { uuidv7 } from "uuidv7";
import type { Tx } from "../platform/database/database.ts";

/** Something an operator did, for the record. */
export interface Operation {
  /** Who, for example the name at the shell. */
  readonly operator: string;
  /** For example "refund" or "freeze". */
  readonly action: string;
  readonly customerId: string | null;
  /** The payment, call or dispute it was about. */
  readonly subject: string | null;
  readonly reason: string;
  /** Further details. No secrets, no card data. */
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
  readonly at: Date;
}

const REASON_LENGTH = 500;

/** Records what an operator does, in the same transaction. */
export async function recordOperation(tx: Tx, operation: Operation): Promise<void> {
  await tx
    .insertInto("operation")
    .values({
      id: uuidv7(),
      operator: operation.operator,
      action: operation.action,
      customer_id: operation.customerId,
      subject: operation.subject,
      reason: operation.reason.slice(0, REASON_LENGTH),
      detail: JSON.stringify(operation.detail ?? {}),
      happened_at: operation.at,
    })
    .execute();
}
