import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, useState } from "react";
import { classNames } from "../../ui/class-names.ts";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { ValueList } from "../../ui/value-list.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
import { Times } from "./inline-parts.tsx";
import * as cardStyles from "../../ui/card.module.css";
import * as styles from "../console.module.css";

interface LoadedProps<Data> {
  readonly of: Pick<UseQueryResult<Data>, "data" | "isPending" | "isError" | "error" | "isFetching" | "refetch">;
  /** What could not be loaded. */
  readonly failure: string;
  readonly children: (data: Data) => ReactNode;
}

/** What a query has read. A failure to read it again stands above what was read before. */
export function Loaded<Data>({ of, failure, children }: LoadedProps<Data>) {
  return (
    <>
      {of.isPending && <Loading />}
      {of.isError && <LoadFailure text={failure} of={of} />}
      {of.data !== undefined && children(of.data)}
    </>
  );
}

/** Blocks in place of what is not there yet; nothing for the first 200 ms. @param rows about as many as will come */
export function Loading({ rows = 3 }: { readonly rows?: number }) {
  return <SkeletonRows rows={rows} />;
}

interface DataTableProps {
  /** Its accessible name. */
  readonly label: string;
  /** The first column names the rows; the others hold figures. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Times in a text are written on the console's clock. */
type Cell = string | ReactElement;

/** More columns than these do not fit on a phone. */
const MAX_PHONE_COLUMNS = 4;

/** A table of figures. */
export function DataTable({ label, head, rows }: DataTableProps) {
  const keyed = rows.map((cells, index) => ({ key: typeof cells[0] === "string" ? `${index} ${cells[0]}` : `${index}`, cells }));
  return <FigureTable label={label} head={head} rows={keyed} />;
}

interface Sorting {
  readonly by: string;
  readonly up: boolean;
}

interface FigureTableProps {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly Cell[] }[];
  /** By which column the rows are sorted; null for none. */
  readonly sorted?: Sorting | null;
  /** For heads that sort the table. */
  readonly onSort?: (name: string) => void;
}

/** Where it is narrow, rows of many figures become blocks; other tables scroll sideways on their own. */
function FigureTable({ label, head, rows, sorted = null, onSort }: FigureTableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a keyboard scrolls what it can focus
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={classNames(cardStyles.figures, head.length > MAX_PHONE_COLUMNS && styles.wideTable)}>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col" aria-sort={sorted?.by === name ? (sorted.up ? "ascending" : "descending") : undefined}>
                {onSort === undefined ? (
                  name
                ) : (
                  <button type="button" className={styles.sort} onClick={() => onSort(name)}>
                    {name}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, column) =>
                column === 0 ? (
                  <th key={head[column]} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={head[column]} data-name={head[column]}>
                    {typeof cell === "string" ? <Times text={cell} /> : cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A column that sorts its table. */
export interface SortedColumn<Row> {
  readonly name: string;
  /** Rows are sorted by it; null stands last in either order. */
  readonly value: (row: Row) => number | string | null;
  readonly text: (row: Row) => string;
}

interface SortedTableProps<Row> {
  readonly label: string;
  /** The first names the rows. */
  readonly columns: readonly SortedColumn<Row>[];
  readonly rows: readonly (Row & { readonly key: string })[];
  /** Stays below the others. */
  readonly total?: Row & { readonly key: string };
}

/** A table whose heads sort it: largest first, then the other way round. */
export function SortedTable<Row>({ label, columns, rows, total }: SortedTableProps<Row>) {
  const [sorted, setSorted] = useState<Sorting | null>(null);
  const column = columns.find(({ name }) => name === sorted?.by);
  const shown =
    column === undefined || sorted === null
      ? rows
      : rows.toSorted((a, b) => compare(column.value(a), column.value(b), sorted.up));
  return (
    <FigureTable
      label={label}
      head={columns.map(({ name }) => name)}
      rows={(total === undefined ? shown : [...shown, total]).map((row) => ({
        key: row.key,
        cells: columns.map(({ text }) => text(row)),
      }))}
      sorted={sorted}
      onSort={(name) => setSorted({ by: name, up: sorted?.by === name && !sorted.up })}
    />
  );
}

function compare(a: number | string | null, b: number | string | null, up: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order = typeof a === "string" || typeof b === "string" ? String(b).localeCompare(String(a), "en") : b - a;
  return up ? -order : order;
}

/** Longer values get a line of their own: on a phone, or everywhere. */
const MAX_SHORT_CHARS = 24;
const MAX_COLUMN_CHARS = 48;

/** Names with values; those without a value are left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, string | null>> }) {
  return (
    <dl className={styles.factList}>
      {Object.entries(of).map(([name, value]) =>
        value === null ? null : (
          <div
            key={name}
            className={classNames(
              styles.fact,
              value.length > MAX_SHORT_CHARS && styles.long,
              value.length > MAX_COLUMN_CHARS && styles.sentence,
            )}
          >
            <dt>{name}</dt>
            <dd>
              <Times text={value} />
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Names with values at the ends of lines; those without a value are left out. */
export function Pairs({ of }: { readonly of: Readonly<Record<string, string | null>> }) {
  return (
    <ValueList
      className={styles.pairs}
      valueClass="fig"
      of={Object.entries(of).map(([name, value]) => ({ name, value: value && <Times text={value} /> }))}
    />
  );
}
