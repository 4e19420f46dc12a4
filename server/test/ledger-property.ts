import assert from "node:assert/strict";
import * as fc from "fast-check";
import { uuidv7 } from "uuidv7";
import pino from "pino";
import { callChargeKey, checkLedger, ledger, verifyLedger } from "../src/ledger/ledger.ts";
import { AppError } from "../src/platform/app-error.ts";
import { systemClock } from "../src/platform/clock.ts";
import type { DatabaseHandle } from "../src/platform/database/database.ts";
import { LedgerModel, type Operation, type Outcome } from "./ledger-model.ts";
import { newCustomer } from "./new-customer.ts";

const log = pino({ level: "silent" });

/** Accounts of one world. They run in parallel, each with as many connections as its largest step has operations. */
const CUSTOMERS = 8;
const MAX_STEPS = 50;
/** Concurrent operations per step on one account. */
const MAX_CONCURRENT = 3;

const amount = fc.bigInt({ min: -1n, max: 30n });
const hold = fc.nat({ max: 7 });
const key = fc.nat({ max: 15 });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("hold" as const), hold, want: amount, min: fc.bigInt({ min: 0n, max: 5n }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("extend" as const), hold, want: amount }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("post" as const), hold, charge: amount }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("void" as const), hold }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("credit" as const),
      key,
      kind: fc.constantFrom(
        "top_up" as const,
        "bonus" as const,
        "test_credit" as const,
        "adjustment" as const,
        "write_off" as const,
      ),
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
  { weight: 1, arbitrary: fc.record({ do: fc.constant("withdraw" as const), key, amount }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("restore" as const),
      key,
      restored: fc.oneof(fc.record({ key }), fc.record({ callOfHold: hold })),
    }),
  },
);
const step = fc.array(operation, { minLength: 1, maxLength: MAX_CONCURRENT });
const world = fc.array(fc.array(step, { maxLength: MAX_STEPS, size: "max" }), { minLength: CUSTOMERS, maxLength: CUSTOMERS });

/**
 * Runs random histories on the real ledger, with concurrent operations on one account, and compares every result and
 * account with the model: concurrent operations must match the rules in some order.
 * @param options.seed a seed printed by a failure, to reproduce it
 * @param options.shrink false reports a failure as found, without searching for a smaller one
 * @returns the number of operations
 * @throws Error with the seed and the smallest history found that breaks a rule
 */
export async function checkLedgerProperties(
  handle: DatabaseHandle,
  options: { worlds: number; seed?: number; shrink?: boolean; done?: (operations: number) => void },
): Promise<number> {
  let operations = 0;
  await fc.assert(
    fc.asyncProperty(world, async (histories) => {
      operations += histories.flat(2).length;
      await Promise.all(histories.map((history) => compareWithModel(handle, history)));
      // By what was booked since the world before, while the whole check at the end reads everything.
      assert.deepEqual(await checkLedger({ handle, clock: systemClock, log }, { whole: false }), []);
      options.done?.(operations);
    }),
    {
      numRuns: options.worlds,
      endOnFailure: options.shrink === false,
      ...(options.seed === undefined ? {} : { seed: options.seed }),
    },
  );
  assert.deepEqual(await verifyLedger(handle.db), []);
  return operations;
}

async function compareWithModel(handle: DatabaseHandle, history: readonly (readonly Operation[])[]): Promise<void> {
  const { id: customerId } = await newCustomer(handle);
  const real = new RealAccount(handle, customerId);
  let possible = [new LedgerModel()];
  for (const [index, operations] of history.entries()) {
    const outcomes = await Promise.all(operations.map((one) => real.apply(one)));
    const observed = operations.map((one, place) => ({ operation: one, outcome: outcomes[place] as Outcome }));
    const seen = await ledger.balance(handle.db, customerId);
    const reached = possible.flatMap((model) => [...matchingOrders(model, observed)]);
    possible = withoutRepeats(reached.filter((model) => isSameBalance(model, seen)));
    if (possible.length === 0)
      assert.fail(`step ${index} fits no order of the rules: ${show(observed)}, then ${show(seen)}; allowed: ${show(reached)}`);
  }
  const { rows, total } = await ledger.transactions(handle.db, customerId, { limit: 1_000 });
  const entries = rows.toReversed().map((row) => ({ kind: row.kind, amount: row.amountMicros, bonus: row.bonusMicros }));
  if (!possible.some((model) => show(model.entries) === show(entries)))
    assert.fail(`the lines fit no order of the rules: ${show(entries)}`);
  assert.equal(total, entries.length);
  let running = 0n;
  for (const row of rows.toReversed()) assert.equal(row.balanceAfterMicros, (running += row.amountMicros));
}

