import { countText } from "@farline/contract/operator/words/count-text.ts";
import { countries } from "@farline/domain/countries/countries.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Field } from "../../ui/forms/field.tsx";
import { Form } from "../../ui/forms/form.tsx";
import { ShowMore } from "../../ui/waiting/loaded.tsx";
import { useRight } from "../console-session.tsx";
import { SelectField } from "../shell/fields.tsx";
import { Loaded } from "../shell/figures.tsx";
import { UTC, useZone } from "../shell/texts.ts";
import { PageTitle } from "../shell/top-bar.tsx";
import * as styles from "./list.module.css";
import { SaveKey, Times } from "../shell/inline-parts.tsx";

type Choices = readonly (readonly [value: string, text: string])[];

/** One way to narrow a list; its name is the one in the address and in the service's query. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly kind: "date" | "money" | "text" | "country" | Choices;
  readonly hint?: string;
}

export interface Column<Row> {
  readonly head: string;
  /** `lead` names the row, `sum` is its figure; on a phone these two are its first line, and the others its second. */
  readonly look?: "lead" | "sum" | "figure";
  readonly cell: (row: Row) => ReactNode;
}

/** The filter as the address has it: what is not set is left out. */
type Narrowing = Readonly<Record<string, string>>;

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next_cursor: string | null;
  readonly count: { readonly rows: number; readonly more: boolean } | null;
  readonly searched_to: string | null;
  readonly network_cut: boolean;
}

