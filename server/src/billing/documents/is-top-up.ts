import type { ReceiptKind } from "@farline/contract/billing-documents.ts";

/** Whether a receipt is for bought credit, and so totals the credit received. */
export function isTopUp(kind: ReceiptKind): boolean {
  return kind === "payment" || kind === "auto_top_up";
}
