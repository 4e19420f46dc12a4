import type { MonthBooks, MonthResponse } from "@farline/contract/operator/month.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { serviceNow } from "../../time/clock.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Chart } from "../chart/chart.tsx";
import { dateText, dollarsLine, rangeSentence, secondsOf } from "../chart/chart-texts.ts";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import { SelectField } from "../shell/fields.tsx";
import { OperationForm } from "../operation/operation-form.tsx";
import { Loaded } from "../shell/figures.tsx";
import { SaveKey } from "../shell/inline-parts.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { BooksCard, ProviderCard } from "./month-cards.tsx";

const MONTHS = 36;

/** A month's books beside the payment provider's report. The address keeps the month. */
export function MonthPage() {
  const [address, setAddress] = useSearchParams();
  const [latest] = useState(() => latestMonths(new Date(serviceNow()), MONTHS));
  const [current = ""] = latest;
  const month = address.get("month") ?? current;
  const read = useQuery({
    queryKey: ["month", month],
    queryFn: () => consoleRequest("GET /api/operator/months/:month", { params: { month } }),
  });
  const first = read.data?.first_month ?? month;
  const months = latest.filter((one) => one >= first);
  return (
    <div className="stack">
      <div className="spread">
        <PageTitle title="Month" />
        <SelectField
          label="Month (UTC)"
          value={month}
          options={[...new Set([month, ...months])]
            .toSorted()
            .toReversed()
            .map((one) => [one, one])}
          onChosen={(chosen) => setAddress({ month: chosen })}
        />
      </div>
      <Loaded of={read} failure="The month could not be loaded">
        {(data) => (
          <>
            <Actions month={data} />
            <BooksCard month={data} />
            <MonthChart books={data.books} />
          </>
        )}
      </Loaded>
      <ProviderCard key={month} month={month} />
    </div>
  );
}

function Actions({ month: { books, closing } }: { readonly month: MonthResponse }) {
  const [mayExport, mayClose] = [useRight("export"), useRight("money")];
  const [isClosing, setClosing] = useState(false);
  const { month } = books;
  const read = async () => {
    const { file_name: name, text } = await consoleRequest("POST /api/operator/months/:month/file", { params: { month } });
    return { name, content: text };
  };
  return (
    <div className="row">
      {mayExport && <SaveKey read={read} />}
      {mayClose && closing === null && books.complete && <Button onClick={() => setClosing(true)}>Close the month</Button>}
      {isClosing && (
        <OperationForm operation="close-month" subject={month} title={`Close ${month}`} onClose={() => setClosing(false)} />
      )}
    </div>
  );
}

/** Top-ups and charges by day. Nothing for a month without any. */
function MonthChart({ books: { days } }: { readonly books: MonthBooks }) {
  const chart = useMemo(() => {
    const [topUps, charges] = [days.map((one) => one.top_ups), days.map((one) => one.charges)];
    return {
      title: "Top-ups and charges by day (UTC)",
      seconds: days.map(({ day }) => secondsOf(day)),
      series: [dollarsLine("Top-ups", "--fl-star", topUps), dollarsLine("Charges", "--fl-call-text", charges)],
      unit: "dollars" as const,
      // The books' days are those of UTC, whatever zone is chosen.
      timeText: (seconds: number) => dateText(new Date(seconds * 1_000).toISOString().slice(0, 10)),
    };
  }, [days]);
  if (days.length === 0) return null;
  return (
    <Card>
      <Chart {...chart} sentence={rangeSentence(chart)} />
    </Card>
  );
}

/** The months up to now in UTC, the latest first: "2026-11", "2026-10" … */
function latestMonths(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index, 1)).toISOString().slice(0, 7),
  );
}
