import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { FileDrop } from "../../ui/forms/file-drop.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import * as styles from "../console.module.css";
import { SelectField } from "../shell/fields.tsx";
import { PageTitle } from "../shell/top-bar.tsx";
import { FormDialog } from "../operation/form-dialog.tsx";
import { ColumnsCard, Examples, OutcomeCard, UnderstoodCard } from "./deck-report.tsx";
import { AS_FOUND, NEXT_FILE, type Reading, importList, missingIn, readBadRows } from "./import-list.ts";
import { ReportCards } from "./report-cards.tsx";
import { StartField } from "./start-field.tsx";

const FILE_TEXTS = {
  choose: "Drop a price list here, or choose a file",
  chooseOther: "Choose another file",
  hint: "CSV in UTF-8, with at most 1,000,000 rows.",
};

/** A carrier's file, from the first look to its activation: nothing is stored until the operator says so and why. */
export function ImportPage() {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [reading, setReading] = useState(AS_FOUND);
  const [storing, setStoring] = useState(false);
  const check = useMutation({
    mutationFn: (given: { file: File; reading: Reading }) => importList(given.file, given.reading, null),
  });
  const [stored, setStored] = useState<DeckReportResponse | null>(null);
  const report = stored ?? check.data ?? null;
  const read = (next: File | null, how = reading): void => {
    setStored(null);
    setFile(next);
    if (next !== null) check.mutate({ file: next, reading: how });
  };
  const seen = check.variables;
  const isOutdated = seen?.reading !== reading || seen.file !== file || stored?.deck === null;
  const missing = missingIn(reading);
  return (
    <div className="stack">
      <PageTitle title="Import a price list" />
      <Card className={styles.tight} title="The file and how it is read">
        <FileDrop
          file={file}
          accept=".csv,.txt,text/csv,text/plain"
          texts={FILE_TEXTS}
          onChoose={(chosen) => {
            const fresh = { ...reading, ...NEXT_FILE };
            setReading(fresh);
            setFile(chosen);
            if (chosen !== null && missingIn(fresh) === null) read(chosen, fresh);
          }}
        />
        <ReadingFields reading={reading} onChange={setReading} />
        {missing !== null && <p className="muted">{`${missing} Nothing is assumed.`}</p>}
        {file !== null && missing === null && (isOutdated || check.isError) && (
          <Button pair={check.data === undefined ? "action" : undefined} busy={check.isPending} onClick={() => read(file)}>
            {check.data === undefined ? "Read the file" : "Read the file again"}
          </Button>
        )}
        {check.isPending && <p role="status">{`Uploading and reading ${sizeText(file)}. A million rows take about a minute.`}</p>}
        {check.isError && !wasCancelled(check.error) && (
          <Banner kind="error">{messageOf(check.error, "The file could not be read. Try again.")}</Banner>
        )}
      </Card>
      {report !== null && seen !== undefined && !check.isPending && (
        <>
          <UnderstoodCard understood={report.understood} />
          <OutcomeCard
            report={report}
            action={
              stored === null && report.refusals.length === 0 && !isOutdated ? (
                <Button pair="action" onClick={() => setStoring(true)}>
                  Store this deck
                </Button>
              ) : null
            }
            reading={reading}
            onChange={setReading}
          />
          <ColumnsCard report={report} reading={reading} onChange={setReading} />
          <ReportCards
            report={report}
            reading={reading}
            onChange={setReading}
            readBadRows={() => readBadRows(seen.file, seen.reading)}
          />
        </>
      )}
      {storing && file !== null && report !== null && (
        <FormDialog
          title="Store this deck"
          text={`${report.understood.lines[0] ?? ""} ${STORE_TEXTS[reading.start.kind]}`}
          action="Store"
          onClose={() => setStoring(false)}
          onConfirm={async ({ reason }) => {
            const done = await importList(file, reading, { preview: report.preview, reason: String(reason) });
            setStored(done);
            setStoring(false);
            await client.invalidateQueries();
          }}
        >
          <Examples understood={report.understood} />
        </FormDialog>
      )}
    </div>
  );
}

const STORE_TEXTS = {
  "": "",
  now: "It is stored as a whole, and activated at once, in a live service in five minutes. Unusual prices wait for a second operator.",
  time: "It is stored as a whole, and activated at the chosen time. Unusual prices wait for a second operator.",
  never: "It is stored as a whole. Activate it on the page of decks.",
};

interface ReadingFieldsProps {
  readonly reading: Reading;
  readonly onChange: (reading: Reading) => void;
}

function ReadingFields({ reading, onChange }: ReadingFieldsProps) {
  return (
    <div className={styles.fields}>
      <SelectField
        label="What it prices"
        value={reading.kind}
        hint="A list is either what we sell by, with our mark-up, or what one carrier's trunk costs us."
        options={[
          ...(reading.kind === "" ? ([["", "Choose"]] as const) : []),
          ["sale", "prices that customers pay"],
          ["trunk", "costs of one trunk"],
        ]}
        onChosen={(kind) => onChange({ ...reading, kind: kind as Reading["kind"], trunk: "", newTrunk: "", kindSure: false })}
      />
      {reading.kind === "trunk" && (
        <Field
          label="Trunk"
          hint="Its name in the exchange's file of trunks."
          autoComplete="off"
          required
          value={reading.trunk}
          onValue={(trunk) => onChange({ ...reading, trunk, newTrunk: "" })}
        />
      )}
      <StartField start={reading.start} orNever onChange={(start) => onChange({ ...reading, start })} />
      <Field
        label="Increments for rows without their own"
        placeholder="60/60"
        autoComplete="off"
        hint="Seconds of the first block and of each further one. Leave empty to refuse rows without increments."
        value={reading.increments}
        onValue={(increments) => onChange({ ...reading, increments })}
      />
      <SelectField
        label="A date such as 03/04/2026"
        hint="If the file does not show which number is the day, its rows are errors until you say so."
        value={reading.dates}
        options={[
          ["", "as the file shows"],
          ["dmy", "day first"],
          ["mdy", "month first"],
        ]}
        onChosen={(dates) => onChange({ ...reading, dates: dates as Reading["dates"] })}
      />
    </div>
  );
}

function sizeText(file: File | null): string {
  return file === null ? "" : `${file.name}, ${Math.ceil(file.size / 1_000).toLocaleString("en")} kB`;
}
