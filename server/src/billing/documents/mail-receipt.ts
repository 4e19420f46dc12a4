import type { ReceiptKind } from "@farline/contract/billing-documents.ts";
import { formatDollars } from "@farline/domain/money.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { Seller } from "../../platform/settings/seller.ts";
import { cardName, isTopUp } from "./document-texts.ts";
import { taxOf } from "./tax-within.ts";

interface ReceiptToMail {
  readonly id: string;
  readonly number: string;
  readonly kind: ReceiptKind;
  readonly amount_micros: bigint;
  readonly bonus_micros: bigint;
  readonly tax_micros: bigint | null;
  readonly card_brand: string | null;
  readonly card_last4: string | null;
  readonly paid_at: Date;
  readonly issued_at: Date;
  readonly sample: boolean;
  readonly seller: Seller;
}

/** Queues the mail with a receipt's content and a link to its page. */
export async function mailReceipt(
  tx: Tx,
  buyer: Pick<Customer, "name" | "email" | "language">,
  receipt: ReceiptToMail,
): Promise<void> {
  const { seller } = receipt;
  const tax = taxOf(receipt);
  await enqueueMail(tx, {
    template: "receipt",
    data: {
      name: buyer.name,
      receiptId: receipt.id,
      kind: receipt.kind,
      number: receipt.number,
      amount: formatDollars(receipt.amount_micros),
      bonus: receipt.bonus_micros === 0n ? null : formatDollars(receipt.bonus_micros),
      credited: isTopUp(receipt.kind) ? formatDollars(receipt.amount_micros + receipt.bonus_micros) : null,
      tax: tax === null ? null : { percent: tax.percent, amount: formatDollars(tax.amountMicros) },
      card: cardName(receipt),
      at: receipt.paid_at.toISOString(),
      seller: [seller.name, ...seller.address, ...(seller.taxId === null ? [] : [seller.taxId])],
      taxNote: seller.taxNote,
      sample: receipt.sample,
    },
    to: buyer.email,
    language: buyer.language,
    key: `receipt ${receipt.id}`,
    at: receipt.issued_at,
  });
}
