import type { Receipt, ReceiptDetails } from "@farline/contract/billing-documents.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { ReceiptRow } from "./receipt.store.ts";
import { taxOf } from "./tax-within.ts";

/** A receipt as shown in a list. */
export function presentReceipt(row: ReceiptRow): Receipt {
  const { card_brand: brand, card_last4: last4 } = row;
  return {
    id: row.id,
    number: row.number,
    kind: row.kind,
    amount: toDecimalString(row.amount_micros),
    bonus: toDecimalString(row.bonus_micros),
    currency: "USD",
    paid_at: row.paid_at.toISOString(),
    issued_at: row.issued_at.toISOString(),
    card: brand === null ? null : { brand, last4 },
    payment_id: row.payment_id,
  };
}

/** A receipt with all its details. */
export function presentReceiptDetails(row: ReceiptRow): ReceiptDetails {
  const { seller } = row;
  const tax = taxOf(row);
  return {
    ...presentReceipt(row),
    buyer: { name: row.buyer_name, email: row.buyer_email },
    seller: { name: seller.name, address: [...seller.address], tax_id: seller.taxId },
    tax: tax === null ? null : { percent: tax.percent, amount: toDecimalString(tax.amountMicros) },
    tax_note: seller.taxNote,
    books_month: row.books_month,
    corrects: row.corrects_number,
    sample: row.sample,
  };
}
