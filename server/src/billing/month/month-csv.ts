import { bookLineNames, faultNames } from "@farline/contract/operator/constants.ts";
import type { MonthBooks, ProviderLine, ProviderMonth } from "@farline/contract/operator/month.ts";
import { categoryText } from "@farline/contract/operator/words/money-words.ts";
import { CSV_START, csvRecord } from "../../platform/csv.ts";

const HEADER = ["Section", "Line", "Count", "Currency", "Total", "Bought", "Bonus", "Fee", "Net", "Note"];
const LEDGER_CURRENCY = "USD";

interface Line {
  readonly section: string;
  readonly line: string;
  readonly count?: number;
  /** Of all amounts in the line; dollars if absent. */
  readonly currency?: string;
  readonly total?: string;
  readonly bought?: string;
  readonly bonus?: string;
  readonly fee?: string;
  readonly net?: string;
  readonly note?: string;
}

/** A month as a CSV file: the ledger's books, taxes, the provider's report, and what does not add up. */
export function monthCsv(books: MonthBooks, provider: ProviderMonth): string {
  const lines: readonly Line[] = [
    { section: "Month", line: books.month, note: books.complete ? `${books.from} to ${books.to}` : `Runs; read at ${books.to}` },
    { section: "Books", line: "Opening", ...books.opening, note: `Owed: ${books.opening.owed}` },
    ...books.movements.map((one) => ({ section: "Books", ...one, line: bookLineNames[one.line] })),
    { section: "Books", line: "Closing", ...books.closing, note: `Owed: ${books.closing.owed}` },
    ...books.taxes.map(({ percent, paid, refunded, tax }) => ({
      section: "Tax",
      line: `${percent}% in receipts`,
      total: tax,
      note: `Paid ${paid}, refunded ${refunded}`,
    })),
    ...books.late_receipts.map(({ paid_month: paid, books_month: booked, count, tax }) => ({
      section: "Tax",
      line: `Receipts of ${paid} after its closing`,
      count,
      total: tax,
      note: `In the books of ${booked}`,
    })),
    ...provider.lines.map(({ amount, count, currency, fee, net, ...rest }) => ({
      section: "Provider",
      line: categoryText(rest),
      count,
      currency,
      total: amount,
      fee,
      net,
      note: noteOf(rest),
    })),
    { section: "Comparison", line: "Provider", total: provider.provider_net },
    { section: "Comparison", line: "Ledger", total: provider.ledger_net },
    ...provider.differences.map((one) => ({
      section: one.timing ? "Timing" : "Difference",
      line: one.payment_id ?? one.reference ?? "",
      note: `Provider ${one.currency} ${one.provider}, ledger ${LEDGER_CURRENCY} ${one.ledger}. ${one.text}`,
    })),
    ...books.faults.map(({ check, text }) => ({ section: "Fault", line: faultNames[check], note: text })),
  ];
  return CSV_START + csvRecord(HEADER) + lines.map((one) => csvRecord(cells(one))).join("");
}

/** What the line says beside its own currency. */
function noteOf({ category, paid, rate }: Pick<ProviderLine, "category" | "paid" | "rate">): string {
  return [
    `The provider's category: ${category}.`,
    ...(paid === null ? [] : [`Paid in dollars: ${paid}.`]),
    ...(rate === null ? [] : [`A dollar became ${rate} on average.`]),
  ].join(" ");
}

function cells({ section, line, count, currency = LEDGER_CURRENCY, total, bought, bonus, fee, net, note }: Line): string[] {
  return [
    section,
    line,
    count === undefined ? "" : String(count),
    total === undefined ? "" : currency,
    ...[total, bought, bonus, fee, net, note].map((one) => one ?? ""),
  ];
}
