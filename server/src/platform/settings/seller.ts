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

const MILLIPERCENT_OF_ONE = 1000;
const MOST_PERCENT = 100;

/** "8.875" as 8875; null when it is not a percentage below 100 with at most three decimals. */
export function parsePercent(text: string): number | null {
  const match = /^(\d{1,2})(?:\.(\d{1,3}))?$/.exec(text);
  if (match === null) return null;
  const [, whole = "", decimals = ""] = match;
  const millipercent = Number(whole) * MILLIPERCENT_OF_ONE + Number(decimals.padEnd(3, "0"));
  return millipercent < MOST_PERCENT * MILLIPERCENT_OF_ONE ? millipercent : null;
}
