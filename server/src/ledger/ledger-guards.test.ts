import { randomUUID } from "node:crypto";
import type { DatabaseError } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ledgerAccount } from "../../test/ledger-account.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";

/** Tests the checks of the ledger's SQL functions. Error codes: see sql/accounts.sql. */
let database: TestDatabase;
let owner: string;
let bystander: string;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  // The bystander's rows are older, so a query without its condition finds them first.
  bystander = (await ledgerAccount(database.handle, 100n)).id;
  owner = (await ledgerAccount(database.handle, 100n)).id;
});

/** Calls a SQL function. @returns its result, or its error code */
async function call(name: string, ...values: unknown[]): Promise<unknown> {
  const places = values.map((_, index) => `$${index + 1}`).join(", ");
  try {
    const { rows } = await database.handle.pool.query(`select * from ${name}(${places})`, values);
    return rows.length === 1 && Object.keys(rows[0]).length === 1 ? rows[0][name] : rows;
  } catch (error) {
    return (error as DatabaseError).code;
  }
}

const newId = (): string => randomUUID();
/** Of several holds: their amounts in the order given, or the error's code. */
async function amounts(ids: readonly string[], column: string, rows: Promise<unknown>): Promise<unknown> {
  const given = await rows;
  if (!Array.isArray(given)) return given;
  return ids.map((id) => given.find((row) => row.hold_id === id)?.[column]);
}
const only = async (list: Promise<unknown>) => {
  const given = await list;
  return Array.isArray(given) ? given[0] : given;
};
const holdAll = (holds: readonly { id: string; want: bigint; min?: bigint; customer?: string }[]) =>
  amounts(
    holds.map(({ id }) => id),
    "held_micros",
    call(
      "hold_credit",
      holds.map(({ id }) => id),
      holds.map(({ customer = owner }) => customer),
      holds.map(() => null),
      holds.map(({ want }) => want),
      holds.map(({ want, min = want }) => min),
    ),
  );
const hold = (id: string, want = 10n, min = want, customer = owner) => only(holdAll([{ id, want, min, customer }]));
const resolveAll = (ids: readonly string[], charges: readonly (bigint | null)[]) =>
  amounts(
    ids,
    "charged_micros",
    call(
      "resolve_holds",
      ids.map(newId),
      ids,
      charges,
      ids.map(() => "Call"),
    ),
  );
const post = (id: string, charge: bigint) => only(resolveAll([id], [charge]));
const release = (id: string) => only(resolveAll([id], [null]));
const credit = (amount: bigint, { kind = "top_up", key = newId(), reference = owner, customer = owner } = {}) =>
  call("post_credit", newId(), key, customer, kind, amount, reference, "Credit");
const reverse = (amount: bigint, { kind = "refund", key = newId(), reference = owner } = {}) =>
  call("post_reversal", newId(), key, owner, kind, amount, reference, "Reversal");
const returnBonus = (amount: bigint, key = newId()) => call("return_bonus", newId(), key, owner, amount, owner, "Return");
const withdraw = (amount: bigint, key = newId()) => call("withdraw_credit", newId(), key, owner, amount, owner, "Withdrawal");
const restore = (restored: string, key = newId()) => call("restore_transaction", newId(), key, restored, "Restored");

async function money(customer = owner) {
  const { rows } = await database.handle.pool.query(
    "select balance_micros, held_micros, debt_micros, bonus_micros, entry_count from account where customer_id = $1",
    [customer],
  );
  return Object.values(rows[0]);
}

async function everythingOf(customer: string): Promise<unknown> {
  const read = async (table: string) =>
    (await database.handle.pool.query(`select * from ${table} where customer_id = $1 order by 1`, [customer])).rows;
  return Promise.all(["account", "hold", "ledger_entry", "ledger_transaction"].map(read));
}

test("operations on one account never change another", async () => {
  await credit(5n, { kind: "bonus", customer: bystander });
  const theirs = [newId(), newId(), newId()] as const;
  for (const id of theirs) await hold(id, 10n, 10n, bystander);
  await post(theirs[0], 4n);
  await release(theirs[1]);
  const before = await everythingOf(bystander);
  const mine = [newId(), newId(), newId()] as const;
  for (const id of mine) expect(await hold(id, 5n)).toBe(5n);
  expect(await call("extend_hold", mine[0], 8n)).toBe(8n);
  expect(await post(mine[0], 8n)).toBe(8n);
  expect(await post(mine[1], 0n)).toBe(0n);
  expect(await release(mine[2])).toBe(0n);
  const [refund, gone] = [newId(), newId()];
  await reverse(10n, { key: refund });
  expect(await restore(refund)).toBe(true);
  await credit(5n, { kind: "bonus" });
  await returnBonus(3n);
  await reverse(2n, { kind: "bonus", key: gone });
  expect(await restore(gone)).toBe(true);
  expect(await withdraw(20n)).toBe(true);
  expect(await money()).toEqual([74n, 0n, 0n, 2n, 9n]);
  expect(await everythingOf(bystander)).toEqual(before);
});

