import * as fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LedgerModel, type Operation, type Outcome } from "../../test/ledger-model.ts";
import { newCustomer } from "../../test/new-customer.ts";
import { AppError } from "../platform/app-error.ts";
import { testDatabase, type TestDatabase } from "../platform/test-database.ts";
import { ledger, verifyLedger } from "./ledger.ts";

/** 57 worlds of 8 customers with up to 100 operations each, about 20,000 in all. */
const WORLDS = 57;
const CUSTOMERS = 8;
const MOST_OPERATIONS = 100;
/** Five seconds on a free machine; a busy one may take its time. */
const TIMEOUT_MS = 180_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.warmUp();
});
afterAll(() => database.close());

const amount = fc.bigInt({ min: -1n, max: 30n });
const hold = fc.nat({ max: 7 });
const key = fc.nat({ max: 15 });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("hold" as const), hold, want: amount, least: fc.bigInt({ min: 0n, max: 5n }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("post" as const), hold, charge: amount }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("void" as const), hold }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("credit" as const),
      key,
      kind: fc.constantFrom("top_up" as const, "bonus" as const, "test_credit" as const, "adjustment" as const),
      amount,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("reverse" as const),
      key,
      kind: fc.constantFrom("refund" as const, "dispute" as const, "bonus" as const),
      amount,
    }),
  },
);
const world = fc.array(fc.array(operation, { maxLength: MOST_OPERATIONS, size: "max" }), {
  minLength: CUSTOMERS,
  maxLength: CUSTOMERS,
});

test(
  "every operation answers and changes what the rules say, while other customers are served in parallel",
  async () => {
    await fc.assert(
      fc.asyncProperty(world, async (histories) => {
        await Promise.all(histories.map(compareWithModel));
        expect(await verifyLedger(database.handle.db)).toEqual([]);
      }),
      { numRuns: WORLDS },
    );
  },
  TIMEOUT_MS,
);

async function compareWithModel(operations: readonly Operation[]): Promise<void> {
  const { pool } = database.handle;
  const { id: customerId } = await newCustomer(database.handle);
  const real = new RealAccount(customerId);
  const model = new LedgerModel();
  for (const [index, one] of operations.entries()) {
    const expected = model.apply(one);
    expect(await real.apply(one), `operation ${index}`).toEqual(expected);
  }
  expect(await ledger.balance(pool, customerId)).toEqual({
    balanceMicros: model.balance,
    heldMicros: model.held,
    availableMicros: model.balance - model.held,
    debtMicros: model.debt,
  });
  const { rows, total } = await ledger.transactions(pool, customerId, { limit: 1_000 });
  expect(rows.toReversed().map((row) => row.amountMicros)).toEqual(model.entries);
  expect(total).toBe(model.entries.length);
  let running = 0n;
  for (const row of rows.toReversed()) expect(row.balanceAfterMicros).toBe((running += row.amountMicros));
}

class RealAccount {
  readonly #customerId: string;
  readonly #ids = new Map<number, string>();
  constructor(customerId: string) {
    this.#customerId = customerId;
  }

  async apply(one: Operation): Promise<Outcome> {
    try {
      return { value: await this.#call(one) };
    } catch (error) {
      if (!(error instanceof AppError)) {
        expect((error as Error).message).toMatch(/^The ledger refused a wrong call/);
        return { refused: "wrong_call" };
      }
      expect(["insufficient_credit", "conflict"]).toContain(error.code);
      return { refused: error.code as "insufficient_credit" | "conflict" };
    }
  }

  #call(one: Operation): Promise<unknown> {
    const { pool } = database.handle;
    const customerId = this.#customerId;
    switch (one.do) {
      case "hold":
        return ledger.hold(pool, { holdId: this.#id(one.hold), customerId, wantMicros: one.want, leastMicros: one.least });
      case "post":
        return ledger.postHold(pool, { holdId: this.#id(one.hold), chargeMicros: one.charge, description: "Call" });
      case "void":
        return ledger.voidHold(pool, this.#id(one.hold));
      case "credit":
        return ledger.credit(pool, {
          key: `${customerId}:${one.key}`,
          customerId,
          kind: one.kind,
          amountMicros: one.amount,
          referenceId: null,
          description: "Credit",
        });
    }
    return ledger.reverse(pool, {
      key: `${customerId}:${one.key}`,
      customerId,
      kind: one.kind,
      amountMicros: one.amount,
      referenceId: customerId,
      description: "Reversal",
    });
  }

  #id(index: number): string {
    const known = this.#ids.get(index) ?? uuidv7();
    this.#ids.set(index, known);
    return known;
  }
}
