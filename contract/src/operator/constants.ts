/** What moves customers' credit, in the order of the books, with what operators read. */
export const bookLineNames = {
  top_up: "Top-ups",
  auto_top_up: "Automatic top-ups",
  test_credit: "Test credit",
  charge: "Charges of calls",
  call_refund: "Refunds of calls",
  refund: "Refunds to cards",
  refund_outside: "Refunds paid outside the provider",
  withdrawal: "Withdrawals",
  refund_failed: "Refunds and withdrawals that failed",
  dispute: "Disputes",
  dispute_won: "Disputes won",
  bonus_given: "Bonus given",
  bonus_restored: "Bonus restored",
  bonus_taken_back: "Bonus taken back",
  adjustment: "Adjustments",
  write_off: "Debts written off",
  given_up: "Given up with erased accounts",
} as const;
export type BookLine = keyof typeof bookLineNames;
export const bookLines = Object.keys(bookLineNames) as BookLine[];

/** What each figure of traffic means, shown beside it. */
export const figureDefinitions = {
  calls:
    "Calls: those that were sent to a carrier and ended on the day. Those that we refused are not counted. Each counts once, however many trunks it took.",
  minutes: "Minutes: time from answer to hang-up, not the charged time.",
  revenue: "Revenue: charges, bonus included. Top-ups are not revenue.",
  cost: "Cost: what the carriers charge; until a carrier says it, what its price list says. The estimated share is shown.",
  margin: "Margin: revenue less cost. Without payment fees, which the page Month shows.",
  acd: "Average call duration: minutes of answered calls, divided by their number.",
  asr: "Answer-seizure ratio: answered attempts of all attempts on this trunk. Each attempt counts for its trunk.",
  ner: "Network effectiveness ratio: attempts that were answered, busy, rejected, unanswered or cancelled, of all attempts.",
  pdd: "Post-dial delay: time from dialling until the far phone rang or answered; half and 95 % of the attempts are faster.",
  mos: "Mean opinion score from 1 to 5, measured in the browser: each call's mean, weighted by its duration.",
} as const;

/** A share in per cent with one decimal; a dash without a whole. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;
}
