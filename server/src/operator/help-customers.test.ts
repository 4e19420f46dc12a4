import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { confirm, operate } from "../../test/operate.ts";
import { asOperator } from "../../test/test-context.ts";
import { openApprovals } from "./operator.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeAll(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterAll(() => world.close());

const as = (operator: string) => asOperator(world.service.ctx, operator);
const order = { reason: "The customer called" };

async function rows(query: string): Promise<unknown[]> {
  return (await sql.raw(query).execute(world.database.handle.db)).rows;
}

test("adding credit is posted and recorded; above the limit it needs a second operator", async () => {
  expect(await operate(as("grace"), "adjust", { customer: caller.id, amount: 2_500_000n, ...order })).toBe(2_500_000n);
  expect(await world.money(caller)).toMatchObject({ balance: 2.5 });
  await expect(operate(as("grace"), "adjust", { customer: caller.id, amount: 100_000_000n, ...order })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await world.money(caller)).toMatchObject({ balance: 2.5 });
  const [proposal] = await openApprovals(world.service.ctx);
  if (proposal === undefined) throw new Error("Nothing was proposed.");
  await expect(confirm(as("grace"), proposal.id)).rejects.toMatchObject({ code: "conflict" });
  expect(await confirm(as("ana"), proposal.id)).toBe(100_000_000n);
  expect(await world.money(caller)).toMatchObject({ balance: 102.5 });
  await expect(operate(as("grace"), "adjust", { customer: caller.id, amount: 0n, ...order })).rejects.toMatchObject({
    code: "validation_failed",
  });
});

test("signing a customer out ends every session, tells them in their activity, and is recorded", async () => {
  await sql`insert into session (id, customer_id, token_hash, created_at, authenticated_at, last_seen_at, expires_at)
    values (gen_random_uuid(), ${caller.id}, sha256('1'), now(), now(), now(), now() + interval '1 day')`.execute(
    world.database.handle.db,
  );
  await operate(as("eve"), "end-sessions", { customer: caller.id, ...order });
  expect(await rows(`select id from session where customer_id = '${caller.id}'`)).toEqual([]);
  expect(await rows(`select kind, device from security_event where customer_id = '${caller.id}'`)).toEqual([
    { kind: "signed_out_everywhere", device: null },
  ]);
  expect(await rows("select operator, reason from operation where action = 'end-sessions'")).toEqual([
    { operator: "eve", reason: "The customer called" },
  ]);
});

test("an address is confirmed once, and only an unconfirmed one gets another link", async () => {
  await sql`update customer set email_verified = false where id = ${caller.id}`.execute(world.database.handle.db);
  expect(await operate(as("eve"), "resend-verification", { customer: caller.id, ...order })).toBe(true);
  expect(await rows("select template from mail where template = 'verify_email'")).toHaveLength(1);
  expect(await operate(as("bob"), "confirm-address", { customer: caller.id, ...order })).toBe(true);
  expect(await rows(`select email_verified from customer where id = '${caller.id}'`)).toEqual([{ email_verified: true }]);
  expect(await operate(as("bob"), "confirm-address", { customer: caller.id, ...order })).toBe(false);
  expect(await operate(as("eve"), "resend-verification", { customer: caller.id, ...order })).toBe(false);
});

test("an unknown customer is not found", async () => {
  for (const name of ["end-sessions", "confirm-address", "resend-verification"] as const)
    await expect(operate(as("grace"), name, { customer: "nobody@example.com", ...order })).rejects.toMatchObject({
      code: "not_found",
    });
});

describe("the same correction", () => {
  const KEY = "0199cccc-0000-7000-8000-000000000001";
  const balance = async () => (await world.money(caller)).balance;
  const adjust = (operator: string, more: { amount?: bigint; key?: string; again?: boolean }) =>
    operate(as(operator), "adjust", { customer: caller.id, amount: 3_000_000n, ...order, ...more });

  test("is made once per key, even if it is sent twice at the same moment", async () => {
    const before = await balance();
    const sent = await Promise.allSettled([adjust("grace", { key: KEY }), adjust("grace", { key: KEY, again: true })]);
    expect(sent.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(adjust("ana", { key: KEY, again: true })).rejects.toMatchObject({
      messageRef: { reason: "operator.done_already" },
    });
    expect(await balance()).toBe(before + 3);
  });

  test("is refused within an hour, by whom and when, unless the operator says to do it again", async () => {
    const before = await balance();
    await expect(adjust("ana", {})).rejects.toMatchObject({
      messageRef: { reason: "operator.done_before", params: { operator: "grace" } },
    });
    await adjust("ana", { again: true });
    world.service.clock.advance(61 * 60 * 1000);
    await adjust("ana", {});
    expect(await balance()).toBe(before + 6);
  });

  test("is proposed once: the same key names the first proposal, another operator is refused", async () => {
    const large = { amount: 100_000_000n, key: "0199cccc-0000-7000-8000-000000000002" };
    const told = async () =>
      (await adjust("grace", large).catch((error: unknown) => error)) as { messageRef: { params: object } };
    const [first, second] = [await told(), await told()];
    expect(second.messageRef.params).toEqual(first.messageRef.params);
    expect(await openApprovals(world.service.ctx)).toHaveLength(1);
    await expect(adjust("ana", { amount: 100_000_000n })).rejects.toMatchObject({
      messageRef: { reason: "operator.done_before", params: { operator: "grace" } },
    });
  });
});

test("credit is taken from what is free, never more, and recorded under its own name", async () => {
  const { balance } = await world.money(caller);
  await expect(
    operate(as("grace"), "deduct", { customer: caller.id, amount: BigInt(Math.round((balance + 1) * 1e6)), ...order }),
  ).rejects.toMatchObject({ code: "conflict" });
  await operate(as("grace"), "deduct", { customer: caller.id, amount: 1_500_000n, ...order });
  expect(await world.money(caller)).toMatchObject({ balance: balance - 1.5, debt: 0 });
  expect(await rows("select detail->>'amount_micros' as micros from operation where action = 'deduct'")).toEqual([
    { micros: "1500000" },
  ]);
});
