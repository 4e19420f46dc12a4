import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../test/test-database.ts";
import { deleteRows } from "./in-batches.ts";

const SOURCES = fileURLToPath(new URL("../../", import.meta.url));

test("expired rows are deleted in batches, however many there are, and no others", async () => {
  const { handle, close } = await testDatabase();
  const { db } = handle;
  const count = async () => (await sql<{ count: number }>`select count(*)::int as count from aged`.execute(db)).rows[0]?.count;
  await sql`create table aged as select n as age from generate_series(1, 2500) n`.execute(db);
  await deleteRows(db, AbortSignal.abort(), { from: "aged", where: sql`age > 10` });
  expect(await count()).toBe(2500);
  await deleteRows(db, new AbortController().signal, { from: "aged", where: sql`age > 10` });
  expect(await count()).toBe(10);
  await close();
});

test("no statement deletes whatever is older than a time without a limit", () => {
  const found = globSync("**/*.store.ts", { cwd: SOURCES }).flatMap((path) => {
    const text = readFileSync(`${SOURCES}${path}`, "utf8");
    const built = [...text.matchAll(/\.deleteFrom\("\w+"\)[^;]*?\.execute/g)].filter(([statement]) => /"<=?"/.test(statement));
    const written = [...text.matchAll(/delete from \w+[^`]*/g)].filter(([statement]) => /<=? \$/.test(statement));
    return [...built, ...written]
      .filter(([statement]) => !/limit|customer_id/.test(statement))
      .map(([statement]) => `${path}: ${statement}`);
  });
  expect(found).toEqual([]);
});
