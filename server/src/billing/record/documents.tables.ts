import type { ReceiptKind } from "@farline/contract/billing-documents.ts";
import type { ColumnType, GeneratedAlways } from "kysely";
import type { Seller } from "../../platform/settings/seller.ts";

/** Kysely types of the document tables. */
export interface DocumentTables {
  receipt_counter: { year: number; last_number: number };
  receipt_to_mark: { receipt_id: string };
  recovered_receipt: { subject_id: string; year: number; sequence: number; issued_at: Date };
  receipt: {
    id: string;
    year: number;
    sequence: number;
    number: GeneratedAlways<string>;
    customer_id: string;
    kind: ReceiptKind;
    payment_id: string;
    refund_id: string | null;
    corrects_id: string | null;
    amount_micros: bigint;
    bonus_micros: bigint;
    card_brand: string | null;
    card_last4: string | null;
    buyer_name: string;
    buyer_email: string;
    /** JSON text on insert. */
    seller: ColumnType<Seller, string, never>;
    sample: boolean;
    paid_at: Date;
    issued_at: Date;
    tax_micros: bigint | null;
    books_month: string | null;
  };
}
