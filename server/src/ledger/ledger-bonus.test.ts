import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DOLLAR, ledgerAccount } from "../../test/ledger-account.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { callChargeKey, callRefundKey, ledger } from "./ledger.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.warmUp();
});
afterAll(() => database.close());

const accountWith = (paidMicros: bigint) => ledgerAccount(database.handle, paidMicros);

describe("bonus credit", () => {
  test("is spent before paid credit, and each line records its bonus part", async () => {
    const account = await accountWith(5n * DOLLAR);
    await account.credit("bonus", 2n * DOLLAR);
    await account.call(3n * DOLLAR);
    expect(await account.money()).toEqual({ balance: 4n * DOLLAR, bonus: 0n, withdrawable: 4n * DOLLAR, debt: 0n });
    const { rows } = await ledger.transactions(database.handle.db, account.id, { limit: 10 });
    expect(rows.map((row) => row.bonusMicros)).toEqual([-2n * DOLLAR, 2n * DOLLAR, 0n]);
  });

  test("cannot be withdrawn: only paid credit that no call holds can", async () => {
    const account = await accountWith(5n * DOLLAR);
    await account.credit("bonus", 2n * DOLLAR);
    await account.hold(3n * DOLLAR);
    expect(await account.money()).toMatchObject({ withdrawable: 4n * DOLLAR });
    await expect(account.withdraw(4n * DOLLAR + 1n)).rejects.toMatchObject({
      code: "insufficient_credit",
      message: "You can withdraw at most $4.00",
    });
    await account.withdraw(4n * DOLLAR);
    expect(await account.money()).toEqual({ balance: 3n * DOLLAR, bonus: 2n * DOLLAR, withdrawable: 0n, debt: 0n });
  });

  test("is not owed if it was spent before its payment was refunded", async () => {
    const account = await accountWith(10n * DOLLAR);
    await account.credit("bonus", DOLLAR);
    await account.call(DOLLAR);
    expect(await account.reverse("bonus", DOLLAR, `gone:${account.id}`)).toEqual({ applied: true, shortfallMicros: DOLLAR });
    expect(await account.reverse("bonus", DOLLAR, `gone:${account.id}`)).toEqual({ applied: false, shortfallMicros: DOLLAR });
    expect(await account.money()).toMatchObject({ balance: 10n * DOLLAR, debt: 0n });
  });

  test("covers a refund before the refund leaves a debt", async () => {
    const account = await accountWith(5n * DOLLAR);
    await account.call(4n * DOLLAR);
    await account.credit("bonus", 2n * DOLLAR);
    expect(await account.reverse("refund", 5n * DOLLAR)).toMatchObject({ shortfallMicros: 2n * DOLLAR });
    expect(await account.money()).toEqual({ balance: 0n, bonus: 0n, withdrawable: 0n, debt: 2n * DOLLAR });
  });
});

describe("withdrawing", () => {
  test("the whole balance in 20 concurrent requests pays out once", async () => {
    const account = await accountWith(5n * DOLLAR);
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => account.withdraw(5n * DOLLAR)));
    expect(tries.filter((one) => one.status === "fulfilled")).toHaveLength(1);
    expect(await account.money()).toMatchObject({ balance: 0n, debt: 0n });
  });
});

describe("restoring a transaction", () => {
  test("returns the bonus part of a call's charge as bonus", async () => {
    const account = await accountWith(5n * DOLLAR);
    await account.credit("bonus", 2n * DOLLAR);
    const before = await account.money();
    const call = await account.call(3n * DOLLAR);
    expect(await account.restore(callChargeKey(call), callRefundKey(call))).toEqual({ applied: true });
    expect(await account.money()).toEqual(before);
    const lines = await ledger.callEntries(database.handle.db, account.id, call);
    expect(lines.map((line) => [line.kind, line.amountMicros])).toEqual([
      ["call", -3n * DOLLAR],
      ["call_refund", 3n * DOLLAR],
    ]);
  });

  test("happens once, even if requested concurrently under several keys", async () => {
    const account = await accountWith(5n * DOLLAR);
    const dispute = uuidv7();
    await account.reverse("dispute", 5n * DOLLAR, dispute);
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => account.restore(dispute)));
    expect(tries.filter((one) => one.status === "fulfilled")).toHaveLength(1);
    const refusals = tries.flatMap((one) => (one.status === "rejected" ? [(one.reason as { code: string }).code] : []));
    expect(new Set(refusals)).toEqual(new Set(["conflict"]));
    expect(await account.money()).toMatchObject({ balance: 5n * DOLLAR });
  });

  test("is refused for incoming credit and for unknown transactions", async () => {
    const account = await accountWith(0n);
    const topUp = uuidv7();
    await account.credit("top_up", DOLLAR, topUp);
    await expect(account.restore(topUp)).rejects.toThrow(/refused an invalid call/);
    await expect(account.restore(uuidv7())).rejects.toThrow(/refused an invalid call/);
  });

  test("never exceeds the debt", async () => {
    const account = await accountWith(DOLLAR);
    await account.reverse("refund", 3n * DOLLAR);
    await expect(account.credit("write_off", 2n * DOLLAR + 1n)).rejects.toThrow(/refused an invalid call/);
    await account.credit("write_off", 2n * DOLLAR);
    expect(await account.money()).toEqual({ balance: 0n, bonus: 0n, withdrawable: 0n, debt: 0n });
  });
});

describe("a running call's hold", () => {
  test("grows with incoming credit up to the requested amount and never shrinks", async () => {
    const account = await accountWith(DOLLAR);
    const holdId = uuidv7();
    await account.hold(DOLLAR, holdId);
    const extend = async (wantMicros: bigint) => (await ledger.extendHold(database.handle.db, { holdId, wantMicros })).heldMicros;
    expect(await extend(9n * DOLLAR)).toBe(DOLLAR);
    await account.credit("top_up", 5n * DOLLAR);
    expect(await extend(3n * DOLLAR)).toBe(3n * DOLLAR);
    expect(await extend(2n * DOLLAR)).toBe(3n * DOLLAR);
    expect(await extend(9n * DOLLAR)).toBe(6n * DOLLAR);
    expect(await account.post(holdId, 6n * DOLLAR)).toEqual({ chargedMicros: 6n * DOLLAR });
    await expect(extend(9n * DOLLAR)).rejects.toMatchObject({ code: "conflict" });
  });
});
