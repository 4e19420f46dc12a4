import type { BillingDependencies } from "../billing-dependencies.ts";

/** Dependencies of receipts and statements. */
export type DocumentDependencies = Pick<BillingDependencies, "handle" | "clock" | "log" | "ledger" | "live"> & {
  readonly config: Pick<BillingDependencies["config"], "mode" | "seller" | "limitsScale">;
};
