import type { BillingParts } from "../billing-parts.ts";

/** Sources of receipts and statements. */
export type DocumentParts = Pick<BillingParts, "handle" | "clock" | "log" | "ledger" | "live"> & {
  readonly config: Pick<BillingParts["config"], "mode" | "seller" | "limitsScale">;
};
