import { sql } from "kysely";
import { SILENCE_BUDGETS } from "@farline/domain/calls/forgiven-silence.ts";
import type { Call } from "@farline/contract/calls.ts";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { startRunningCall } from "../../../test/running-call.ts";
import { createCallWorld, insertPaid, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";

const GHANA_MOBILE = "+233241234567";
const [HEARD_MS, TALKED_MS] = [15_000, 60_000];
const CREDIT_MICROS = 50_000_000n;

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
/** Resets the budgets. */
beforeEach(async () => void (await sql`update call set forgiven_micros = null`.execute(world.database.handle.db)));

async function payingCustomer(): Promise<Customer> {
  const customer = await world.customer({ creditMicros: CREDIT_MICROS });
  await insertPaid(world.database.handle.db, customer.id, { dollars: 5, at: world.clock.now() });
  return customer;
}

interface Loss {
  readonly customer?: Customer;
  readonly number?: string;
  /** The side that was lost; `unknown` for the exchange itself. */
  readonly source?: "caller" | "callee" | "unknown";
  /** From the answer; null if the exchange does not report it. */
  readonly heardMs?: number | null;
}

/** A call that the exchange ended a minute after its answer. By default, its caller was last heard after 15 s. */
async function lostCall({ customer, number = LONDON, source = "caller", heardMs = HEARD_MS }: Loss = {}): Promise<Call> {
  const caller = customer ?? (await payingCustomer());
  const { id, leg } = await startRunningCall(world, { customer: caller, number });
  const { answered_at: answeredAt } = await world.readCall(caller, id);
  const at = (ms: number) => new Date(Date.parse(answeredAt ?? "") + ms);
  await world.deliver({
    type: "call.hangup",
    callControlId: leg.far,
    occurredAt: at(TALKED_MS),
    payload: {
      call_session_id: leg.session,
      client_state: world.farState(leg.parked),
      end_time: at(TALKED_MS).toISOString(),
      ...(heardMs === null ? {} : { heard_until: at(heardMs).toISOString() }),
      ...{ hangup_cause: "unspecified", hangup_source: source, sip_hangup_cause: "408" },
    },
  });
  return world.readCall(caller, id);
}

const FREE = { end_reason: "connection_lost", duration_seconds: 15, billed_seconds: 15, silence: { seconds: 45, is_free: true } };
const CHARGED = {
  end_reason: "connection_lost",
  duration_seconds: 60,
  billed_seconds: 60,
  silence: { seconds: 45, is_free: false },
};

test.each(["caller", "callee"] as const)("a call whose %s was lost is charged until that side was last heard", async (source) => {
  expect(await lostCall({ source })).toMatchObject(FREE);
});

describe("a lost call is charged up to its end", () => {
  test("if its destination is expensive", async () => {
    expect(await lostCall({ number: GHANA_MOBILE })).toMatchObject({ ...CHARGED, silence: null });
  });

  test("if the exchange does not say when its caller was last heard", async () => {
    expect(await lostCall({ heardMs: null })).toMatchObject({ ...CHARGED, silence: null });
  });

  test("if the customer has never paid, even with bonus credit", async () => {
    expect(await lostCall({ customer: await world.customer({ creditMicros: CREDIT_MICROS }) })).toMatchObject(CHARGED);
  });

  test.each(["withdrawn", "disputed"])("if the customer has %s the payment", async (how) => {
    const customer = await payingCustomer();
    const { db } = world.database.handle;
    if (how === "withdrawn")
      await sql`update payment set refunded_micros = charge_micros where customer_id = ${customer.id}`.execute(db);
    else
      await sql`insert into dispute (id, payment_id, amount_micros, reason, status, created_at, updated_at)
         select ${uuidv7()}, id, charge_micros, 'fraudulent', 'needs_response', ${world.clock.now()}, ${world.clock.now()} from payment where customer_id = ${customer.id}`.execute(
        db,
      );
    expect(await lostCall({ customer })).toMatchObject(CHARGED);
  });

  test("once the account's budget is used up, until a day has passed", async () => {
    const customer = await payingCustomer();
    const begin = { customerId: customer.id, createdAt: world.clock.now(), destination: "+442079460999" };
    await insertPastCalls(world.database.handle.db, [{ ...begin, forgivenMicros: SILENCE_BUDGETS.perAccountMicros }]);
    expect(await lostCall({ customer })).toMatchObject(CHARGED);
    world.clock.advance(25 * 60 * 60_000);
    expect(await lostCall({ customer })).toMatchObject(FREE);
  });

  test("once the called number's budget is used up by any customer", async () => {
    const [one, other] = [await payingCustomer(), await payingCustomer()];
    const begin = { customerId: one.id, createdAt: world.clock.now(), destination: LONDON };
    await insertPastCalls(world.database.handle.db, [{ ...begin, forgivenMicros: SILENCE_BUDGETS.perNumberMicros }]);
    expect(await lostCall({ customer: other })).toMatchObject(CHARGED);
    expect(await lostCall({ customer: other, number: "+442079460001" })).toMatchObject(FREE);
  });

  test("once the day's budget is used up by any call", async () => {
    const begin = { customerId: (await payingCustomer()).id, createdAt: world.clock.now(), destination: "+442079460999" };
    await insertPastCalls(world.database.handle.db, [{ ...begin, forgivenMicros: SILENCE_BUDGETS.inAllMicros }]);
    expect(await lostCall()).toMatchObject(CHARGED);
  });
});

test("silence caused by the exchange is free regardless of the budgets, and does not count against them", async () => {
  const begin = { customerId: (await payingCustomer()).id, createdAt: world.clock.now(), destination: LONDON };
  await insertPastCalls(world.database.handle.db, [{ ...begin, forgivenMicros: SILENCE_BUDGETS.inAllMicros }]);
  const customer = await world.customer({ creditMicros: CREDIT_MICROS });
  expect(await lostCall({ customer, source: "unknown" })).toMatchObject(FREE);
  const { rows } = await sql<any>`select forgiven_micros from call where customer_id = ${customer.id}`.execute(
    world.database.handle.db,
  );
  expect(rows).toEqual([{ forgiven_micros: 0n }]);
});

test("calls lost at the same moment cannot exceed a budget together", async () => {
  const customers = await Promise.all(Array.from({ length: 12 }, payingCustomer));
  const { db } = world.database.handle;
  const first = await lostCall({ customer: await payingCustomer() });
  const { rows } = await sql<any>`select forgiven_micros from call where id = ${first.id}`.execute(db);
  const eachMicros: bigint = rows[0].forgiven_micros;
  const used = SILENCE_BUDGETS.perNumberMicros - 3n * eachMicros;
  await sql`update call set forgiven_micros = ${used} where id = ${first.id}`.execute(db);
  const calls = await Promise.all(customers.map((customer) => lostCall({ customer })));
  expect(calls.filter(({ silence }) => silence?.is_free)).toHaveLength(3);
});
