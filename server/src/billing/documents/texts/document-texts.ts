import type { ReceiptKind } from "@farline/contract/billing-documents.ts";
import type { LedgerKind } from "../../../ledger/ledger.ts";

/** The texts of receipts and statements in one language. `{name}` is a placeholder. */
export interface DocumentTexts {
  readonly direction: "ltr" | "rtl";
  readonly timesAreUtc: string;
  readonly receipt: {
    readonly number: string;
    readonly from: string;
    readonly to: string;
    readonly taxId: string;
    readonly date: string;
    readonly issued: string;
    readonly card: string;
    readonly corrects: string;
    readonly payment: string;
    /** Currency note after the word for the total. */
    readonly inDollars: string;
    readonly credited: string;
    readonly tax: string;
    readonly sample: string;
    readonly kinds: Readonly<Record<ReceiptKind, ReceiptTexts>>;
  };
  readonly statement: {
    readonly title: string;
    readonly account: string;
    readonly from: string;
    readonly to: string;
    readonly seller: string;
    readonly opening: string;
    readonly closing: string;
    readonly date: string;
    readonly description: string;
    readonly amount: string;
    readonly balance: string;
    readonly page: string;
    readonly empty: string;
    /** Totals by kind. */
    readonly sums: Readonly<Record<LedgerKind, string>>;
    readonly lines: LineTexts;
  };
}

interface ReceiptTexts {
  readonly title: string;
  readonly what: string;
  readonly total: string;
  readonly bonus: string;
}

/** The name of an entry. An adjustment keeps the person's text. */
export type LineTexts = Readonly<
  Record<
    | Exclude<LedgerKind, "adjustment">
    | "automatic"
    | "promoCode"
    | "welcome"
    | "invitation"
    | "firstCall"
    | "bonusTaken"
    | "otherCall",
    string
  >
>;
