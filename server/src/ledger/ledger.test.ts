import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newCustomer } from "../../test/new-customer.ts";
import type { AppError } from "../platform/app-error.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { ledger, ledgerJobs, ledgerMetrics, verifyLedger } from "./ledger.ts";
import { testContext } from "../../test/test-context.ts";

const DOLLAR = 1_000_000n;
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 50 });
  await database.warmUp();
});
afterAll(() => database.close());

async function customerWith(micros: bigint): Promise<string> {
  const { id } = await newCustomer(database.handle);
  if (micros > 0n) await topUp(id, micros);
  return id;
}

function topUp(customerId: string, amountMicros: bigint, key = uuidv7()) {
  return ledger.credit(database.handle.db, {
    key,
    customerId,
    kind: "top_up",
    amountMicros,
    referenceId: null,
    description: "Top-up",
  });
}

function refund(customerId: string, amountMicros: bigint, key = uuidv7()) {
  return ledger.reverse(database.handle.db, {
    key,
    customerId,
    kind: "refund",
    amountMicros,
    referenceId: customerId,
    description: "Refund",
  });
}

function hold(customerId: string, wantMicros: bigint, holdId = uuidv7()) {
  return ledger.hold(database.handle.db, { holdId, customerId, wantMicros, leastMicros: wantMicros });
}

function post(holdId: string, chargeMicros: bigint) {
  return ledger.postHold(database.handle.db, { holdId, chargeMicros, description: "Call to +44 7400 123456" });
}

async function balanceOf(customerId: string) {
  const { balanceMicros, heldMicros, debtMicros } = await ledger.balance(database.handle.db, customerId);
  return [balanceMicros, heldMicros, debtMicros];
}

describe("holding credit", () => {
  test("the error for insufficient credit contains the missing amount, rounded up to a cent", async () => {
    const customer = await customerWith(50_000n);
    await expect(hold(customer, 196_600n)).rejects.toMatchObject({
      code: "insufficient_credit",
      message: "You need $0.15 more to make this call.",
      credit: { required: "0.1966", available: "0.05", missing: "0.1466" },
    });
    expect(await balanceOf(customer)).toEqual([50_000n, 0n, 0n]);
  });

  test("200 concurrent calls with credit for 10 hold credit for exactly 10", async () => {
    const customer = await customerWith(10n * DOLLAR);
    const tries = await Promise.allSettled(Array.from({ length: 200 }, () => hold(customer, DOLLAR)));
    expect(tries.filter((one) => one.status === "fulfilled")).toHaveLength(10);
    const refusals = tries.flatMap((one) => (one.status === "rejected" ? [(one.reason as AppError).code] : []));
    expect(new Set(refusals)).toEqual(new Set(["insufficient_credit"]));
    expect(await balanceOf(customer)).toEqual([10n * DOLLAR, 10n * DOLLAR, 0n]);
  });

  test("50 concurrent requests for one hold hold its credit once", async () => {
    const customer = await customerWith(5n * DOLLAR);
    const holdId = uuidv7();
    const answers = await Promise.all(Array.from({ length: 50 }, () => hold(customer, DOLLAR, holdId)));
    expect(new Set(answers.map((answer) => answer.heldMicros))).toEqual(new Set([DOLLAR]));
    expect(await balanceOf(customer)).toEqual([5n * DOLLAR, DOLLAR, 0n]);
  });

  test("a hold's id cannot be used for another customer or another amount", async () => {
    const [one, other] = [await customerWith(DOLLAR), await customerWith(DOLLAR)];
    const holdId = uuidv7();
    await hold(one, 1_000n, holdId);
    await expect(hold(other, 1_000n, holdId)).rejects.toMatchObject({ code: "conflict" });
    await expect(hold(one, 2_000n, holdId)).rejects.toMatchObject({ code: "conflict" });
    expect(await balanceOf(other)).toEqual([DOLLAR, 0n, 0n]);
  });

  test("a rolled-back hold leaves no trace", async () => {
    const customer = await customerWith(DOLLAR);
    const failing = database.handle.db.transaction().execute(async (tx) => {
      await ledger.hold(tx, { holdId: uuidv7(), customerId: customer, wantMicros: 1_000n, leastMicros: 1_000n });
      throw new Error("the call could not be written");
    });
    await expect(failing).rejects.toThrow("the call could not be written");
    expect(await balanceOf(customer)).toEqual([DOLLAR, 0n, 0n]);
  });

  test("insufficient credit causes the same error inside a transaction", async () => {
    const customer = await customerWith(0n);
    const failing = database.handle.db
      .transaction()
      .execute((tx) => ledger.hold(tx, { holdId: uuidv7(), customerId: customer, wantMicros: 1n, leastMicros: 1n }));
    await expect(failing).rejects.toMatchObject({ code: "insufficient_credit" });
  });
});

