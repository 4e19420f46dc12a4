import { DAY_MS } from "@farline/domain/durations.ts";
import { maskNumber } from "@farline/domain/mask-personal.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { MOVES_NOTHING, type Verb } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { CSV_START, csvRecord } from "../platform/csv.ts";
import { findDisputedPayment, readEvidence, type EvidenceRow } from "./evidence.store.ts";

/** Sign-ins are kept for 90 days. */
const SIGN_INS_MS = 90 * DAY_MS;
/** Sign-ins, and calls. */
const MOST_ROWS = 2_000;
const COLUMNS = ["Time (UTC)", "What", "Detail", "Number called (masked)", "Seconds", "Amount (USD)"] as const;

/**
 * The evidence about a disputed payment as a CSV file: account, payment, receipts, refunds, sign-ins, and the calls made with its credit,
 * their numbers masked.
 */
const exportEvidence: Verb<"export-evidence", { readonly name: string; readonly csv: string }> = {
  plan: async (tx, ctx, { dispute }) => {
    const payment = await findDisputedPayment(tx, dispute);
    if (payment === undefined) throw new AppError("not_found", { reason: "operator.no_dispute", params: { dispute } });
    const signInsSince = new Date(ctx.clock.now().getTime() - SIGN_INS_MS);
    const rows = await readEvidence(tx, payment, { signInsSince, most: MOST_ROWS });
    const head = [["Customer", payment.name, payment.email], ["Dispute", payment.dispute_id], COLUMNS];
    const csv = CSV_START + [...head, ...rows.map(toCells)].map((cells) => csvRecord(cells)).join("");
    return {
      ...{ customerId: payment.customer_id, subject: payment.dispute_id, moves: MOVES_NOTHING, detail: { rows: rows.length } },
      run: async () => ({ result: { name: `evidence-${payment.dispute_id}.csv`, csv } }),
    };
  },
  respond: ({ result }) => result ?? { name: "", csv: "" },
};

export const evidenceVerbs = { "export-evidence": exportEvidence };

function toCells({ at, what, detail, number, seconds, amount_micros: amount }: EvidenceRow): string[] {
  return [
    at.toISOString(),
    what,
    detail,
    // Without the plus, which a spreadsheet would take for a formula.
    number === null ? "" : maskNumber(number).slice(1),
    seconds === null ? "" : String(seconds),
    amount === null ? "" : toDecimalString(amount),
  ];
}
