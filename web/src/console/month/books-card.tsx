import { bookLineNames } from "@farline/contract/operator/constants.ts";
import type { MonthBooks, MonthResponse } from "@farline/contract/operator/month.ts";
import { Card } from "../../ui/card.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { DataTable } from "../shell/data-table.tsx";
import { timeText } from "../shell/time-text.ts";

/** Opening, movements and closing of customers' credit, and whether they add up. */
export function BooksCard({ month: { books, closing } }: { readonly month: MonthResponse }) {
  const { faults, opening, closing: end, movements, taxes } = books;
  return (
    <Card title="Customers' credit">
      <div className="stack">
        {faults.map(({ text }) => (
          <Banner key={text} kind="error">
            {text}
          </Banner>
        ))}
        {faults.length === 0 && <Banner kind="info">{`The ledger adds up. ${stateOf(books, closing)}`}</Banner>}
        <DataTable
          label="Books"
          head={["US dollars", "Count", "Total", "Bought", "Bonus"]}
          rows={[
            ["Opening", "", opening.total, opening.bought, opening.bonus],
            ...movements.map(({ line, count, total, bought, bonus }) => [
              bookLineNames[line],
              String(count),
              total,
              bought,
              bonus,
            ]),
            ["Closing", "", end.total, end.bought, end.bonus],
          ]}
        />
        <p className="small muted">
          {`Bought credit is the float: what we owe in calls or refunds. Accounts below zero owed $${opening.owed} at the beginning and $${end.owed} at the end, which is subtracted.`}
        </p>
        {taxes.map(({ percent, paid, refunded, tax }) => (
          <p key={percent}>{`Tax of ${percent}% in receipts: $${tax} of $${paid} paid and $${refunded} refunded.`}</p>
        ))}
        {books.late_receipts.map((late) => (
          <p key={`${late.paid_month} ${late.books_month}`}>{lateText(late, books.month)}</p>
        ))}
      </div>
    </Card>
  );
}

function stateOf({ complete, to }: MonthBooks, closing: MonthResponse["closing"]): string {
  if (closing !== null) return `Closed by ${closing.operator} on ${timeText(closing.at)}.`;
  return complete ? "The month is over and not closed." : `The month is not over; read at ${timeText(to)}.`;
}

function lateText(late: MonthBooks["late_receipts"][number], month: string): string {
  const { paid_month: paid, books_month: booked, count, tax } = late;
  const what = `Receipts of ${paid} that came after it was closed: ${count}, tax $${tax}`;
  return booked === month ? `${what}. Their tax is in this month.` : `${what}. Their tax is in ${booked}.`;
}
