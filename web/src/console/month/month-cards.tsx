import { bookLineNames } from "@farline/contract/operator/constants.ts";
import type { MonthBooks, MonthResponse, ProviderMonth } from "@farline/contract/operator/month.ts";
import { categoryText, dollarText, sumText } from "@farline/contract/operator/words/money-words.ts";
import { useQuery } from "@tanstack/react-query";
import { Card } from "../../ui/card.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { consoleRequest } from "../console-request.ts";
import { DataTable, Loaded } from "../shell/figures.tsx";
import { PaymentKey, Times } from "../shell/inline-parts.tsx";

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
        {faults.length === 0 && (
          <Banner kind="info">
            <Times text={`The ledger adds up. ${stateOf(books, closing)}`} />
          </Banner>
        )}
        <DataTable
          label="Books"
          head={["Line", "Count", "Total", "Bought", "Bonus"]}
          rows={[
            ["Opening", "", ...amountsOf(opening)],
            ...movements.map((one) => [bookLineNames[one.line], String(one.count), ...amountsOf(one)]),
            ["Closing", "", ...amountsOf(end)],
          ]}
        />
        <p className="small muted">
          {`Bought credit is the float: what we owe in calls or refunds. Accounts below zero owed ${sumText(opening.owed)} at the beginning and ${sumText(end.owed)} at the end, which is subtracted. Sums are cut to cents here; the file has every decimal.`}
        </p>
        {taxes.map(({ percent, paid, refunded, tax }) => (
          <p
            key={percent}
          >{`Tax of ${percent}% in receipts: ${sumText(tax)} of ${sumText(paid)} paid and ${sumText(refunded)} refunded.`}</p>
        ))}
        {books.late_receipts.map((late) => (
          <p key={`${late.paid_month} ${late.books_month}`}>{lateText(late, books.month)}</p>
        ))}
      </div>
    </Card>
  );
}

/** In cents, each cut on its own. */
function amountsOf({ total, bought, bonus }: MonthBooks["opening"] | MonthBooks["movements"][number]): string[] {
  return [total, bought, bonus].map(sumText);
}

function stateOf({ complete, to }: MonthBooks, closing: MonthResponse["closing"]): string {
  if (closing !== null) return `Closed by ${closing.operator} on ${closing.at}.`;
  return complete ? "The month is over and not closed." : `The month is not over; read at ${to}.`;
}

function lateText(late: MonthBooks["late_receipts"][number], month: string): string {
  const { paid_month: paid, books_month: booked, count, tax } = late;
  const what = `Receipts of ${paid} that came after it was closed: ${count}, tax ${sumText(tax)}`;
  return booked === month ? `${what}. Their tax is in this month.` : `${what}. Their tax is in ${booked}.`;
}

/** The payment provider's balance report of a month, and where it differs from the ledger. */
export function ProviderCard({ month }: { readonly month: string }) {
  const report = useQuery({
    queryKey: ["month", month, "provider"],
    // The provider lists a hundred movements at a time.
    queryFn: () => consoleRequest("GET /api/operator/months/:month/provider", { params: { month }, slow: true }),
  });
  return (
    <Card title="Payment provider">
      <Loaded of={report} failure="The balance report could not be loaded">
        {(data) => <Report report={data} />}
      </Loaded>
    </Card>
  );
}

function Report({ report: { lines, provider_net: there, ledger_net: here, differences } }: { readonly report: ProviderMonth }) {
  const open = differences.filter(({ timing }) => !timing).length;
  const isConverted = lines.some(({ rate }) => rate !== null);
  return (
    <div className="stack">
      {open > 0 && <Banner kind="error">{`Differences from the ledger, for a person to look at: ${open}.`}</Banner>}
      {open === 0 && <Banner kind="info">Each payment moved the same amount as in the ledger.</Banner>}
      <DataTable
        label="Balance report"
        head={["Kind", "Currency", "Count", "Amount", "Fees", "Net", ...(isConverted ? ["Paid, US dollars", "Per dollar"] : [])]}
        rows={lines.map((line) => [
          categoryText(line),
          line.currency,
          String(line.count),
          line.amount,
          line.fee,
          line.net,
          ...(isConverted ? [line.paid ?? "", line.rate ?? ""] : []),
        ])}
      />
      {isConverted && (
        <p className="small muted">
          The account settles in another currency. Payments are compared in the dollars that were paid; amounts of two currencies
          are never added.
        </p>
      )}
      <p>{`Received less returned: ${sumText(there)} at the provider, ${sumText(here)} in the ledger.`}</p>
      {differences.length > 0 && (
        <DataTable
          label="Differences"
          head={["Payment", "Provider", "Ledger", "Why"]}
          rows={differences.map((one) => [
            <PaymentKey key="payment" payment={one.payment_id} reference={one.reference} />,
            `${one.provider} ${one.currency}`,
            dollarText(one.ledger),
            one.text,
          ])}
        />
      )}
    </div>
  );
}
