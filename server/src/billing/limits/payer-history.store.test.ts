import { HOUR_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newCustomer } from "../../../test/new-customer.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { countDeclines, forgetDeclines, insertDeclines, readPayerHistory } from "./payer-history.store.ts";

const now = new Date("2026-06-15T12:00:00.000Z");
const ago = (hours: number) => new Date(now.getTime() - hours * HOUR_MS);

let database: TestDatabase;
let [payer, stranger] = ["", ""];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  [payer, stranger] = [(await newCustomer(database.handle)).id, (await newCustomer(database.handle)).id];
});

interface Sample {
  readonly by?: string;
  readonly status: string;
  readonly at: Date;
  readonly expiresAt?: Date;
  readonly hasCheckout?: boolean;
}

async function payment({ by = payer, status, at, expiresAt = ago(-1), hasCheckout = true }: Sample): Promise<string> {
  const id = uuidv7();
  await sql`insert into payment (id, customer_id, kind, charge_micros, status, session_id, expires_at, created_at, settled_at)
     values (${id}, ${by}, 'custom', 10000000, ${status}, ${hasCheckout ? id : null}, ${expiresAt}, ${at}, ${status === "paid" ? at : null})`.execute(
    database.handle.db,
  );
  return id;
}

async function decline(at: Date, by = payer): Promise<string> {
  const [id, paymentId] = [uuidv7(), await payment({ by, status: "failed", at: ago(1000) })];
  const failure = { id, payment_id: paymentId, customer_id: by, card_fingerprint: null, code: "card_declined", failed_at: at };
  await insertDeclines(database.handle.db, [failure]);
  await insertDeclines(database.handle.db, [failure]);
  return id;
}

const history = () => readPayerHistory(database.handle.db, { customerId: payer, now });

describe("a payer's history contains", () => {
  test("the payments of seven days", async () => {
    for (const at of [ago(1), ago(24 * 7 - 1), ago(24 * 7 + 1)]) await payment({ status: "paid", at });
    await payment({ status: "failed", at: ago(1) });
    await payment({ by: stranger, status: "paid", at: ago(1) });
    expect((await history()).recentlyPaid).toEqual([
      { at: ago(1), amountMicros: 10_000_000n },
      { at: ago(24 * 7 - 1), amountMicros: 10_000_000n },
    ]);
  });

  test("the open payments that can still be paid", async () => {
    const open = await payment({ status: "open", at: ago(1) });
    await payment({ status: "open", at: ago(30), expiresAt: ago(1) });
    await payment({ status: "expired", at: ago(1) });
    await payment({ status: "created", at: ago(1), hasCheckout: false });
    await payment({ by: stranger, status: "open", at: ago(1) });
    const starting = await payment({ status: "created", at: new Date(now.getTime() - 30_000), hasCheckout: false });
    expect((await history()).open.map(({ id }) => id).toSorted()).toEqual([open, starting].toSorted());
  });

  test("the checkouts of a day, newest first", async () => {
    for (const at of [ago(23), ago(1), ago(25)]) await payment({ status: "expired", at });
    await payment({ status: "expired", at: ago(2), hasCheckout: false });
    await payment({ by: stranger, status: "expired", at: ago(1) });
    expect((await history()).checkouts).toEqual([ago(1), ago(23)]);
  });

  test("the declines of two days, oldest first, each once", async () => {
    for (const at of [ago(1), ago(47), ago(49)]) await decline(at);
    await decline(ago(1), stranger);
    expect((await history()).declines.map(({ at }) => at)).toEqual([ago(47), ago(1)]);
  });
});

test("only the payer's own declines since a time when counted", async () => {
  for (const at of [ago(1), ago(2), ago(5)]) await decline(at);
  await decline(ago(1), stranger);
  expect(await countDeclines(database.handle.db, payer, ago(3))).toBe(2);
});

test("no declines that were deleted", async () => {
  await sql`delete from payment_failure`.execute(database.handle.db);
  const ids = [await decline(ago(30)), await decline(ago(20)), await decline(ago(10))];
  await forgetDeclines(database.handle.db, ago(15), new AbortController().signal);
  const { rows } = await sql<any>`select id from payment_failure`.execute(database.handle.db);
  expect(rows).toEqual([{ id: ids[2] }]);
  await insertDeclines(database.handle.db, []);
});