describe("a hold", () => {
  test("is at least one micro-dollar, and at least the requested minimum", async () => {
    for (const [want, min] of [
      [5n, 0n],
      [5n, -1n],
      [4n, 5n],
    ] as const)
      expect(await hold(newId(), want, min)).toBe("FL007");
    expect(await hold(newId(), 1n, 1n)).toBe(1n);
  });

  test("is at most the available credit, and its id cannot be reused with other content", async () => {
    expect(await hold(newId(), 101n)).toBe("FL001");
    const id = newId();
    expect(await hold(id, 200n, 100n)).toBe(100n);
    expect(await hold(id, 200n, 100n)).toBe(100n);
    expect(await hold(id, 200n, 99n)).toBe("FL002");
    expect(await hold(id, 201n, 100n)).toBe("FL002");
    expect(await hold(id, 200n, 100n, bystander)).toBe("FL002");
    expect(await hold(newId(), 1n, 1n, newId())).toBe("FL003");
    expect(await money()).toEqual([100n, 100n, 0n, 0n, 1n]);
  });

  test("returns its original amount when repeated, even if other holds exist", async () => {
    await hold(newId(), 7n, 7n, bystander);
    const id = newId();
    expect([await hold(id, 9n), await hold(id, 9n)]).toEqual([9n, 9n]);
  });

  test("is posted once, for at most the held amount", async () => {
    await hold(newId(), 7n, 7n, bystander);
    const id = newId();
    await hold(id);
    expect([await post(newId(), 1n), await post(id, 11n), await post(id, -1n)]).toEqual(["FL004", "FL006", "FL006"]);
    expect([await post(id, 10n), await post(id, 3n), await release(id)]).toEqual([10n, 10n, "FL005"]);
    expect(await call("extend_hold", id, 20n)).toBe("FL005");
    expect(await money()).toEqual([90n, 0n, 0n, 0n, 2n]);
  });

  test("is voided once", async () => {
    await hold(newId(), 7n, 7n, bystander);
    const id = newId();
    await hold(id);
    expect(await release(newId())).toBe("FL004");
    expect([await release(id), await release(id), await post(id, 1n)]).toEqual([0n, 0n, "FL005"]);
    expect(await call("extend_hold", id, 20n)).toBe("FL005");
    expect(await money()).toEqual([100n, 0n, 0n, 0n, 1n]);
  });

  test("is charged and released with others of its account as if one after the other", async () => {
    const ids = [newId(), newId(), newId(), newId()];
    for (const id of ids) await hold(id);
    await reverse(90n);
    expect(await money()).toEqual([40n, 40n, 30n, 0n, 2n]);
    expect(await resolveAll(ids, [10n, null, 4n, 0n])).toEqual([10n, 0n, 4n, 0n]);
    expect(await money()).toEqual([0n, 0n, 4n, 0n, 4n]);
    const { rows } = await database.handle.pool.query(
      "select sequence, balance_after_micros as after from ledger_entry where customer_id = $1 order by sequence",
      [owner],
    );
    expect(rows.map(({ after }) => after)).toEqual([100n, 10n, 0n, -4n]);
  });

  test("is refused with the others of its request", async () => {
    const [first, second] = [newId(), newId()];
    expect(
      await holdAll([
        { id: first, want: 1n },
        { id: second, want: 101n, customer: bystander },
      ]),
    ).toBe("FL001");
    expect(
      await holdAll([
        { id: first, want: 1n },
        { id: second, want: 1n },
      ]),
    ).toBe("FL007");
    expect(
      await holdAll([
        { id: first, want: 1n },
        { id: second, want: 2n, customer: bystander },
      ]),
    ).toEqual([1n, 2n]);
    expect(await resolveAll([first, second], [1n, 3n])).toBe("FL006");
    expect([await money(), await money(bystander)]).toEqual([
      [100n, 1n, 0n, 0n, 1n],
      [100n, 2n, 0n, 0n, 1n],
    ]);
  });

  test("grows up to the available credit and never shrinks", async () => {
    await hold(newId(), 7n, 7n, bystander);
    const id = newId();
    await hold(id);
    expect(await call("extend_hold", newId(), 20n)).toBe("FL004");
    expect([await call("extend_hold", id, 5n), await call("extend_hold", id, 30n)]).toEqual([10n, 30n]);
    await hold(newId(), 60n);
    expect(await call("extend_hold", id, 50n)).toBe(40n);
    expect(await money()).toEqual([100n, 100n, 0n, 0n, 1n]);
  });
});

