import type { Micros } from "@farline/domain/money.ts";
import type { Seller } from "../../platform/settings/seller.ts";

const MILLIPERCENT_OF_ALL = 100_000n;
const CENT_MICROS = 10_000n;

/** The tax included in a price, rounded half up to the cent; null if the seller states none. */
export function taxWithin(
  amountMicros: Micros,
  { taxMillipercent }: Pick<Seller, "taxMillipercent">,
): { percent: string; amountMicros: Micros } | null {
  if (taxMillipercent === null) return null;
  const rate = BigInt(taxMillipercent);
  const divisor = (MILLIPERCENT_OF_ALL + rate) * CENT_MICROS;
  const cents = (2n * amountMicros * rate + divisor) / (2n * divisor);
  return { percent: percentText(taxMillipercent), amountMicros: cents * CENT_MICROS };
}

/** The tax that a receipt states. */
export function taxOf(receipt: {
  readonly amount_micros: Micros;
  readonly tax_micros: Micros | null;
  readonly seller: Pick<Seller, "taxMillipercent">;
}): { percent: string; amountMicros: Micros } | null {
  const within = taxWithin(receipt.amount_micros, receipt.seller);
  return within === null || receipt.tax_micros === null ? within : { ...within, amountMicros: receipt.tax_micros };
}

/** What a payment's earlier refunds returned, less what came back of them, and the tax that their receipts state. */
export interface Returned {
  readonly amountMicros: Micros;
  readonly taxMicros: Micros;
}

/**
 * The tax of a payment's next refund: that of everything returned so far, less what the refunds before it state. So the parts always add up
 * to the tax of their sum, however often an amount is split. A refund that comes back (`direction` -1) takes back in the same way.
 */
export function taxOfNextRefund(
  before: Returned,
  { amountMicros, direction }: { amountMicros: Micros; direction: 1n | -1n },
  seller: Pick<Seller, "taxMillipercent">,
): Micros | null {
  const then = taxWithin(before.amountMicros + direction * amountMicros, seller);
  if (then === null) return null;
  const tax = direction * (then.amountMicros - before.taxMicros);
  // Older receipts rounded each part by itself and may state more than their sum's.
  if (tax < 0n) return 0n;
  return tax < amountMicros ? tax : amountMicros;
}

/** 8875 as "8.875", 19000 as "19". */
function percentText(millipercent: number): string {
  const decimals = String(millipercent % 1000)
    .padStart(3, "0")
    .replace(/0+$/, "");
  const wholePercent = Math.trunc(millipercent / 1000);
  return decimals === "" ? String(wholePercent) : `${wholePercent}.${decimals}`;
}
