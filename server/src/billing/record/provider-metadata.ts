import type Stripe from "stripe";
import { z } from "zod";
import type { Payment } from "./payment.store.ts";

/** Digits of the year and of the number within it, as in 2026-000153. */
const RECEIPT_NUMBER = /^(?<year>\d{4})-(?<sequence>\d{6,9})$/;
const receiptSchema = z.object({
  receipt: z.string().regex(RECEIPT_NUMBER),
  receipt_issued_at: z.iso.datetime().transform((text) => new Date(text)),
});

/** How to read `Order` back from the provider's metadata, whose values are all text. */
const orderSchema = z.object({
  site: z.string(),
  payment_id: z.uuid(),
  customer_id: z.uuid(),
  purpose: z.enum(["package", "custom", "auto"]),
  package_id: z.string().optional(),
  charge_micros: z.string().regex(/^\d+$/).transform(BigInt),
  bonus_micros: z.string().regex(/^\d+$/).transform(BigInt),
  keeps_card: z.literal("true").optional(),
  ordered_at: z.iso.datetime().transform((text) => new Date(text)),
});

export type RecordedOrder = z.output<typeof orderSchema>;

/**
 * The order, as the provider keeps it with the money. A database that was restored from a back-up books a forgotten payment from it.
 * @param publicUrl of this installation, because others may share the account at the provider
 */
export function orderMetadata(publicUrl: string, payment: Payment): Stripe.MetadataParam {
  return {
    site: publicUrl,
    payment_id: payment.id,
    customer_id: payment.customer_id,
    purpose: payment.kind,
    ...(payment.package_id === null ? {} : { package_id: payment.package_id }),
    charge_micros: String(payment.charge_micros),
    bonus_micros: String(payment.bonus_micros),
    ...(payment.keeps_card ? { keeps_card: "true" } : {}),
    ordered_at: payment.created_at.toISOString(),
  };
}

/** @returns null if this installation did not write it */
export function readOrderMetadata(publicUrl: string, metadata: Stripe.Metadata): RecordedOrder | null {
  const read = orderSchema.safeParse(metadata);
  return read.success && read.data.site === publicUrl ? read.data : null;
}

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
  const read = receiptSchema.safeParse(metadata);
  if (!read.success) return null;
  const { year = "", sequence = "" } = RECEIPT_NUMBER.exec(read.data.receipt)?.groups ?? {};
  return { year: Number(year), sequence: Number(sequence), issuedAt: read.data.receipt_issued_at };
}

/** The numbers of a year that the provider keeps with this object. */
export function markedNumbers(metadata: Stripe.Metadata | null, year: number): number[] {
  const numbers = [metadata?.["receipt"], metadata?.["receipt_returned"]].map((text) => RECEIPT_NUMBER.exec(text ?? "")?.groups);
  return numbers.flatMap((found) => (Number(found?.["year"]) === year ? [Number(found?.["sequence"])] : []));
}
