import * as fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spreadBookings } from "../../test/ledger-account.ts";
import { checkLedgerProperties } from "../../test/ledger-property.ts";
import { readLedgerMonth, sumBooks } from "../billing/month/month.store.ts";
import type { Movement } from "./ledger.ts";
import { systemClock } from "../platform/clock.ts";
import { testContext } from "../../test/test-context.ts";
import { plantFault, testDatabase, type TestDatabase } from "../../test/test-database.ts";

/** About 20,000 operations; `npm run bench -- ledger-properties` does a million. */
const WORLDS = 60;
const MIN_OPERATIONS = 15_000;
const DAYS = 4;
const SPANS = 50;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 24 });
  await database.warmUp();
});
afterAll(() => database.close());

test("concurrent operations on an account match the model: no credit is lost, duplicated or negative", async () => {
  expect(await checkLedgerProperties(database.handle, { worlds: WORLDS })).toBeGreaterThan(MIN_OPERATIONS);
});

test("between any two times, opening and movements are the closing, by entries and by the accounts' running balances", async () => {
  const { db } = database.handle;
  await spreadBookings(database.handle, { days: DAYS });
  await sumBooks(testContext({ handle: database.handle, clock: systemClock }), new AbortController().signal);
  const { rows } = await sql<{
    from: Date;
    to: Date;
  }>`select min(created_at) as from, max(created_at) as to from ledger_transaction`.execute(db);
  const [first, last] = [rows[0]!.from.getTime(), rows[0]!.to.getTime()];
  const time = fc.integer({ min: first - 1, max: last + 1 }).map((ms) => new Date(ms));
  const moved = (movements: readonly Movement[], part: "micros" | "bonusMicros" | "serviceMicros") =>
    movements.reduce((total, one) => total + one[part], 0n);
  await fc.assert(
    fc.asyncProperty(time, time, async (one, other) => {
      const span = one < other ? { from: one, to: other } : { from: other, to: one };
      const { opening, closing, accounts, movements } = await readLedgerMonth(db, span);
      for (const part of ["micros", "bonusMicros"] as const) {
        expect(opening[part] + moved(movements, part)).toBe(closing[part]);
        expect(accounts[part]).toBe(closing[part]);
      }
      expect(moved(movements, "serviceMicros")).toBe(-moved(movements, "micros"));
    }),
    { numRuns: SPANS },
  );
});

/** Mutations of SQL functions: [description, function, text, replacement]. */
const mistakes: readonly (readonly [string, string, string, string])[] = [
  ["a charge from a balance that was read without a lock", "resolve_holds", " for no key update", ""],
  ["a hold that is posted twice", "resolve_holds", "h.state = 'pending' and", ""],
  ["a charge that spends paid credit before bonus", "resolve_holds", "-micros, -micros", "-micros, 0"],
  ["a hold that grows past the credit", "extend_hold", "- acc.held_micros);", "- acc.held_micros + 1);"],
  ["a withdrawal of bonus", "withdrawable_micros", "greatest(acc.bonus_micros, acc.held_micros)", "acc.held_micros"],
  [
    "a refund that becomes a debt although bonus is left",
    "record_transactions",
    "least(a.bonus_micros + p.bonus_micros, net.micros)",
    "a.bonus_micros + p.bonus_micros",
  ],
  ["a spent bonus that becomes a debt", "post_reversal", "least(p_amount_micros, acc.bonus_micros)", "p_amount_micros"],
  ["a bonus that is restored as paid credit", "restore_transaction", "-taken.bonus_micros", "0"],
];

test.each(mistakes)("the model detects %s", async (_, name, text, mistake) => {
  const own = await testDatabase({ poolSize: 24 });
  try {
    await own.warmUp();
    await plantFault(own.handle, name, text, mistake);
    await expect(checkLedgerProperties(own.handle, { worlds: WORLDS, shrink: false })).rejects.toThrow();
  } finally {
    await own.close();
  }
});
