import type { Customer } from "../../accounts/accounts.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newCustomer } from "../../../test/new-customer.ts";
import { startRunningCall } from "../../../test/running-call.ts";
import type { EventToSend } from "../../../test/fakes/scripted-telnyx.ts";
import { CREDIT_MICROS, createCallWorld, LONDON, type CallWorld, type ParkedLeg } from "../../../test/worlds/call-world.ts";
import { verifyLedger } from "../../ledger/ledger.ts";
import { findCallById, insertCalls } from "../record/call.store.ts";
import { recoverCalls, rowOfOrder } from "./recover-calls.ts";

/** The installation before its database was lost, and with a database from before any call. */
let before: CallWorld;
let after: CallWorld;
beforeEach(async () => {
  before = await createCallWorld();
  after = await createCallWorld({ telnyx: before.provider });
});
afterEach(async () => {
  const drift = [...(await verifyLedger(before.database.handle.db)), ...(await verifyLedger(after.database.handle.db))];
  await after.close();
  await before.close();
  expect(drift).toEqual([]);
});

/** What a call's order lacks, because nothing is charged by it. */
const UNKEPT = {
  caller_session_id: null,
  decided_by: null,
  transferred_at: expect.any(Date) as Date,
  last_seen_alive_at: expect.any(Date) as Date,
  provider_seconds: null,
};

const recoverIn = ({ ctx, clock }: CallWorld) =>
  recoverCalls(ctx, { telnyx: ctx.telnyx, apiKeys: ctx.config.telnyx.apiKeys }, new Date(clock.now().getTime() - DAY_MS));
const rowIn = (world: CallWorld, id: string) => findCallById(world.database.handle.db, id);

/** The far leg's end, so long after the answer. */
function hangUpOf(
  world: CallWorld,
  leg: ParkedLeg,
  talkMs: number,
  clientState: unknown = world.farState(leg.parked),
): EventToSend {
  const occurredAt = new Date(world.clock.now().getTime() + talkMs);
  const payload = { client_state: clientState, call_session_id: leg.session, hangup_cause: "normal_clearing", to: LONDON };
  return { type: "call.hangup", callControlId: leg.far, occurredAt, payload };
}

/** Makes an account known to the restored database, with this credit. */
async function knows({ id }: Customer, creditMicros = CREDIT_MICROS): Promise<void> {
  const { handle } = after.database;
  await newCustomer(handle, id);
  const credit = { key: `test:${id}`, customerId: id, kind: "test_credit" as const, amountMicros: creditMicros };
  await after.ctx.ledger.credit(handle.db, { ...credit, referenceId: null, description: "Test credit" });
}

