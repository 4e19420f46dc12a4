import type Stripe from "stripe";
import { z } from "zod";
import type { Payment } from "./payment.store.ts";

/** How to read `Order` back from the provider's metadata, whose values are all text. */
const schema = z.object({
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

export type RecordedOrder = z.output<typeof schema>;

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
  const read = schema.safeParse(metadata);
  return read.success && read.data.site === publicUrl ? read.data : null;
}
