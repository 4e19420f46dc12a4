import type { ReceiptRow } from "../../src/billing/documents/receipt.store.ts";

const AT = new Date("2026-05-18T19:42:00Z");

/** A receipt for twenty dollars. */
export function sampleReceipt(changes: Partial<ReceiptRow> = {}): ReceiptRow {
  return {
    id: "0196e2f0-1c9c-7cc1-8c3b-3f5a1f0c9a10",
    year: 2026,
    sequence: 42,
    number: "2026-000042",
    customer_id: "1",
    kind: "payment",
    payment_id: "0196e2f0-1c9c-7cc1-8c3b-3f5a1f0c9a11",
    refund_id: null,
    corrects_id: null,
    corrects_number: null,
    for_other: false,
    amount_micros: 20_000_000n,
    bonus_micros: 1_000_000n,
    card_brand: "visa",
    card_last4: "4242",
    buyer_name: "Ada Caller",
    buyer_email: "ada@example.com",
    seller: { name: "Calls Ltd", address: ["1 Road", "London"], taxId: "GB1", taxMillipercent: 20_000, taxNote: null },
    sample: false,
    paid_at: AT,
    issued_at: AT,
    tax_micros: 3_330_000n,
    books_month: null,
    ...changes,
  };
}
