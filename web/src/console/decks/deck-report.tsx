import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import { columnWords } from "@farline/contract/operator/words/words.ts";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import * as styles from "../console.module.css";
import { PROPOSALS } from "../queue/queue-kinds.ts";
import { CheckBox, SelectField } from "../shell/fields.tsx";
import type { Reading } from "./import-list.ts";
import { Times } from "../shell/inline-parts.tsx";

interface OutcomeCardProps {
  readonly report: DeckReportResponse;
  readonly reading: Reading;
  readonly onChange: (reading: Reading) => void;
  /** The next step. */
  readonly action: ReactNode;
}

/** Whether the file can be stored, what it was stored as, or why not and what the operator can do about it. */
export function OutcomeCard({ report, action, reading, onChange }: OutcomeCardProps) {
  const { refusals, concerns, deck, activated, proposal, same_deck: same } = report;
  return (
    <Card title="Result" className={styles.tight}>
      {deck !== null && proposal === null && (
        <Banner kind="info">
          <span>
            <Times
              text={
                activated === null ? "The deck is stored. " : `The deck is stored, and active from ${activated.effective_at}. `
              }
            />
          </span>
          <Link className="link" to="/operator/decks">
            All decks
          </Link>
        </Banner>
      )}
      {proposal !== null && (
        <Banner kind="warn">
          <span>
            {"The deck is stored. Its prices are unusual, so another operator must confirm them before they are active: "}
          </span>
          <Link className="link" to={PROPOSALS}>
            Proposals
          </Link>
        </Banner>
      )}
      {refusals.map(({ kind, text }) => (
        <Banner key={kind} kind="error">
          {text}
        </Banner>
      ))}
      {same !== null && deck === null && (
        <Link className="link" to="/operator/decks">
          Show the stored deck
        </Link>
      )}
      {refusals.some(({ kind }) => kind === "kind_doubtful") && (
        <CheckBox
          label={reading.kind === "trunk" ? `These are costs of trunk ${reading.trunk}` : "These are prices that customers pay"}
          checked={reading.kindSure}
          onCheck={(kindSure) => onChange({ ...reading, kindSure })}
        />
      )}
      {refusals.some(({ kind }) => kind === "unknown_trunk") && (
        <Field
          label="The new trunk's name, once more"
          autoComplete="off"
          value={reading.newTrunk}
          onValue={(newTrunk) => onChange({ ...reading, newTrunk })}
        />
      )}
      {refusals.some(({ kind }) => kind === "moved_columns") && (
        <CheckBox
          label="The columns are read correctly"
          checked={reading.newColumns}
          onCheck={(newColumns) => onChange({ ...reading, newColumns })}
        />
      )}
      {refusals.some(({ kind }) => kind === "incomplete") && (
        <CheckBox
          label="The list is complete"
          checked={reading.complete}
          onCheck={(complete) => onChange({ ...reading, complete })}
        />
      )}
      {concerns.length > 0 && proposal === null && deck === null && (
        <Banner kind="warn">
          <p>A second operator must confirm these prices before they are active:</p>
          <ul className={styles.sentences}>
            {concerns.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Banner>
      )}
      <ul className={styles.sentences}>
        {[...report.summary, ...report.warnings].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {action !== null && <div>{action}</div>}
    </Card>
  );
}

interface UnderstoodProps {
  readonly understood: DeckReportResponse["understood"];
}

/** How the list is understood, to be compared with the carrier's paper before it is stored. */
export function UnderstoodCard({ understood }: UnderstoodProps) {
  return (
    <Card title="How it is understood" className={styles.tight}>
      <ul className={styles.sentences}>
        {understood.lines.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <Examples understood={understood} />
    </Card>
  );
}

/** Three calls with what they cost. */
export function Examples({ understood: { examples } }: UnderstoodProps) {
  return (
    <>
      {examples.length > 0 && (
        <div className={styles.warning}>
          <p>Compare these calls with the carrier's paper:</p>
          <ul className={styles.sentences} aria-label="Example calls">
            {examples.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

const NOT_READ = "";

interface ColumnsCardProps {
  readonly report: DeckReportResponse;
  readonly reading: Reading;
  readonly onChange: (reading: Reading) => void;
}

/** How each column of the file is read, which the operator can correct. */
export function ColumnsCard({ report: { columns, doubtful_columns: doubtful }, reading, onChange }: ColumnsCardProps) {
  return (
    <Card title="Columns">
      <div className={styles.fields}>
        {columns.map(({ header, meaning, is_given: isGiven }) => {
          const found = isGiven && meaning === null ? "ignore" : (meaning ?? NOT_READ);
          return (
            <SelectField
              key={header}
              label={doubtful.includes(header) ? `${header} (may affect prices)` : header}
              value={reading.columns[header] ?? found}
              options={[...(found === NOT_READ ? ([[NOT_READ, "Not read"]] as const) : []), ...Object.entries(columnWords)]}
              onChosen={(chosen) => onChange({ ...reading, columns: changed(reading.columns, header, chosen) })}
            />
          );
        })}
      </div>
    </Card>
  );
}

function changed(columns: Reading["columns"], header: string, meaning: string): Reading["columns"] {
  const { [header]: _before, ...others } = columns;
  return meaning === NOT_READ ? others : { ...others, [header]: meaning };
}