describe("forfeiting an account's credit", () => {
  const forfeit = (key = newId(), customer = owner) => call("forfeit_credit", newId(), key, customer, "Given up");

  test("takes all paid and bonus credit of that account only", async () => {
    await credit(5n, { kind: "bonus" });
    const theirs = await everythingOf(bystander);
    expect([await forfeit(), await forfeit()]).toEqual([105n, 0n]);
    expect(await money()).toEqual([0n, 0n, 0n, 0n, 3n]);
    const { rows } = await database.handle.pool.query("select 1 from ledger_transaction where customer_id = $1", [owner]);
    expect(rows).toHaveLength(3);
    expect(await everythingOf(bystander)).toEqual(theirs);
    expect(await forfeit(newId(), newId())).toBe("FL003");
  });

  test("is refused while credit is held", async () => {
    await hold(newId(), 10n);
    expect(await forfeit()).toBe("FL007");
    expect(await money()).toEqual([100n, 10n, 0n, 0n, 1n]);
  });
});

describe("a booked entry", () => {
  const change = (sql: string) =>
    database.handle.pool.query(`update ledger_transaction set ${sql} where customer_id = $1`, [owner]);

  test("allows only its description to be masked", async () => {
    await change("description = 'Call to +44*'");
    await expect(change("description = 'Something else'")).rejects.toThrow(/append-only/);
    await expect(change("description = 'Call to +44*', shortfall_micros = 1")).rejects.toThrow(/append-only/);
    await expect(change("created_at = now(), description = 'Call to +44*'")).rejects.toThrow(/append-only/);
  });
});

describe("credit", () => {
  test("must be positive, of an incoming kind, and for an existing account", async () => {
    for (const amount of [0n, -1n]) expect(await credit(amount)).toBe("FL007");
    for (const kind of ["call", "refund", "nonsense"]) expect(await credit(1n, { kind })).toBe("FL007");
    expect(await credit(1n, { customer: newId() })).toBe("FL003");
  });

  test("is applied once per key, which cannot be reused with other content", async () => {
    const key = newId();
    expect([await credit(5n, { key }), await credit(5n, { key })]).toEqual([true, false]);
    expect(await credit(6n, { key })).toBe("FL002");
    expect(await credit(5n, { key, kind: "adjustment" })).toBe("FL002");
    expect(await credit(5n, { key, reference: bystander })).toBe("FL002");
    expect(await credit(5n, { key, customer: bystander })).toBe("FL002");
    expect(await money()).toEqual([105n, 0n, 0n, 0n, 2n]);
  });

  test("written off never exceeds the debt", async () => {
    await reverse(103n);
    expect(await credit(4n, { kind: "write_off" })).toBe("FL007");
    expect(await credit(3n, { kind: "write_off" })).toBe(true);
    expect(await credit(1n, { kind: "write_off" })).toBe("FL007");
    expect(await credit(5n)).toBe(true);
  });
});

describe("a reversal", () => {
  test("requires a positive amount and an outgoing kind", async () => {
    for (const amount of [0n, -1n]) {
      expect(await reverse(amount)).toBe("FL007");
      expect(await returnBonus(amount)).toBe("FL007");
      expect(await withdraw(amount)).toBe("FL007");
    }
    for (const kind of ["top_up", "call", "nonsense"]) expect(await reverse(1n, { kind })).toBe("FL007");
  });

  test("happens once per key, and a repetition returns the same shortfall", async () => {
    const keys = [newId(), newId(), newId(), newId()] as const;
    const row = (applied: boolean, shortfall: bigint) => [{ applied, shortfall_micros: shortfall }];
    await credit(3n, { kind: "bonus" });
    for (const applied of [true, false]) expect(await reverse(4n, { kind: "bonus", key: keys[0] })).toEqual(row(applied, 1n));
    for (const applied of [true, false]) expect(await returnBonus(101n, keys[1])).toEqual(row(applied, 1n));
    await credit(10n);
    for (const done of [true, false]) expect(await withdraw(4n, keys[2])).toBe(done);
    for (const applied of [true, false]) expect(await reverse(8n, { key: keys[3] })).toEqual(row(applied, 2n));
    expect(await money()).toEqual([0n, 0n, 2n, 0n, 7n]);
  });

  test("by withdrawal takes only free paid credit", async () => {
    await credit(20n, { kind: "bonus" });
    await hold(newId(), 30n);
    expect([await withdraw(91n), await withdraw(90n)]).toEqual(["FL008", true]);
  });
});