describe("a call that the database has forgotten", () => {
  test("comes back with its record and its charge, once", async () => {
    const { customer, id, end } = await startRunningCall(before);
    await end(45_000);
    await knows(customer);
    const lost = await rowIn(before, id);
    expect(lost?.charge_micros).toBeGreaterThan(0n);
    expect(await recoverIn(after)).toEqual({
      calls: 1,
      settled: 1,
      chargedMicros: lost?.charge_micros,
      withoutAccount: 0,
      owing: [],
    });
    expect(await rowIn(after, id)).toEqual({ ...lost, ...UNKEPT });
    expect(await after.money(customer)).toEqual(await before.money(customer));
    expect(await recoverIn(after)).toMatchObject({ calls: 0, settled: 0, chargedMicros: 0n });
    expect(await after.money(customer)).toEqual(await before.money(customer));
  });

  test("is running again if it is still live, and is settled by its next events", async () => {
    const { customer, id, leg } = await startRunningCall(before);
    await knows(customer);
    expect(await recoverIn(after)).toMatchObject({ calls: 1, settled: 0 });
    expect(await rowIn(after, id)).toMatchObject({ status: "in-progress", far_call_control_id: leg.far });
    expect(await after.money(customer)).toEqual(await before.money(customer));
    before.provider.eventBody(hangUpOf(before, leg, 30_000));
    expect(await recoverIn(after)).toMatchObject({ calls: 1, settled: 1 });
    expect(await rowIn(after, id)).toMatchObject({ status: "completed", duration_ms: 30_000 });
  });

  test("is charged as long as it lasted, also after its credit grew", async () => {
    const { customer, id, leg } = await startRunningCall(before, { creditMicros: 100_000n });
    const more = { key: `more:${customer.id}`, customerId: customer.id, kind: "test_credit" as const, amountMicros: 900_000n };
    await before.ctx.ledger.credit(before.database.handle.db, { ...more, referenceId: null, description: "Test credit" });
    const held = (await rowIn(before, id))?.held_micros ?? 0n;
    await before.request(customer, { method: "POST", path: `/api/calls/${id}/extend`, body: {} });
    const clientState = before.provider.commandsOf("extend")[0]?.body["client_state"];
    await before.deliver(hangUpOf(before, leg, 20 * 60_000, clientState));
    expect((await rowIn(before, id))?.charge_micros).toBeGreaterThan(held);
    await knows(customer, 1_000_000n);
    await recoverIn(after);
    expect(await after.money(customer)).toEqual(await before.money(customer));
  });

  test("leaves a debt if the account lacks the credit, and no call can be made until it is paid", async () => {
    const { customer, id, end } = await startRunningCall(before);
    await end(60_000);
    await knows(customer, 1n);
    const charge = (await rowIn(before, id))?.charge_micros ?? 0n;
    const debtMicros = charge - 1n;
    expect(await recoverIn(after)).toMatchObject({ chargedMicros: charge, owing: [{ customerId: customer.id, debtMicros }] });
    expect(await after.money(customer)).toMatchObject({ balanceMicros: 0n, heldMicros: 0n, debtMicros });
  });

  test("of a family's member is charged to the family's owner", async () => {
    const { customer, id, leg } = await startRunningCall(before);
    const [owner, row] = [await before.customer(), await rowIn(before, id)];
    if (row === undefined) throw new Error("The call has no row.");
    const clientState = before.ctx.secrets.farLegMark({ ...row, payer_id: owner.id });
    before.provider.events = [];
    const payload = { client_state: clientState, call_session_id: leg.session, to: LONDON };
    before.provider.eventBody({ type: "call.answered", callControlId: leg.far, occurredAt: before.clock.now(), payload });
    before.provider.eventBody(hangUpOf(before, leg, 60_000, clientState));
    await knows(customer);
    await knows(owner);
    const { chargedMicros } = (await recoverIn(after)) ?? { chargedMicros: 0n };
    expect(chargedMicros).toBeGreaterThan(0n);
    expect(await after.money(customer)).toMatchObject({ balanceMicros: CREDIT_MICROS });
    expect(await after.money(owner)).toMatchObject({ balanceMicros: CREDIT_MICROS - chargedMicros, heldMicros: 0n });
  });

  test("is not charged if its account has not come back", async () => {
    const { id, end } = await startRunningCall(before);
    await end(60_000);
    expect(await recoverIn(after)).toMatchObject({ calls: 0, settled: 0, withoutAccount: 1 });
    expect(await rowIn(after, id)).toBeUndefined();
  });
});

describe("a call that the database knows as running", () => {
  test("is settled by the events that it lacks", async () => {
    const { customer, id, leg } = await startRunningCall(before);
    before.provider.eventBody(hangUpOf(before, leg, 30_000));
    expect(await recoverIn(before)).toMatchObject({ calls: 1, settled: 1 });
    expect(await rowIn(before, id)).toMatchObject({ status: "completed", duration_ms: 30_000 });
    expect((await before.money(customer)).heldMicros).toBe(0n);
  });

  test("is settled although the database had not heard that it was dialled", async () => {
    const { customer, id, leg, end } = await startRunningCall(before);
    await end(45_000);
    await knows(customer);
    const order = before.ctx.secrets.orderOfFarLeg(before.farState(leg.parked));
    if (order === null) throw new Error("The far leg has no order.");
    const row = rowOfOrder(order, before.clock.now());
    const undialled = {
      ticket_used_at: null,
      transferred_at: null,
      parked_call_control_id: null,
      parked_leg_id: null,
      session_id: null,
    };
    await after.ctx.transaction(async (tx) => {
      await insertCalls(tx, [{ ...row, ...undialled }]);
      const micros = row.held_micros;
      await after.ctx.ledger.hold(tx, { holdId: id, customerId: customer.id, wantMicros: micros, leastMicros: micros });
    });
    expect(await recoverIn(after)).toMatchObject({ calls: 1, settled: 1 });
    expect(await rowIn(after, id)).toMatchObject({
      status: "completed",
      duration_ms: 45_000,
      parked_call_control_id: leg.parked,
    });
    expect(await after.money(customer)).toEqual(await before.money(customer));
  });
});

test("a provider that keeps no events is known, and one that does not answer, or whose proxy answers, is an error", async () => {
  before.provider.events = null;
  expect(await recoverIn(after)).toBeNull();
  for (const failure of [{ status: 500 }, { status: 404, plain: true }] as const) {
    before.provider.failure = failure;
    await expect(recoverIn(after)).rejects.toMatchObject({ code: "voice_provider_down" });
  }
});
