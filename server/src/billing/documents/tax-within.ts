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

/** 8875 as "8.875", 19000 as "19". */
function percentText(millipercent: number): string {
  const decimals = String(millipercent % 1000)
    .padStart(3, "0")
    .replace(/0+$/, "");
  const wholePercent = Math.trunc(millipercent / 1000);
  return decimals === "" ? String(wholePercent) : `${wholePercent}.${decimals}`;
}
