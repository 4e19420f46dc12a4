import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import { Card } from "../../ui/card.tsx";
import { SelectField } from "../shell/select-field.tsx";
import type { Reading } from "./import-list.ts";
import * as styles from "./decks.module.css";

const NOT_READ = "";

interface ColumnsCardProps {
  readonly report: DeckReportResponse;
  readonly reading: Reading;
  readonly onChange: (reading: Reading) => void;
}

/** How each column of the file is read, which the operator can correct. */
export function ColumnsCard({
  report: { columns, column_meanings: meanings, doubtful_columns: doubtful },
  reading,
  onChange,
}: ColumnsCardProps) {
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
              options={[
                ...(found === NOT_READ ? ([[NOT_READ, "not read"]] as const) : []),
                ...meanings.map((one) => [one, one] as const),
              ]}
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
