import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { classNames } from "../../ui/class-names.ts";
import { LoadFailure } from "../../ui/empty-state.tsx";
import { SkeletonRows } from "../../ui/waiting/skeleton.tsx";
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
  readonly rows: readonly (readonly string[])[];
}

/** More columns than these do not fit on a phone. */
const MAX_PHONE_COLUMNS = 4;

/** A table of figures. Where it is narrow, rows of many figures become blocks; other tables scroll sideways on their own. */
export function DataTable({ label, head, rows }: DataTableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a keyboard scrolls what it can focus
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
      <table className={classNames(cardStyles.figures, head.length > MAX_PHONE_COLUMNS && styles.wideTable)}>
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
                  <td key={head[column]} data-name={head[column]}>
                    {cell}
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

/** Longer values get a line of their own on a phone. */
const MAX_SHORT_CHARS = 24;

/** Names with values; those without a value are left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, string | null>> }) {
  return (
    <dl className={styles.factList}>
      {Object.entries(of).map(([name, value]) =>
        value === null ? null : (
          <div key={name} className={classNames(styles.fact, value.length > MAX_SHORT_CHARS && styles.long)}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Names with values at the ends of lines; those without a value are left out. */
export function Pairs({ of }: { readonly of: Readonly<Record<string, string | null>> }) {
  return (
    <dl className={styles.pairs}>
      {Object.entries(of).map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="fig">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
