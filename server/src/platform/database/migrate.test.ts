import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import pg from "pg";
import pino from "pino";
import Postgrator from "postgrator";
import { expect, inject, test } from "vitest";
import { migrate } from "./migrate.ts";

const MIGRATIONS = fileURLToPath(new URL("../../../migrations/", import.meta.url));
/** The schema of the first version that anybody may have money in. */
const FIRST_VERSION = "52";
const CUSTOMER = "0199aaaa-0000-7000-8000-000000000001";

test("no two migrations have one number, and all are named alike", () => {
  const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith(".sql"));
  for (const file of files) expect(file).toMatch(/^\d{3}\.do\.[a-z-]+\.sql$/);
  expect(new Set(files.map((file) => file.slice(0, 3))).size).toBe(files.length);
});

test("a database of the first version is brought up to date, with the money in it as it was", async () => {
  const url = new URL(inject("postgresUrl"));
  const name = `migrate_${process.pid}`;
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create database ${name} template template0`);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const postgrator = new Postgrator({
      driver: "pg",
      database: name,
      schemaTable: "schema_version",
      migrationPattern: `${MIGRATIONS}*.do.*.sql`,
      execQuery: (query) => client.query(query),
    });
    await postgrator.migrate(FIRST_VERSION);
    await client.query(
      "insert into customer (id, name, email, email_key, created_at) values ($1, 'Ada', 'ada@example.com', 'ada@example.com', now())",
      [CUSTOMER],
    );
    await client.query("select open_account($1)", [CUSTOMER]);
    await client.query("select post_credit(gen_random_uuid(), 'k', $1, 'top_up', 5000000, null, 'Top-up')", [CUSTOMER]);
    await migrate(url.href, pino({ level: "silent" }));
    const { rows } = await client.query("select balance_micros, bonus_micros, entry_count from account where customer_id = $1", [
      CUSTOMER,
    ]);
    expect(rows).toEqual([{ balance_micros: "5000000", bonus_micros: "0", entry_count: "1" }]);
    const applied = await client.query("select max(version)::int as newest from schema_version");
    const newest = Math.max(...readdirSync(MIGRATIONS).map((file) => Number(file.slice(0, 3)) || 0));
    expect(applied.rows).toEqual([{ newest }]);
  } finally {
    await client.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
});