interface Observed {
  readonly operation: Operation;
  readonly outcome: Outcome;
}

/** The accounts that result from every order that matches the observed results. */
function* matchingOrders(model: LedgerModel, observed: readonly Observed[]): Generator<LedgerModel> {
  if (observed.length === 0) yield model;
  for (const next of observed) {
    const after = model.copy();
    if (show(after.apply(next.operation)) === show(next.outcome))
      yield* matchingOrders(
        after,
        observed.filter((one) => one !== next),
      );
  }
}

function isSameBalance(model: LedgerModel, seen: Awaited<ReturnType<typeof ledger.balance>>): boolean {
  return (
    model.balance === seen.balanceMicros &&
    model.held === seen.heldMicros &&
    model.available === seen.availableMicros &&
    model.debt === seen.debtMicros &&
    model.bonus === seen.bonusMicros &&
    (model.withdrawable > 0n ? model.withdrawable : 0n) === seen.withdrawableMicros
  );
}

function withoutRepeats(models: readonly LedgerModel[]): LedgerModel[] {
  return [...new Map(models.map((model) => [model.fingerprint(), model])).values()];
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner)) ?? "";
}

/** The real account through the ledger's public operations. */
class RealAccount {
  readonly #handle: DatabaseHandle;
  readonly #customerId: string;
  readonly #holds = new Map<number, string>();
  constructor(handle: DatabaseHandle, customerId: string) {
    this.#handle = handle;
    this.#customerId = customerId;
  }

  async apply(one: Operation): Promise<Outcome> {
    try {
      return { value: await this.#call(one) };
    } catch (error) {
      if (!(error instanceof AppError)) {
        if (!(error as Error).message.startsWith("The ledger refused an invalid call")) throw error;
        return { refused: "wrong_call" };
      }
      assert.ok(error.code === "insufficient_credit" || error.code === "conflict", error.code);
      return { refused: error.code };
    }
  }

  #call(one: Operation): Promise<unknown> {
    const { db } = this.#handle;
    switch (one.do) {
      case "hold":
        return ledger.hold(db, {
          holdId: this.#hold(one.hold),
          customerId: this.#customerId,
          wantMicros: one.want,
          leastMicros: one.min,
        });
      case "extend":
        return ledger.extendHold(db, { holdId: this.#hold(one.hold), wantMicros: one.want });
      case "post":
        return ledger.postHold(db, { holdId: this.#hold(one.hold), chargeMicros: one.charge, description: "Call" });
      case "void":
        return ledger.voidHold(db, this.#hold(one.hold));
      case "credit":
        return ledger.credit(db, { ...this.#posting(one), kind: one.kind, referenceId: null });
      case "reverse":
        return ledger.reverse(db, { ...this.#posting(one), kind: one.kind, referenceId: this.#customerId });
      case "withdraw":
        return ledger.withdraw(db, { ...this.#posting(one), referenceId: this.#customerId });
    }
    const { restored } = one;
    return ledger.restore(db, {
      key: this.#key(one.key),
      restoredKey: "key" in restored ? this.#key(restored.key) : callChargeKey(this.#hold(restored.callOfHold)),
      description: "Given back",
    });
  }

  #posting({ key: number, amount: amountMicros }: { key: number; amount: bigint }) {
    return { key: this.#key(number), customerId: this.#customerId, amountMicros, description: "Posting" };
  }

  #key(number: number): string {
    return `${this.#customerId}:${number}`;
  }

  #hold(number: number): string {
    const id = this.#holds.get(number) ?? uuidv7();
    this.#holds.set(number, id);
    return id;
  }
}
