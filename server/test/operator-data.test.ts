import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyLedger } from "../src/ledger/ledger.ts";
import { fillOperatorData, operatorDataCustomer, operatorDataEmail } from "./operator-data.ts";
import { testDatabase, type TestDatabase } from "./test-database.ts";

const CUSTOMERS = 100;
const CALLS = 1_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test("the operators' test data agrees with the ledger and restores every index", async () => {
  const indexes = () => count("pg_indexes where schemaname = 'public'");
  const before = await indexes();
  await fillOperatorData(database.handle, { customers: CUSTOMERS, calls: CALLS });
  expect(await verifyLedger(database.handle.db)).toEqual([]);
  expect(await indexes()).toBe(before);
  expect(await count("customer")).toBe(CUSTOMERS);
  expect(Math.abs((await count("call")) - CALLS)).toBeLessThan(CALLS * 0.1);
  expect(await count("call where ended_at is null")).toBe(CUSTOMERS / 10);
  expect(await count(`customer where id = '${operatorDataCustomer(7)}' and email = '${operatorDataEmail(7)}'`)).toBe(1);
  expect(await count("payment p where status = 'paid' and not exists (select from receipt r where r.payment_id = p.id)")).toBe(0);
  expect(await count("call c where not exists (select from hold h where h.id = c.id)")).toBe(0);
});

async function count(from: string): Promise<number> {
  const { rows } = await sql<{ rows: string }>`select count(*) as rows from ${sql.raw(from)}`.execute(database.handle.db);
  return Number(rows[0]?.rows);
}
