import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BillingWorld } from "../../test/worlds/billing-world.ts";

let world: BillingWorld;
beforeAll(async () => {
  world = await BillingWorld.start();
});
afterAll(() => world.close());

test("deletes events after 35 days, declines and unused card setups after a year, and keeps saved cards", async () => {
  const { db } = world.database.handle;
  const caller = await world.service.signUp();
  const { paymentId } = await world.paid(caller, { amount: 10 });
  const now = world.service.clock.now();
  await sql`insert into payment_failure (id, payment_id, customer_id, code, failed_at)
     select 'ch_' || n, ${paymentId}, ${caller.id}, 'card_declined', ${now} from generate_series(1, 2500) n`.execute(db);
  await sql`insert into saved_card (id, customer_id, payment_method_id, brand, last4, exp_month, exp_year, created_at)
     values (${caller.id}::uuid, ${caller.id}::uuid, 'pm_1', 'visa', '4242', 12, 2034, ${now})`.execute(db);
  for (const [status, card] of [
    ["open", null],
    ["expired", null],
    ["saved", caller.id],
  ])
    await sql`insert into card_setup (id, customer_id, status, card_id, created_at, expires_at)
       values (gen_random_uuid(), ${caller.id}, ${status}, ${card}, ${now}, ${now})`.execute(db);
  const left = async () => {
    const { rows } = await sql<any>`select (select count(*)::int from stripe_event) as events,
      (select count(*)::int from payment_failure) as declines,
      (select array_agg(status order by status) from card_setup) as visits`.execute(db);
    return rows[0];
  };
  const all = ["expired", "open", "saved"];
  await world.service.runJob("forget-old-records");
  expect(await left()).toEqual({ events: 1, declines: 2_500, visits: all });
  world.service.clock.advance(36 * DAY_MS);
  await world.service.runJob("forget-old-records");
  expect(await left()).toEqual({ events: 0, declines: 2_500, visits: all });
  world.service.clock.advance(330 * DAY_MS);
  await world.service.runJob("forget-old-records");
  expect(await left()).toEqual({ events: 0, declines: 0, visits: ["saved"] });
});
