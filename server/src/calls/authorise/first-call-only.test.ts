import type { ErrorBody } from "@farline/contract/errors.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallWorld, insertPaid, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";

/** More expensive than ordinary destinations in the sample deck. */
const ACCRA_MOBILE = "+233241234567";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());

const call = (customer: Customer, number: string) =>
  world.request<ErrorBody>(customer, { method: "POST", path: "/api/calls/initiate", body: { destination_number: number } });

/** A customer with a free first call of 5 dollars, and optionally paid credit. */
async function granted(ownMicros: bigint): Promise<Customer> {
  const customer = await world.customer({ creditMicros: ownMicros });
  const { pool } = world.database.handle;
  await pool.query(
    `insert into first_call (customer_id, state, created_at, decided_at)
     values ($1, 'granted', now(), now())`,
    [customer.id],
  );
  await world.deps.ledger.credit(pool, {
    key: `first-call:${customer.id}`,
    customerId: customer.id,
    kind: "bonus",
    amountMicros: 5_000_000n,
    referenceId: null,
    description: "Your first call is free",
  });
  return customer;
}

test("the free first call reaches ordinary destinations only", async () => {
  const customer = await granted(0n);
  const expensive = await call(customer, ACCRA_MOBILE);
  expect([expensive.status, expensive.body.code, expensive.body.message]).toEqual([
    403,
    "destination_blocked",
    "The free first call does not reach this destination. Top up to call it.",
  ]);
  expect((await world.money(customer)).heldMicros).toBe(0n);
  expect((await call(customer, LONDON)).status).toBe(201);
});

test("customers with paid credit may also call expensive destinations, unless the payment was taken back", async () => {
  expect((await call(await granted(5_000_000n), ACCRA_MOBILE)).status).toBe(201);
  const { pool } = world.database.handle;
  const [paid, tookItBack] = [await granted(0n), await granted(0n)];
  for (const { id } of [paid, tookItBack]) await insertPaid(pool, id, { dollars: 10, at: world.clock.now() });
  await pool.query("update payment set refunded_micros = 9000000 where customer_id = $1", [tookItBack.id]);
  expect((await call(paid, ACCRA_MOBILE)).status).toBe(201);
  expect((await call(tookItBack, ACCRA_MOBILE)).body.code).toBe("destination_blocked");
});
