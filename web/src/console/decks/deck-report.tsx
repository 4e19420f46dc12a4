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

type RefusalKind = DeckReportResponse["refusals"][number]["kind"];

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
  const isRefused = (refusal: RefusalKind) => refusals.some(({ kind }) => kind === refusal);
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
      {isRefused("kind_doubtful") && (
        <Assurance
          of="kindSure"
          label={reading.kind === "trunk" ? `These are costs of trunk ${reading.trunk}` : "These are prices that customers pay"}
          {...{ reading, onChange }}
        />
      )}
      {isRefused("unknown_trunk") && (
        <Field
          label="The new trunk's name, once more"
          autoComplete="off"
          value={reading.newTrunk}
          onValue={(newTrunk) => onChange({ ...reading, newTrunk })}
        />
      )}
      {isRefused("moved_columns") && (
        <Assurance of="newColumns" label="The columns are read correctly" {...{ reading, onChange }} />
      )}
      {isRefused("incomplete") && <Assurance of="complete" label="The list is complete" {...{ reading, onChange }} />}
      {concerns.length > 0 && proposal === null && deck === null && (
        <Banner kind="warn">
          <p>A second operator must confirm these prices before they are active:</p>
          <Sentences of={concerns} />
        </Banner>
      )}
      <Sentences of={[...report.summary, ...report.warnings]} />
      {action !== null && <div>{action}</div>}
    </Card>
  );
}

interface AssuranceProps extends Pick<OutcomeCardProps, "reading" | "onChange"> {
  readonly of: "kindSure" | "newColumns" | "complete";
  readonly label: string;
}

/** A box by which the operator answers a refusal. */
function Assurance({ of, label, reading, onChange }: AssuranceProps) {
  return <CheckBox label={label} checked={reading[of]} onCheck={(checked) => onChange({ ...reading, [of]: checked })} />;
}

/** Sentences of the report, each a point of a list. */
export function Sentences({ label, of }: { readonly label?: string; readonly of: readonly string[] }) {
  return (
    <ul className={styles.sentences} aria-label={label}>
      {of.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

interface UnderstoodProps {
  readonly understood: DeckReportResponse["understood"];
}

/** How the list is understood, to be compared with the carrier's paper before it is stored. */
export function UnderstoodCard({ understood }: UnderstoodProps) {
  return (
    <Card title="How it is understood" className={styles.tight}>
      <Sentences of={understood.lines} />
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
          <Sentences label="Example calls" of={examples.map(({ text }) => text)} />
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
