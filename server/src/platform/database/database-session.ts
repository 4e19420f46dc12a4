import type pg from "pg";

/**
 * What each session needs, whatever the server, the database or the role have as defaults: texts of times and bytes that the driver reads, names
 * that the functions mean, statements that see each other's commits. A session's own options outrank `alter role` and `alter database`.
 */
const NEEDED: Readonly<Record<string, string>> = {
  DateStyle: "ISO, MDY",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  search_path: "public",
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  standard_conforming_strings: "on",
  bytea_output: "hex",
  extra_float_digits: "1",
  transform_null_equals: "off",
  array_nulls: "on",
  xmloption: "content",
  lc_monetary: "C",
  lc_numeric: "C",
  lc_time: "C",
  statement_timeout: "0",
  lock_timeout: "0",
  // Job locks last as long as their session, which says nothing while a job waits for a provider.
  idle_session_timeout: "0",
  idle_in_transaction_session_timeout: "0",
};

/** What the service cannot set, or must not, because somebody set it for a reason. */
const FOUND: readonly (readonly [setting: string, needed: string, todo: string])[] = [
  ["server_encoding", "UTF8", "Create the database with encoding UTF8 and restore into it."],
  ["integer_datetimes", "on", "Use a PostgreSQL that was built with integer date-times."],
  ["in_hot_standby", "off", "DATABASE_URL leads to a standby. Name the primary."],
  [
    "transaction_read_only",
    "off",
    "Find out why writes are off, for example a full disk, then reset default_transaction_read_only.",
  ],
  ["session_replication_role", "origin", "Triggers guard the ledger: reset it for the role and the database."],
];

/** A database that the service refuses to work on. The message names the setting, its value and what to do. */
export class UnfitDatabaseError extends Error {}

/** The address with everything that a session needs, for each connection to the database. Options in the address stay, but ours come last. */
export function sessionUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const own = Object.entries(NEEDED).map(([name, value]) => `-c ${name}=${value.replaceAll(" ", String.raw`\ `)}`);
  const given = url.searchParams.get("options");
  url.searchParams.set("options", [...(given === null ? [] : [given]), ...own].join(" "));
  return url.href;
}

/**
 * Checks that the session has what it needs: something between us and the server may have dropped its options.
 * @throws UnfitDatabaseError
 */
export async function refuseUnfitDatabase(client: pg.ClientBase): Promise<void> {
  for (const [setting, needed] of Object.entries(NEEDED)) {
    const todo = "Connect to PostgreSQL itself: a pooler in between drops the session's options.";
    refuseOther(setting, { found: await show(client, setting), needed, todo });
  }
  for (const [setting, needed, todo] of FOUND) refuseOther(setting, { found: await show(client, setting), needed, todo });
  const { rows } = await client.query<{ schema: string }>(
    "select relnamespace::regnamespace::text as schema from pg_class where relname = 'schema_version' and relkind = 'r'",
  );
  const schemas = rows.map(({ schema }) => schema);
  if (schemas.length === 0 || schemas.includes("public")) return;
  const todo = "Move its tables, sequences and functions to the schema public.";
  refuseOther("search_path", { found: schemas.join(", "), needed: "public", todo });
}

function refuseOther(setting: string, { found, needed, todo }: { found: string; needed: string; todo: string }): void {
  if (found !== needed)
    throw new UnfitDatabaseError(`The database has ${setting} = "${found}", which must be "${needed}". ${todo}`);
}

async function show(client: pg.ClientBase, setting: string): Promise<string> {
  const { rows } = await client.query<{ value: string | null }>("select current_setting($1, true) as value", [setting]);
  return rows[0]?.value ?? "";
}

/** Destroys a connection at once: a graceful close would wait for the other side. */
export function cutConnection(client: pg.Client | pg.PoolClient): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } };
  connection?.stream?.destroy();
}
