import { countText } from "@farline/contract/operator/words/count-text.ts";
import type { DeckReportResponse, PriceChangeResponse } from "@farline/contract/operator/decks.ts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { saveFile } from "../../browser/save-file.ts";
import { messageOf } from "../../service/http.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { toast } from "../../ui/messages/toast.ts";
import * as styles from "../console.module.css";
import { CheckBox } from "../shell/fields.tsx";
import { Sentences } from "./deck-report.tsx";
import type { Reading } from "./import-list.ts";

/** More bad lines of a kind are folded up if their words are listed. */
const MAX_OPEN_LINES = 5;

interface ReportCardsProps {
  readonly report: DeckReportResponse;
  readonly reading: Reading;
  readonly onChange: (reading: Reading) => void;
  /** All rows that cannot be used, as a file. */
  readonly readBadRows: () => Promise<Blob>;
}

/** The details of a report, as the command prints them. */
export function ReportCards(props: ReportCardsProps) {
  const { report } = props;
  const { money, jumps, removed_in_use: removed, notices } = report;
  return (
    <>
      {report.bad_rows.length > 0 && <BadRows {...props} />}
      {money.lines.length > 0 && (
        <Card title="Money in 30 days">
          <Sentences of={money.lines} />
          <ul className={styles.rows} aria-label="Countries where money changes">
            {money.countries.map((one) => (
              <li key={one.country_code} className={styles.row}>
                <span className={styles.title}>{one.country_name}</span>
                <div className={styles.facts}>
                  <span>{`${countText(one.calls, "call")}, ${countText(one.minutes, "minute")}`}</span>
                  <span className="fig">{`cost ${change(one, "cost")}`}</span>
                  <span className="fig">{`sold for ${change(one, "sale")}`}</span>
                </div>
              </li>
            ))}
          </ul>
          <More shown={money.countries} total={money.total} />
        </Card>
      )}
      {removed.length > 0 && (
        <Card title="Removed, but in use">
          <Changes changes={removed} label="Removed prefixes that were called" />
        </Card>
      )}
      {jumps.line !== null && (
        <Card title="Large price changes">
          <p>{jumps.line}</p>
          <Changes changes={jumps.changes} label="Prices that change by more than half" />
          <More shown={jumps.changes} total={jumps.total} />
        </Card>
      )}
      {notices.total > 0 && (
        <Card title="Notices among the prices">
          <Lines rows={notices.rows} label="Notices" />
          <More shown={notices.rows} total={notices.total} />
        </Card>
      )}
    </>
  );
}

type BadKind = DeckReportResponse["bad_rows"][number];

function BadRows({ report, reading, onChange, readBadRows }: ReportCardsProps) {
  const wordsOf = ({ problem, words }: BadKind): string[] => words.map(({ word }) => `${problem}=${word}`);
  const words = report.bad_rows.flatMap(wordsOf);
  // Rows with a word are left out by it, however many they are.
  const lines = report.bad_rows.flatMap((kind) => (kind.words.length > 0 ? [] : kind.rows.map(({ line }) => line)));
  const leaveOutWord = (key: string, out: boolean): void =>
    onChange({ ...reading, skipWords: out ? [...reading.skipWords, key] : reading.skipWords.filter((one) => one !== key) });
  const isLeftOut = (line: number): boolean => reading.skip.includes(line);
  const leaveOut = (line: number, out: boolean): void =>
    onChange({ ...reading, skip: out ? [...reading.skip, line] : reading.skip.filter((one) => one !== line) });
  return (
    <Card title="Rows that cannot be used" aside={<DownloadAll readBadRows={readBadRows} />}>
      {report.bad_rows.map(({ problem, text, count, rows: shown, words: said }) => (
        <section key={problem} className={styles.problem}>
          <h3 className={styles.title}>{`${text[0]?.toUpperCase()}${text.slice(1)} (${count.toLocaleString("en")})`}</h3>
          {said.map((one) => (
            <CheckBox
              key={one.word}
              label={`Leave out ${one.text}`}
              checked={reading.skipWords.includes(`${problem}=${one.word}`)}
              onCheck={(out) => leaveOutWord(`${problem}=${one.word}`, out)}
            />
          ))}
          <BadLines bad={shown} areKnown={said.length > 0} isLeftOut={isLeftOut} leaveOut={leaveOut} />
          <More shown={shown} total={count} />
        </section>
      ))}
      <Button
        size="sm"
        onClick={() =>
          onChange({
            ...reading,
            skip: [...new Set([...reading.skip, ...lines])],
            skipWords: [...new Set([...reading.skipWords, ...words])],
          })
        }
      >
        Leave all of these out
      </Button>
    </Card>
  );
}

