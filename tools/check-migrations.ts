import { globSync, readFileSync } from "node:fs";

/** Tables that stay small, so that nobody notices while one is locked. */
const SMALL_TABLES: ReadonlySet<string> = new Set([
  "breaker",
  "closed_month",
  "credit_package",
  "deck",
  "deck_activation",
  "deck_columns",
  "operator",
  "promo_campaign",
  "reconciliation_run",
  "restore",
  "setting",
]);

/**
 * Finds the statements of a migration that hold a table for as long as it is large: nobody can write to it, or even read it, meanwhile.
 * Tables that the same file creates are empty.
 * @returns a sentence for each
 */
export function findLongLocks(sql: string): string[] {
  const statements = sql
    .replaceAll(/--[^\n]*/g, "")
    .split(";")
    .map((statement) => statement.replaceAll(/\s+/g, " ").trim().toLowerCase());
  const created = new Set(statements.map((statement) => /^create table (?:if not exists )?(\w+)/.exec(statement)?.[1] ?? ""));
  return statements.flatMap((statement) => {
    const [, table = ""] =
      /^(?:create (?:unique )?index .*? on|alter table|update|delete from) (?:if exists |only )*(\w+)/.exec(statement) ?? [];
    if (table === "" || created.has(table) || SMALL_TABLES.has(table)) return [];
    return faultsOf(statement).map((fault) => `${table}: ${fault}`);
  });
}

function faultsOf(statement: string): string[] {
  const faults: [boolean, string][] = [
    [
      /^create (unique )?index/.test(statement) && !/^create (unique )?index if not exists /.test(statement),
      "write `create index if not exists`, and have operators build it with `concurrently` before the release (CONTRIBUTING.md).",
    ],
    [
      statement.startsWith("alter table") &&
        /\b(check|references|unique|primary key|exclude)\b/.test(statement) &&
        !/ not valid\b| using index /.test(statement),
      "add the constraint as `not valid`, and validate it in the next release.",
    ],
    [
      /^alter table .*(\bset not null\b|\balter (column )?\w+ (set data )?type\b|\bstored\b)/.test(statement),
      "this reads or writes the whole table. Add a new column, or a check that is `not valid`.",
    ],
    [/^(update|delete from)/.test(statement) && !/ where /.test(statement), "change the rows in batches, in a job."],
  ];
  return faults.flatMap(([isFault, fault]) => (isFault ? [fault] : []));
}

if (import.meta.main)
  for (const file of globSync("server/migrations/*.sql").toSorted())
    for (const fault of findLongLocks(readFileSync(file, "utf8"))) {
      console.log(`${file}: ${fault}`);
      process.exitCode = 1;
    }
