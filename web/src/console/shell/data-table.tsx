import * as figures from "../../ui/figures.module.css";
import * as styles from "./data-table.module.css";

interface DataTableProps {
  /** Its accessible name. */
  readonly label: string;
  /** The first column names the rows; the others hold figures. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table of figures, which scrolls sideways on its own where the screen is narrow. */
export function DataTable({ label, head, rows }: DataTableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a keyboard scrolls what it can focus
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={figures.figures}>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            <tr key={`${index} ${cells[0]}`}>
              {cells.map((cell, column) =>
                column === 0 ? (
                  <th key={head[column]} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={head[column]}>{cell}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