/** The report lists some of them; the file, for the carrier, has all. */
function DownloadAll({ readBadRows }: Pick<ReportCardsProps, "readBadRows">) {
  const download = useMutation({
    mutationFn: readBadRows,
    onSuccess: (content) => saveFile("bad-rows.csv", content, "text/csv;charset=utf-8"),
    onError: (error) => toast.error(messageOf(error, "The file could not be made. Try again.")),
  });
  return (
    <Button size="sm" busy={download.isPending} onClick={() => download.mutate()}>
      Download all
    </Button>
  );
}

interface BadLinesProps {
  readonly bad: BadKind["rows"];
  /** Whether their words are listed, so that few people need single lines. */
  readonly areKnown: boolean;
  readonly isLeftOut: (line: number) => boolean;
  readonly leaveOut: (line: number, out: boolean) => void;
}

/** As many lines as are drawn at once: a report may have hundreds, which would be a page of many metres. */
const LINES_AT_ONCE = 20;

function BadLines({ bad, areKnown, isLeftOut, leaveOut }: BadLinesProps) {
  const [drawn, setDrawn] = useState(LINES_AT_ONCE);
  const list = (
    <ul className={styles.rows}>
      {bad.slice(0, drawn).map(({ line, text: row }) => (
        <li key={line} className={styles.row}>
          <CheckBox label={`Leave out line ${line}`} checked={isLeftOut(line)} onCheck={(out) => leaveOut(line, out)} />
          <span className={styles.cells}>{row}</span>
        </li>
      ))}
      {bad.length > drawn && (
        <li className={styles.row}>
          <Button size="sm" onClick={() => setDrawn(drawn + LINES_AT_ONCE)}>
            {`Show ${Math.min(LINES_AT_ONCE, bad.length - drawn)} more lines`}
          </Button>
        </li>
      )}
    </ul>
  );
  if (!areKnown || bad.length <= MAX_OPEN_LINES) return list;
  return (
    <details>
      <summary className="link">{`Show ${countText(bad.length, "line")}`}</summary>
      {list}
    </details>
  );
}

function Changes({ changes, label }: { readonly changes: readonly PriceChangeResponse[]; readonly label: string }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {changes.map((one) => (
        <li key={one.prefix} className={styles.row}>
          <span className={styles.title}>{`+${one.prefix} ${one.description}`}</span>
          <div className={styles.facts}>
            <span className="fig">{`cost ${change(one, "cost")} a minute`}</span>
            <span className="fig">{`sold for ${change(one, "sale")} a minute`}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Lines({ rows: lines, label }: { readonly rows: DeckReportResponse["notices"]["rows"]; readonly label: string }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {lines.map(({ line, text }) => (
        <li key={line} className={styles.row}>
          <span className={styles.cells}>{`line ${line}: ${text}`}</span>
        </li>
      ))}
    </ul>
  );
}

function More({ shown, total }: { readonly shown: readonly unknown[]; readonly total: number }) {
  return total > shown.length ? (
    <p className="small muted">{`${total - shown.length} more of ${total} are not listed.`}</p>
  ) : null;
}

type Both = { readonly before: Prices | null; readonly after: Prices | null };
type Prices = { readonly cost: string; readonly sale: string };

function change({ before, after }: Both, what: keyof Prices): string {
  return [before, after].map((price) => (price === null ? "no price" : `$${price[what]}`)).join(" → ");
}
