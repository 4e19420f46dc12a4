import type Stripe from "stripe";
import { z } from "zod";

/** Digits of the year and of the number within it, as in 2026-000153. */
const NUMBER = /^(?<year>\d{4})-(?<sequence>\d{6,9})$/;
const schema = z.object({
  receipt: z.string().regex(NUMBER),
  receipt_issued_at: z.iso.datetime().transform((text) => new Date(text)),
});

/** A receipt's number, as the provider keeps it with its payment or refund. */
interface ReceiptMark {
  readonly year: number;
  readonly sequence: number;
  readonly issuedAt: Date;
}

/** A receipt of a returned refund is not kept: its refund keeps its first one. */
export function receiptMark(receipt: { number: string; kind: string; issued_at: Date }): Stripe.MetadataParam {
  return receipt.kind === "refund_returned"
    ? { receipt_returned: receipt.number }
    : { receipt: receipt.number, receipt_issued_at: receipt.issued_at.toISOString() };
}

export function readReceiptMark(metadata: Stripe.Metadata | null): ReceiptMark | null {
  const read = schema.safeParse(metadata);
  if (!read.success) return null;
  const { year = "", sequence = "" } = NUMBER.exec(read.data.receipt)?.groups ?? {};
  return { year: Number(year), sequence: Number(sequence), issuedAt: read.data.receipt_issued_at };
}

/** The numbers of a year that the provider keeps with this object. */
export function markedNumbers(metadata: Stripe.Metadata | null, year: number): number[] {
  const numbers = [metadata?.["receipt"], metadata?.["receipt_returned"]].map((text) => NUMBER.exec(text ?? "")?.groups);
  return numbers.flatMap((found) => (Number(found?.["year"]) === year ? [Number(found?.["sequence"])] : []));
}
