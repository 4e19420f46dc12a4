import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClientBase } from "pg";

const SOURCES = fileURLToPath(new URL("../../", import.meta.url));

export interface FunctionFile {
  /** The file's name. It defines one function, or those of one chapter, with the triggers and checks that call them. */
  readonly name: string;
  readonly sql: string;
}

/** The functions of this version, from the `sql` folders of the subjects that own them. */
export function readFunctionFiles(): FunctionFile[] {
  return globSync("**/sql/*.sql", { cwd: SOURCES })
    .sort()
    .map((path) => ({ name: basename(path, ".sql"), sql: readFileSync(join(SOURCES, path), "utf8") }));
}

/**
 * Creates or replaces the functions whose file changed. A signature that no file defines any longer is kept for one release,
 * because processes of the previous release may still call it. The caller holds the migration lock in a transaction.
 * @param release of this process. A process of an older release than the database's changes nothing.
 * @returns the names of the functions applied and the signatures dropped.
 */
export async function applyFunctions(client: ClientBase, files: readonly FunctionFile[], release: number): Promise<string[]> {
  await client.query(
    "create table if not exists schema_function (signature text primary key, checksum text not null, release integer not null)",
  );
  const newest = await client.query<{ release: number | null }>("select max(release) as release from schema_function");
  if ((newest.rows[0]?.release ?? 0) > release) return [];
  const known = await client.query<{ checksum: string }>("select distinct checksum from schema_function");
  const applied = new Set(known.rows.map((row) => row.checksum));
  const changes: string[] = [];
  // A function may call functions created after it.
  await client.query("set local check_function_bodies = off");
  for (const file of files) {
    if (applied.has(checksum(file))) continue;
    await applyFile(client, file, release);
    changes.push(file.name);
  }
  const current = files.map(checksum);
  await client.query("update schema_function set release = $1 where checksum = any ($2) and release <> $1", [release, current]);
  // Signatures added and removed within this release were never released, so they are dropped at once.
  const gone = await client.query<{ signature: string }>(
    "delete from schema_function where checksum <> all ($2) and release <> $1 - 1 returning signature",
    [release, current],
  );
  for (const { signature } of gone.rows) await client.query(`drop function if exists ${signature}`);
  return [...changes, ...gone.rows.map((row) => `- ${row.signature}`)];
}

const DEFINED = /^create or replace function (\w+)/gm;

async function applyFile(client: ClientBase, file: FunctionFile, release: number): Promise<void> {
  const defined = [...new Set(Array.from(file.sql.matchAll(DEFINED), ([, name]) => name))];
  if (defined.length === 0) throw new Error(`${file.name}.sql defines no function.`);
  try {
    await client.query(file.sql);
  } catch (error) {
    throw new Error(`${file.name}.sql could not be applied: ${(error as Error).message}`, { cause: error });
  }
  await client.query(
    `insert into schema_function (signature, checksum, release)
       select oid::regprocedure::text, $2, $3 from pg_proc
         where proname = any ($1) and pronamespace = current_schema()::regnamespace and xmin = pg_current_xact_id()::xid
       on conflict (signature) do update set checksum = excluded.checksum, release = excluded.release`,
    [defined, checksum(file), release],
  );
}

function checksum(file: FunctionFile): string {
  return createHash("sha256").update(file.sql).digest("hex");
}
