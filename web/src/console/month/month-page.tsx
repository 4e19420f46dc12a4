import type { MonthResponse } from "@farline/contract/operator/month.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { saveFile } from "../../browser/save-file.ts";
import { messageOf } from "../../service/http.ts";
import { Button, Spinner } from "../../ui/button.tsx";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { toast } from "../../ui/messages/toast.ts";
import { consoleRequest } from "../console-request.ts";
import { useRight } from "../console-session.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { SelectField } from "../shell/select-field.tsx";
import { BooksCard } from "./books-card.tsx";
import { latestMonths } from "./latest-months.ts";
import { MonthChart } from "./month-chart.tsx";
import { ProviderCard } from "./provider-card.tsx";
import { serviceNow } from "../../time/clock.ts";

const MONTHS = 36;

/** A month's books beside the payment provider's report. The address keeps the month. */
export function MonthPage() {
  usePageTitle("Month");
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
        <h1 className="t-page">Month</h1>
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
      {read.isPending && <Spinner />}
      {read.isError && <LoadFailure text="The month could not be loaded" of={read} />}
      {read.isSuccess && (
        <>
          <Actions month={read.data} />
          <BooksCard month={read.data} />
          <MonthChart books={read.data.books} />
        </>
      )}
      <ProviderCard key={month} month={month} />
    </div>
  );
}

function Actions({ month: { books, closing } }: { readonly month: MonthResponse }) {
  const client = useQueryClient();
  const [mayExport, mayClose] = [useRight("export"), useRight("money")];
  const [isClosing, setClosing] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const { month } = books;
  const save = async () => {
    setSaving(true);
    try {
      const { file_name: name, text } = await consoleRequest("POST /api/operator/months/:month/file", { params: { month } });
      saveFile(name, text, "text/csv;charset=utf-8");
    } catch (error) {
      toast.error(messageOf(error, "The file could not be made"));
    } finally {
      setSaving(false);
    }
  };
  return (
    <div className="row">
      {mayExport && (
        <Button busy={isSaving} onClick={() => void save()}>
          Download as CSV
        </Button>
      )}
      {mayClose && closing === null && books.complete && <Button onClick={() => setClosing(true)}>Close the month</Button>}
      {isClosing && (
        <ReasonDialog
          title={`Close ${month}`}
          text="The books and the provider's report are kept with your name. The next month must open with this closing."
          action="Close the month"
          onClose={() => setClosing(false)}
          onConfirm={async (reason) => {
            await consoleRequest("POST /api/operator/months/:month/close", { params: { month }, body: { reason } });
            toast.success(`${month} is closed.`);
            setClosing(false);
            await client.invalidateQueries({ queryKey: ["month", month] });
          }}
        />
      )}
    </div>
  );
}
