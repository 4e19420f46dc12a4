import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCustomer } from "../test/new-customer.ts";
import { asOperator, testContext } from "../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../test/test-database.ts";
import type { Context } from "./context.ts";
import { MOVES_NOTHING, recordOperation } from "./operator/operator.ts";
import type { Transaction } from "./platform/database/database.ts";

let database: TestDatabase;
let ctx: Context;
beforeAll(async () => {
  database = await testDatabase();
  ctx = testContext({ handle: database.handle });
});
afterAll(() => database.close());

const OPERATION = { action: "freeze", customerId: null, subject: null, reason: "a test" } as const;

async function rename(tx: Transaction, id: string): Promise<void> {
  await sql`update customer set name = 'Renamed' where id = ${id}`.execute(tx);
}

async function nameOf(id: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`select name from customer where id = ${id}`.execute(database.handle.db);
  return rows[0]?.name ?? "";
}

test("an operator's transaction that changes something without recording it is rolled back", async () => {
  const { id } = await newCustomer(database.handle);
  await expect(asOperator(ctx, "grace").transaction((tx) => rename(tx, id))).rejects.toThrow("recorded no operation (grace)");
  expect(await nameOf(id)).not.toBe("Renamed");
});

test("an operator's recorded transaction is committed with its record", async () => {
  const { id } = await newCustomer(database.handle);
  const grace = asOperator(ctx, "grace");
  await grace.transaction(async (tx) => {
    await rename(tx, id);
    await recordOperation(tx, grace, { moves: MOVES_NOTHING, ...OPERATION, customerId: id });
  });
  expect(await nameOf(id)).toBe("Renamed");
  const { rows } = await sql`select operator, action, reason from operation where customer_id = ${id}`.execute(
    database.handle.db,
  );
  expect(rows).toEqual([{ operator: "grace", action: "freeze", reason: "a test" }]);
});

test("an operator whose role has changed since the request, also to one with the right, changes nothing", async () => {
  const { id } = await newCustomer(database.handle);
  const bob = asOperator(ctx, "bob");
  const asAdmin = { ...bob, actor: { ...bob.actor, role: "admin", right: "money" } as const };
  const renaming = asAdmin.transaction(async (tx) => {
    await rename(tx, id);
    await recordOperation(tx, asAdmin, { moves: MOVES_NOTHING, ...OPERATION, customerId: id });
  });
  await expect(renaming).rejects.toMatchObject({ code: "forbidden", messageRef: { reason: "operator.role_changed" } });
  expect(await nameOf(id)).not.toBe("Renamed");
});

test("an operator's transaction that only reads needs no record", async () => {
  const { id } = await newCustomer(database.handle);
  const read = asOperator(ctx, "grace").transaction(
    async (tx) => (await sql`select 1 from customer where id = ${id}`.execute(tx)).rows,
  );
  await expect(read).resolves.toHaveLength(1);
});

test("a customer's transaction writes nothing to the audit log", async () => {
  const { id } = await newCustomer(database.handle);
  await ctx.transaction(async (tx) => {
    await rename(tx, id);
    await recordOperation(tx, ctx, { moves: MOVES_NOTHING, ...OPERATION, customerId: id });
  });
  expect(await nameOf(id)).toBe("Renamed");
  const { rows } = await sql`select 1 from operation where customer_id = ${id}`.execute(database.handle.db);
  expect(rows).toEqual([]);
});
