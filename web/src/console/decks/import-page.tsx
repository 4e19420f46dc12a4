import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf, wasCancelled } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { FileDrop } from "../../ui/forms/file-drop.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { ReasonDialog } from "../shell/reason-dialog.tsx";
import { SelectField } from "../shell/select-field.tsx";
import { ColumnsCard } from "./columns-card.tsx";
import { AS_FOUND, importList, type Reading } from "./import-list.ts";
import { OutcomeCard } from "./outcome-card.tsx";
import { ReportCards } from "./report-cards.tsx";
import { StartField } from "./start-field.tsx";
import * as styles from "./decks.module.css";

const FILE_TEXTS = {
  choose: "Drop a price list here, or choose a file",
  chooseOther: "Choose another file",
  hint: "CSV in UTF-8, with at most 1,000,000 rows.",
};

/** A carrier's file, from the first look to its activation: nothing is stored until the operator says so and why. */
export function ImportPage() {
  usePageTitle("Import a price list");
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
  const isOutdated = check.variables?.reading !== reading;
  return (
    <div className="stack">
      <h1 className="t-page">Import a price list</h1>
      <Card className={styles.form} title="The file and how it is read">
        <FileDrop
          file={file}
          accept=".csv,.txt,text/csv,text/plain"
          texts={FILE_TEXTS}
          onChoose={(chosen) => {
            const fresh = { ...reading, skip: [], columns: {}, newColumns: false, complete: false };
            setReading(fresh);
            if (chosen !== null) read(chosen, fresh);
          }}
        />
        <ReadingFields reading={reading} onChange={setReading} />
        {file !== null && (isOutdated || check.isError) && (
          <Button busy={check.isPending} onClick={() => read(file)}>
            Read the file again
          </Button>
        )}
        {check.isPending && <p role="status">{`Uploading and reading ${sizeText(file)}. A million rows take about a minute.`}</p>}
        {check.isError && !wasCancelled(check.error) && (
          <Banner kind="error">{messageOf(check.error, "The file could not be read. Try again.")}</Banner>
        )}
      </Card>
      {report !== null && !check.isPending && (
        <>
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
          <ReportCards report={report} reading={reading} onChange={setReading} />
        </>
      )}
      {storing && file !== null && (
        <ReasonDialog
          title="Store this deck"
          text={STORE_TEXTS[reading.start.kind]}
          action="Store"
          onClose={() => setStoring(false)}
          onConfirm={async (reason) => {
            setStored(await importList(file, reading, reason));
            setStoring(false);
            await client.invalidateQueries();
          }}
        />
      )}
    </div>
  );
}

const STORE_TEXTS = {
  now: "It is stored as a whole, and put in force at once, in a live service in five minutes. Unusual prices wait for a second operator.",
  time: "It is stored as a whole, and put in force at the chosen time. Unusual prices wait for a second operator.",
  never: "It is stored as a whole. Put it in force on the page of decks.",
};

interface ReadingFieldsProps {
  readonly reading: Reading;
  readonly onChange: (reading: Reading) => void;
}

function ReadingFields({ reading, onChange }: ReadingFieldsProps) {
  const [isTrunk, setTrunk] = useState(false);
  return (
    <div className={styles.fields}>
      <SelectField
        label="What it prices"
        value={isTrunk ? "trunk" : "sale"}
        options={[
          ["sale", "calls that customers buy"],
          ["trunk", "costs of one trunk"],
        ]}
        onChosen={(chosen) => {
          setTrunk(chosen === "trunk");
          onChange({ ...reading, trunk: "" });
        }}
      />
      {isTrunk && <Field label="Trunk" value={reading.trunk} onValue={(trunk) => onChange({ ...reading, trunk })} />}
      <StartField start={reading.start} orNever onChange={(start) => onChange({ ...reading, start })} />
      <Field
        label="Increments of rows without any"
        placeholder="60/60"
        value={reading.increments}
        onValue={(increments) => onChange({ ...reading, increments })}
      />
      <SelectField
        label="A date such as 03/04/2026"
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
