import { DAY_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CampaignOrder } from "../promotions/promo/campaigns.ts";
import { confirm, operate } from "../../test/operate.ts";
import { asOperator } from "../../test/test-context.ts";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { recordOperation } from "../operator/operator.ts";

const DOLLAR = 1_000_000n;

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

const as = (name: string) => asOperator(world.service.ctx, name);
let codes = 0;
const campaign = (terms: Partial<CampaignOrder>, by = "bob") =>
  operate(as(by), "create-promo", {
    code: `LIMIT-${(codes += 1)}`,
    percent: null,
    fixedMicros: null,
    maxBonusMicros: null,
    packageId: null,
    minMicros: 5n * DOLLAR,
    maxUses: null,
    budgetMicros: null,
    startsAt: null,
    endsAt: null,
    reason: "Spring",
    ...terms,
  });
const credit = (dollars: number, { to = caller, by = "bob" } = {}) =>
  operate(as(by), "adjust", { customer: to.id, amount: BigInt(dollars) * DOLLAR, reason: "Sorry", again: true });
const spending = (dollars: number, to = caller, by = "bob") =>
  operate(as(by), "set-term", {
    customer: to.id,
    name: "spend-per-day",
    value: String(dollars),
    until: new Date(world.service.clock.now().getTime() + DAY_MS).toISOString(),
    reason: "They called",
  });
/** How many were done; the others wait for a second operator. */
async function doneOf(attempts: readonly Promise<unknown>[]): Promise<number> {
  const results = await Promise.allSettled(attempts);
  for (const one of results) if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "conflict" });
  return results.filter(({ status }) => status === "fulfilled").length;
}

describe("a promo code that could give more than one operator may move waits for a second one", () => {
  test.each<[string, Partial<CampaignOrder>]>([
    ["$180 for a payment of $5, once", { fixedMicros: 180n * DOLLAR, maxUses: 1 }],
    ["$1 a thousand times", { fixedMicros: DOLLAR, maxUses: 1_000 }],
    ["$1 without a number of uses", { fixedMicros: DOLLAR }],
    ["a package's bonus", { fixedMicros: 60n * DOLLAR, packageId: "20", maxUses: 2 }],
    ["half of the largest top-up", { percent: 50, maxUses: 1 }],
    ["one percent without an end", { percent: 1 }],
    ["a large budget", { percent: 1, budgetMicros: 101n * DOLLAR }],
  ])("%s", async (_, terms) => {
    await expect(campaign(terms)).rejects.toThrow("one operator may still move $100.00 alone");
    expect(await confirm(as("grace"))).toMatchObject({ code: `LIMIT-${codes}` });
    const { rows } = await sql<any>`select * from promo_campaign where code = ${`LIMIT-${codes}`}`.execute(
      world.database.handle.db,
    );
    const { percent = null, fixedMicros = null, maxUses = null, packageId = null, budgetMicros = null } = terms;
    expect(rows[0]).toMatchObject({
      bonus_percent: percent,
      bonus_micros: fixedMicros,
      most_uses: maxUses,
      package_id: packageId,
      budget_micros: budgetMicros,
      least_micros: 5n * DOLLAR,
    });
  });

  test("its record holds the amount and the reach, and a small one is made at once", async () => {
    await campaign({ fixedMicros: 2n * DOLLAR, maxUses: 50 });
    await campaign({ fixedMicros: DOLLAR }).catch(() => null);
    const { rows } = await sql<any>`select action, detail->>'amount_micros' as micros, detail->>'reach' as reach from operation
      where action like '%create-promo' order by id`.execute(world.database.handle.db);
    expect(rows).toEqual([
      { action: "create-promo", micros: "100000000", reach: "50" },
      { action: "propose-create-promo", micros: "unlimited", reach: "everyone" },
    ]);
  });

  test("several small ones in a day add up, whoever makes them", async () => {
    await campaign({ fixedMicros: 60n * DOLLAR, maxUses: 1 });
    await expect(campaign({ fixedMicros: 50n * DOLLAR, maxUses: 1 })).rejects.toThrow("$40.00 alone");
    await expect(campaign({ fixedMicros: 50n * DOLLAR, maxUses: 1 }, "grace")).rejects.toThrow("$40.00 alone");
    world.service.clock.advance(DAY_MS);
    await campaign({ fixedMicros: 50n * DOLLAR, maxUses: 1 });
  });
});

test("what an operator gave with a code counts for every customer, and what they gave customers counts for a code", async () => {
  await campaign({ fixedMicros: 70n * DOLLAR, maxUses: 1 });
  await expect(credit(40)).rejects.toThrow("more than your limit without approval");
  await credit(30);
  // A colleague helps customers as before.
  await credit(40, { by: "ana" });
  await expect(campaign({ fixedMicros: 20n * DOLLAR, maxUses: 1 }, "ana")).resolves.toBeDefined();
  await expect(campaign({ fixedMicros: 20n * DOLLAR, maxUses: 1 }, "ana")).rejects.toThrow("$10.00 alone");
});

describe("at the same moment, operators move no more than one after the other", () => {
  test("codes", async () => {
    expect(await doneOf(Array.from({ length: 8 }, () => campaign({ fixedMicros: 30n * DOLLAR, maxUses: 1 })))).toBe(3);
  });

  test("credit and refunds of one customer, by several operators", async () => {
    const { paymentId } = await world.paid(caller, { amount: 200 });
    const refund = (by: string) =>
      operate(as(by), "refund", { payment: paymentId, amount: 30n * DOLLAR, force: false, reason: "Asked", again: true });
    const attempts = ["bob", "grace", "ana", "ada"].flatMap((by) => [credit(30, { by }), refund(by)]);
    expect(await doneOf(attempts)).toBe(3);
  });

  test("credit beside a code", async () => {
    const attempts = Array.from({ length: 4 }, () => [credit(40), campaign({ fixedMicros: 40n * DOLLAR, maxUses: 1 })]).flat();
    expect(await doneOf(attempts)).toBe(2);
  });

  test("credit beside a limit", async () => {
    // A new customer may spend $30 a day, so each of these gives $40.
    expect(await doneOf([spending(70), credit(40), credit(40), credit(40)])).toBe(2);
  });

  test("all customers together", async () => {
    const customers = await Promise.all(Array.from({ length: 13 }, () => world.service.signUp()));
    const by = (n: number) => ["bob", "grace", "ana"][n % 3] ?? "bob";
    expect(await doneOf(customers.map((to, n) => credit(100, { to, by: by(n) })))).toBe(10);
  });
});

test("no operation is recorded without its amount and reach", async () => {
  const bob = as("bob");
  await bob.transaction((tx) =>
    recordOperation(tx, bob, {
      action: "adjust",
      customerId: null,
      subject: null,
      reason: "A test of the audit log",
      moves: { amountMicros: 5n, customers: 2 },
      // It cannot be overwritten by what an operation says of itself.
      detail: { amount_micros: "0", reach: 0 } as object,
    }),
  );
  const { rows } = await sql<any>`select detail from operation where reason = 'A test of the audit log'`.execute(
    world.database.handle.db,
  );
  expect(rows).toEqual([{ detail: { amount_micros: "5", reach: 2 } }]);
});