describe("settling a hold", () => {
  test("50 concurrent postings of a hold charge it once and all return the first charge", async () => {
    const customer = await customerWith(5n * DOLLAR);
    const holdId = uuidv7();
    await hold(customer, DOLLAR, holdId);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => post(holdId, BigInt(index + 1) * 1_000n)));
    const charges = new Set(answers.map((answer) => answer.chargedMicros));
    expect(charges.size).toBe(1);
    const [charged] = [...charges];
    expect(await balanceOf(customer)).toEqual([5n * DOLLAR - (charged ?? 0n), 0n, 0n]);
    expect((await ledger.transactions(database.handle.db, customer, { limit: 10 })).total).toBe(2);
  });

  test("of a concurrent posting and voiding one succeeds, and no credit stays held", async () => {
    const customer = await customerWith(20n * DOLLAR);
    for (let round = 0; round < 20; round++) {
      const holdId = uuidv7();
      await hold(customer, DOLLAR, holdId);
      const outcomes = await Promise.allSettled([post(holdId, DOLLAR), ledger.voidHold(database.handle.db, holdId)]);
      expect(outcomes.filter((one) => one.status === "fulfilled")).toHaveLength(1);
      expect(outcomes.find((one) => one.status === "rejected")).toMatchObject({ reason: { code: "conflict" } });
    }
    expect((await balanceOf(customer))[1]).toBe(0n);
    expect(await verifyLedger(database.handle.db)).toEqual([]);
  });

  test("a charge above the hold is refused and changes nothing", async () => {
    const customer = await customerWith(5n * DOLLAR);
    const holdId = uuidv7();
    await hold(customer, DOLLAR, holdId);
    await expect(post(holdId, DOLLAR + 1n)).rejects.toThrow(/refused an invalid call/);
    expect(await balanceOf(customer)).toEqual([5n * DOLLAR, DOLLAR, 0n]);
  });

  test("a free call leaves no line in the account", async () => {
    const customer = await customerWith(DOLLAR);
    const holdId = uuidv7();
    await hold(customer, DOLLAR, holdId);
    expect(await post(holdId, 0n)).toEqual({ chargedMicros: 0n });
    expect(await balanceOf(customer)).toEqual([DOLLAR, 0n, 0n]);
    expect((await ledger.transactions(database.handle.db, customer, { limit: 10 })).total).toBe(1);
  });
});

