import type { ReceiptKind } from "@farline/contract/billing-documents.ts";

/** Whether a receipt is for credit bought: then it totals the credit received. */
export function isTopUp(kind: ReceiptKind): boolean {
  return kind === "payment" || kind === "auto_top_up";
}