interface FilteredListProps<Row> {
  /** What the rows are: "payments". */
  readonly name: string;
  readonly title: string;
  /** The filter that is shown as tabs, and its choices. */
  readonly tabs: { readonly name: string; readonly choices: Choices };
  readonly filters: readonly Filter[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly read: (query: Narrowing) => Promise<Page<Row>>;
  /** All of the list as a CSV file, for roles that may have files of customers' data. */
  readonly file: (query: Narrowing) => Promise<Blob>;
}

/** A list that is narrowed by filters, newest first. The address holds the filters, so that a list can be linked and Back works. */
export function FilteredList<Row>(list: FilteredListProps<Row>) {
  const { name, title, tabs, filters, columns, keyOf } = list;
  const mayExport = useRight("export");
  const [address, setAddress] = useSearchParams();
  const names = [tabs.name, "customer", "zone", ...filters.map((one) => one.name)];
  const query: Narrowing = Object.fromEntries(
    names.flatMap((one) => {
      const value = address.get(one);
      return value === null || value === "" ? [] : [[one, value]];
    }),
  );
  const found = useInfiniteQuery({
    queryKey: ["list", name, query],
    queryFn: ({ pageParam }) => list.read(pageParam === null ? query : { ...query, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const pages = found.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.rows);
  const searchedTo = pages.at(-1)?.searched_to ?? null;
  return (
    <div className="stack">
      <PageTitle title={title} />
      <Tabs {...tabs} query={query} />
      <Filters key={address.toString()} filters={filters} query={query} onChange={(next) => setAddress(next)} />
      <Card className="stack">
        <Loaded of={found} failure={`The ${name} could not be loaded`}>
          {() => (
            <>
              <div className="spread">
                <h2 className="t-card">{rowsText(name, pages[0]?.count ?? null)}</h2>
                {mayExport && rows.length > 0 && (
                  <SaveKey size="sm" read={async () => ({ name: `farline-${name}.csv`, content: await list.file(query) })} />
                )}
              </div>
              {pages[0]?.network_cut === true && (
                <p className="small muted">This network has more customers than are searched. Those seen there last are.</p>
              )}
              {rows.length > 0 && <Table label={title} columns={columns} rows={rows} keyOf={keyOf} />}
              {rows.length === 0 && searchedTo === null && <Nothing name={name} isNarrowed={Object.keys(query).length > 0} />}
              {searchedTo !== null && (
                <p className="small muted">
                  <Times text={`Searched back to ${searchedTo}. Older ${name} may match.`} />
                </p>
              )}
            </>
          )}
        </Loaded>
        <ShowMore of={found} />
      </Card>
    </div>
  );
}

function rowsText(name: string, count: Page<unknown>["count"]): string {
  if (count === null) return name;
  const text = count.rows.toLocaleString("en-US");
  if (count.more) return `More than ${text} ${name}`;
  return countText(count.rows, name.replace(/s$/, ""));
}

function Nothing({ name, isNarrowed }: { readonly name: string; readonly isNarrowed: boolean }) {
  return isNarrowed ? (
    <EmptyState title={`No ${name} match`} text="Change or clear the filters." />
  ) : (
    <EmptyState title={`There are no ${name} yet`} />
  );
}

interface TabsProps {
  readonly name: string;
  readonly choices: Choices;
  readonly query: Narrowing;
}

function Tabs({ name, choices, query }: TabsProps) {
  return (
    <nav className={styles.tabs} aria-label="Which">
      {[["", "All"] as const, ...choices].map(([value, text]) => (
        <Link
          key={value}
          className={styles.tab}
          aria-current={(query[name] ?? "") === value ? "page" : undefined}
          to={`?${addressOf({ ...query, [name]: value })}`}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}

function addressOf(query: Narrowing): string {
  return new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
}

interface FiltersProps {
  readonly filters: readonly Filter[];
  readonly query: Narrowing;
  readonly onChange: (query: Record<string, string>) => void;
}

function Filters({ filters, query, onChange }: FiltersProps) {
  const [typed, setTyped] = useState<Narrowing>(query);
  const ownZone = useZone();
  const hasDays = ({ from = "", to = "" }: Narrowing) => from !== "" || to !== "";
  // A link to some days leads everybody to the same rows.
  const zone = hasDays(query) ? (query["zone"] ?? UTC) : ownZone;
  const show = (next: Narrowing): void => {
    const days = hasDays(next) && zone !== UTC ? zone : "";
    const cleaned = Object.entries({ ...next, zone: days }).map(([name, value]) => [name, value.trim()] as const);
    onChange(Object.fromEntries(cleaned.filter(([, value]) => value !== "")));
  };
  return (
    <Card>
      <Form
        className={styles.filters}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          show(typed);
        }}
      >
        {filters.map((filter) => (
          <FilterField
            key={filter.name}
            filter={filter.kind === "date" ? { ...filter, label: `${filter.label} (${zone})` } : filter}
            value={typed[filter.name] ?? ""}
            onType={(value) => setTyped({ ...typed, [filter.name]: value })}
            onChoose={(value) => show({ ...typed, [filter.name]: value })}
          />
        ))}
        <div className={styles.keys}>
          <Button type="submit" pair="action">
            Show
          </Button>
          {Object.keys(query).length > 0 && (
            <button type="button" className={classNames("link", styles.clear)} onClick={() => onChange({})}>
              Clear
            </button>
          )}
        </div>
      </Form>
    </Card>
  );
}

interface FilterFieldProps {
  readonly filter: Filter;
  readonly value: string;
  readonly onType: (value: string) => void;
  /** A choice applies at once. */
  readonly onChoose: (value: string) => void;
}

function FilterField({ filter: { label, kind, hint }, value, onType, onChoose }: FilterFieldProps) {
  if (typeof kind !== "string" || kind === "country") {
    const options = kind === "country" ? countryChoices() : kind;
    return (
      <SelectField label={label} options={[["", "All"], ...options]} value={value} onChosen={onChoose} className={styles.input} />
    );
  }
  return (
    <Field
      label={label}
      autoComplete="off"
      spellCheck={false}
      className={styles.input}
      type={kind === "date" ? "date" : "text"}
      {...(kind === "money" && { prefix: "$", inputMode: "decimal" as const })}
      {...(hint !== undefined && { placeholder: hint })}
      value={value}
      onValue={onType}
    />
  );
}

let chosenCountries: Choices | null = null;

function countryChoices(): Choices {
  chosenCountries ??= countries
    .map(({ iso2, name }) => [iso2, name] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other, "en"));
  return chosenCountries;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <div className={styles.area}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a keyboard scrolls what it can focus */}
      <div className={styles.scroll} tabIndex={0} role="region" aria-label={label}>
        <table className={styles.table}>
          <thead>
            <tr>
              {columns.map(({ head, look }) => (
                <th key={head} scope="col" className={look === "sum" || look === "figure" ? styles.figure : undefined}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ head, look, cell }) =>
                  look === "lead" ? (
                    <th key={head} scope="row" className={styles.lead}>
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={head} className={classNames(look !== undefined && styles.figure, look === "sum" && styles.sum)}>
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