describe("credit and reversal", () => {
  test("50 concurrent requests for one credit apply it once", async () => {
    const customer = await customerWith(0n);
    const answers = await Promise.all(Array.from({ length: 50 }, () => topUp(customer, DOLLAR, `once:${customer}`)));
    expect(answers.filter((answer) => answer.applied)).toHaveLength(1);
    expect(await balanceOf(customer)).toEqual([DOLLAR, 0n, 0n]);
  });

  test("a used key cannot credit another amount or another customer", async () => {
    const [one, other] = [await customerWith(0n), await customerWith(0n)];
    await topUp(one, DOLLAR, `key:${one}`);
    await expect(topUp(one, 2n * DOLLAR, `key:${one}`)).rejects.toMatchObject({ code: "conflict" });
    await expect(topUp(other, DOLLAR, `key:${one}`)).rejects.toMatchObject({ code: "conflict" });
    expect(await balanceOf(other)).toEqual([0n, 0n, 0n]);
  });

  test("a refund of spent credit becomes a debt that blocks calls and is repaid by the next top-up", async () => {
    const customer = await customerWith(5n * DOLLAR);
    const holdId = uuidv7();
    await hold(customer, 4n * DOLLAR, holdId);
    await post(holdId, 4n * DOLLAR);
    expect(await refund(customer, 5n * DOLLAR)).toEqual({ applied: true, shortfallMicros: 4n * DOLLAR });
    expect(await balanceOf(customer)).toEqual([0n, 0n, 4n * DOLLAR]);
    await expect(hold(customer, 150_000n)).rejects.toMatchObject({
      message: "You need $4.15 more to make this call, $4.00 of it owed after a refund.",
    });
    await topUp(customer, 10n * DOLLAR);
    expect(await balanceOf(customer)).toEqual([6n * DOLLAR, 0n, 0n]);
  });

  test("a refund leaves a running call's hold intact, and the credit that the call releases repays the debt", async () => {
    const customer = await customerWith(5n * DOLLAR);
    const holdId = uuidv7();
    await hold(customer, 3n * DOLLAR, holdId);
    await refund(customer, 5n * DOLLAR);
    expect(await balanceOf(customer)).toEqual([3n * DOLLAR, 3n * DOLLAR, 3n * DOLLAR]);
    await post(holdId, DOLLAR);
    expect(await balanceOf(customer)).toEqual([0n, 0n, DOLLAR]);
  });

  test("repeating a refund returns the first result", async () => {
    const customer = await customerWith(DOLLAR);
    await refund(customer, 3n * DOLLAR, `refund:${customer}`);
    expect(await refund(customer, 3n * DOLLAR, `refund:${customer}`)).toEqual({ applied: false, shortfallMicros: 2n * DOLLAR });
    expect(await balanceOf(customer)).toEqual([0n, 0n, 2n * DOLLAR]);
  });
});

test("locking accounts does not lock others", async () => {
  const [locked, free] = [await customerWith(0n), await customerWith(0n)];
  const { db } = database.handle;
  await db.transaction().execute(async (tx) => {
    await ledger.lockAccounts(tx, [locked]);
    const { rows } = await sql<{ customer_id: string }>`
      select customer_id from account where customer_id = any(${[locked, free]}) for no key update skip locked`.execute(db);
    expect(rows).toEqual([{ customer_id: free }]);
  });
});

describe("the table guards", () => {
  test("refuse to change or delete lines", async () => {
    const { db } = database.handle;
    await customerWith(DOLLAR);
    await expect(sql`update ledger_entry set amount_micros = amount_micros + 1`.execute(db)).rejects.toThrow(/append-only/);
    await expect(sql`delete from ledger_transaction`.execute(db)).rejects.toThrow(/append-only/);
  });

  test("verification detects a balance that is not the sum of its entries, and the job logs it", async () => {
    const own = await testDatabase();
    try {
      const { id } = await newCustomer(own.handle);
      await sql`update account set balance_micros = 7 where customer_id = ${id}`.execute(own.handle.db);
      const drift = { check: "balance_is_sum_of_entries", id, expected: 0n, actual: 7n };
      expect(await verifyLedger(own.handle.db)).toEqual([drift]);
      const logged: unknown[] = [];
      const log = { error: (fields: unknown) => logged.push(fields) } as never;
      const [job] = ledgerJobs(testContext({ handle: own.handle, log }));
      await job?.run(new AbortController().signal);
      expect(logged).toEqual([{ ...drift, expected: "0", actual: "7" }]);
      const [deviations] = ledgerMetrics(testContext({ handle: own.handle }));
      expect(await deviations?.read()).toBe(1);
      expect(deviations?.warning?.(1)).toMatch(/does not add up in 1 places/);
      await sql`update account set balance_micros = 0 where customer_id = ${id}`.execute(own.handle.db);
      await job?.run(new AbortController().signal);
      expect(await deviations?.read()).toBe(0);
    } finally {
      await own.close();
    }
  });
});
