/** Who sells the credit, as it stands on receipts and statements. */
export interface Seller {
  readonly name: string;
  /** Lines. */
  readonly address: readonly string[];
  readonly taxId: string | null;
  /** Tax contained in every price, in thousandths of a percent (8.875 % is 8875); null when none is stated. */
  readonly taxMillipercent: number | null;
  /** A sentence about tax for every receipt. */
  readonly taxNote: string | null;
}

/** Stands in until the operator's own is set; production does not start with it. */
export const SAMPLE_SELLER: Seller = {
  name: "Farline Sample Seller",
  address: ["1 Sample Street", "Sample City"],
  taxId: "SAMPLE-000000",
  taxMillipercent: null,
  taxNote: null,
};