describe("restoring a transaction", () => {
  test("happens once, under one key", async () => {
    const [first, second] = [newId(), newId()];
    await reverse(5n, { key: first });
    await reverse(6n, { kind: "dispute", key: second });
    const keys = [newId(), newId()] as const;
    expect([await restore(first, keys[0]), await restore(first, keys[0])]).toEqual([true, false]);
    expect(await restore(first)).toBe("FL002");
    expect(await restore(second, keys[0])).toBe("FL002");
    expect([await restore(second, keys[1]), await restore(second, keys[1])]).toEqual([true, false]);
    expect(await money()).toEqual([100n, 0n, 0n, 0n, 5n]);
  });

  test("is refused for incoming credit, for a transaction that took nothing, and for an unknown one", async () => {
    const [topUp, bonus, spent] = [newId(), newId(), newId()];
    await credit(5n, { key: topUp });
    await credit(5n, { kind: "bonus", key: bonus });
    expect([await restore(topUp), await restore(bonus), await restore(newId())]).toEqual(["FL007", "FL007", "FL009"]);
    await reverse(5n, { kind: "bonus" });
    await reverse(5n, { kind: "bonus", key: spent });
    expect(await restore(spent)).toBe(false);
  });
});

test("entries_before and statement_bounds read only the account's own entries", async () => {
  for (let more = 0; more < 4; more += 1) await credit(1n, { customer: bystander });
  for (let more = 0; more < 2; more += 1) await credit(1n);
  const { rows } = await database.handle.pool.query(
    "select t.created_at::text as at from ledger_entry e join ledger_transaction t on t.id = e.transaction_id where e.customer_id = $1 order by sequence",
    [owner],
  );
  const before = async (moment: string) => call("entries_before", owner, moment);
  expect(await Promise.all(rows.map(({ at }) => before(at)))).toEqual([0n, 1n, 2n]);
  expect([await before("-infinity"), await before("infinity")]).toEqual([0n, 3n]);
  expect(await call("statement_bounds", newId(), "-infinity", "infinity")).toBe("FL003");
  expect(await call("statement_bounds", owner, rows[1].at, rows[2].at)).toEqual([
    { opened_at: 1n, closed_at: 2n, opening_micros: 100n, closing_micros: 101n },
  ]);
});

describe("the database refuses a row that violates an invariant", () => {
  const isSound = async (table: "account" | "hold", row: object) => {
    const { rows } = await database.handle.pool.query(
      `select ${table}_is_sound(jsonb_populate_record(null::${table}, $1)) as sound`,
      [JSON.stringify(row)],
    );
    return rows[0].sound as boolean;
  };

  const account = { balance_micros: 0, held_micros: 0, debt_micros: 0, bonus_micros: 0 };
  test.each<[boolean, object]>([
    [true, {}],
    [true, { balance_micros: 5, held_micros: 5, debt_micros: 3 }],
    [true, { balance_micros: 5, bonus_micros: 5 }],
    [false, { held_micros: -1 }],
    [false, { balance_micros: 4, held_micros: 5 }],
    [false, { debt_micros: -1 }],
    [false, { balance_micros: 5, held_micros: 4, debt_micros: 1 }],
    [false, { bonus_micros: -1 }],
    [false, { balance_micros: 5, bonus_micros: 6 }],
    [false, { balance_micros: null }],
  ])("%s: an account with %o", async (sound, change) => {
    expect(await isSound("account", { ...account, ...change })).toBe(sound);
  });

  const pending = {
    least_micros: 1,
    wanted_micros: 1,
    amount_micros: 1,
    posted_micros: null,
    state: "pending",
    resolved_at: null,
  };
  const [resolved_at, state] = ["2026-01-01T00:00:00Z", "posted"];
  test.each<[boolean, object]>([
    [true, {}],
    [true, { state, posted_micros: 1, resolved_at }],
    [true, { state: "voided", resolved_at }],
    [false, { least_micros: 0 }],
    [false, { least_micros: 2, amount_micros: 2 }],
    [false, { least_micros: 2, wanted_micros: 2 }],
    [false, { state, posted_micros: 2, resolved_at }],
    [false, { state, posted_micros: -1, resolved_at }],
    [false, { state: "other", resolved_at }],
    [false, { resolved_at }],
    [false, { state, resolved_at }],
  ])("%s: a hold with %o", async (sound, change) => {
    expect(await isSound("hold", { ...pending, ...change })).toBe(sound);
  });
});
