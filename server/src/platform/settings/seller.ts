import type { SellerNotice } from "@farline/contract/public-pages.ts";

/** The seller of credit, as printed on receipts and statements. */
export interface Seller {
  readonly name: string;
  /** Address lines. */
  readonly address: readonly string[];
  readonly taxId: string | null;
  /** Tax included in every price, in thousandths of a percent (8.875 % is 8875); null if none is stated. */
  readonly taxMillipercent: number | null;
  /** A sentence about tax for every receipt. */
  readonly taxNote: string | null;
}

/** Used until the operator sets one; production does not start with it. */
export const SAMPLE_SELLER: Seller = {
  name: "Farline Sample Seller",
  address: ["1 Sample Street", "Sample City"],
  taxId: "SAMPLE-000000",
  taxMillipercent: null,
  taxNote: null,
};

const SAMPLE_LAW = "Sample Country";

/**
 * The seller's details on public pages and the payment page.
 * @param law null until the operator sets one
 */
export function noticeOf({ name, address, taxId }: Seller, law: string | null): SellerNotice {
  return { name, address: [...address], tax_id: taxId, law: law ?? SAMPLE_LAW, sample: name === SAMPLE_SELLER.name };
}
