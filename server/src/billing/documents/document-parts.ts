import type { BillingParts } from "../billing-parts.ts";

/** What receipts and statements are made from. */
export type DocumentParts = Pick<BillingParts, "handle" | "clock" | "log" | "ledger" | "live"> & {
  readonly config: Pick<BillingParts["config"], "mode" | "seller" | "limitsScale">;
};
