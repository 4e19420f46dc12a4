import type Stripe from "stripe";
import { z } from "zod";
import type { Refund } from "./refund.store.ts";

/** What the provider keeps with a refund of ours, whose values are all text. */
const schema = z.object({
  site: z.string(),
  refund_id: z.uuid(),
  payment_id: z.uuid(),
  purpose: z.enum(["withdrawal", "operator", "fraud_warning"]),
  withdrawal_id: z.uuid().optional(),
});

type RecordedRefund = z.output<typeof schema>;

/** The refund, as the provider keeps it. A database that was restored from a back-up books a forgotten one from it. */
export function refundMetadata(publicUrl: string, refund: Refund): Stripe.MetadataParam {
  return {
    site: publicUrl,
    refund_id: refund.id,
    payment_id: refund.payment_id,
    customer_id: refund.customer_id,
    purpose: refund.origin,
    amount_micros: String(refund.amount_micros),
    ...(refund.withdrawal_id === null ? {} : { withdrawal_id: refund.withdrawal_id }),
  };
}

/** @returns null if this installation did not write it for this payment */
export function readRefundMetadata(
  publicUrl: string,
  { paymentId, metadata }: { paymentId: string; metadata: Stripe.Metadata | null },
): RecordedRefund | null {
  const read = schema.safeParse(metadata);
  return read.success && read.data.site === publicUrl && read.data.payment_id === paymentId ? read.data : null;
}
