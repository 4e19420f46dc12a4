import { MINUTE_MS } from "@farline/domain/durations.ts";
import { fc, test as property } from "@fast-check/vitest";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CallQuoteResponse } from "@farline/contract/calls.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import type { MemberCallsResponse } from "@farline/contract/family/family.ts";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { authoriseRequest } from "../../test/draft-call.ts";
import { startRunningCall } from "../../test/running-call.ts";
import { createCallWorld, CREDIT_MICROS, LONDON, type CallWorld } from "../../test/worlds/call-world.ts";
import { familyOf, type MemberLimits } from "../../test/worlds/family-of.ts";
import type { Customer } from "../accounts/accounts.ts";
import { readAccountLines } from "../billing/account-lines.ts";
import { createBatchedAuthorise } from "../calls/authorise/authorise-batch.ts";
import { extendByCredit } from "../calls/live/extend-call.ts";
import { runningCharge } from "../calls/live/extend-call.ts";
import { refundCharge, requestRefund } from "../calls/details/request-refund.ts";
import { findCallById } from "../calls/record/call.store.ts";
import { testContext } from "../../test/test-context.ts";

let world: CallWorld;
let family: ReturnType<typeof familyOf>;
let owner: Customer;
let member: Customer;
beforeAll(async () => {
  world = await createCallWorld();
  family = familyOf(world);
});
afterAll(() => world.close());
beforeEach(async () => {
  world.provider.calmDown();
  owner = await world.customer({ tier: "trusted" });
  member = await world.customer({ tier: "known", creditMicros: 1_000_000n });
});

const initiate = (customer: Customer, number = LONDON) =>
  world.request<ErrorBody>(customer, { method: "POST", path: "/api/calls/initiate", body: { destination_number: number } });
const refusal = async (customer: Customer, number = LONDON) => {
  const { status, body } = await initiate(customer, number);
  return status === 201 ? null : body.reason;
};
const quote = async (customer: Customer) =>
  (
    await world.request<CallQuoteResponse>(customer, {
      method: "POST",
      path: "/api/calls/quote",
      body: { destination_number: LONDON },
    })
  ).body;
const balanceOf = async (customer: Customer) => (await world.money(customer)).balanceMicros;
const ownLimits = (limits: { call_cap?: string; countries?: string[] }) =>
  world.request(owner, {
    method: "PUT",
    path: "/api/calls/guard-rails",
    body: { daily_cap: null, call_cap: null, countries: null, time_zone: "UTC", ...limits },
  });
const limit = (limits: MemberLimits) => family.request(owner, "PUT", `/members/${member.id}/limits`, family.limits(limits));

function priceOf(minutes: number): bigint {
  const rate = world.rates.quote(LONDON, "visitor");
  if (rate === null) throw new Error("London has no rate.");
  return chargeFor(minutes * 60, rate);
}

describe("a member's call", () => {
  test("is held and charged on the owner's credit alone; the posting names caller and payer, and no number", async () => {
    await family.join(owner, member);
    const call = await startRunningCall(world, { customer: member });
    expect((await world.money(owner)).heldMicros).toBeGreaterThan(0n);
    await call.end(MINUTE_MS);
    expect(await balanceOf(owner)).toBe(CREDIT_MICROS - priceOf(1));
    expect(await balanceOf(member)).toBe(1_000_000n);
    const { rows } =
      await sql<any>`select t.customer_id, t.caller_id, t.description, c.payer_id, h.customer_id as held_from, h.caller_id as held_by
      from ledger_transaction t join call c on c.id = t.reference_id join hold h on h.id = c.id where c.id = ${call.id}`.execute(
        world.database.handle.db,
      );
    expect(rows).toEqual([
      {
        ...{ customer_id: owner.id, caller_id: member.id, description: "Call of a family member" },
        ...{ payer_id: owner.id, held_from: owner.id, held_by: member.id },
      },
    ]);
    expect((await world.readCall(member, call.id)).cost).toBe(toDecimalString(priceOf(1)));
    expect((await world.request(owner, { path: `/api/calls/${call.id}` })).status).toBe(404);
    const details = await world.request(member, { path: `/api/calls/${call.id}/details` });
    expect(details.body).toMatchObject({ paid_by: "Test caller", entries: [] });
  });

  test("is paid by the member's own credit as soon as they choose so", async () => {
    await family.join(owner, member, {}, { owner_pays: false });
    await (await startRunningCall(world, { customer: member })).end(MINUTE_MS);
    expect([await balanceOf(owner), await balanceOf(member)]).toEqual([CREDIT_MICROS, 1_000_000n - priceOf(1)]);
    await family.choose(member, { owner_pays: true });
    await (await startRunningCall(world, { customer: member })).end(MINUTE_MS);
    expect([await balanceOf(owner), await balanceOf(member)]).toEqual([CREDIT_MICROS - priceOf(1), 1_000_000n - priceOf(1)]);
  });

  test("is refused if the page showed that another credit pays, and the page is told to look again", async () => {
    const body = { destination_number: LONDON, paid_by_family: true };
    const call = (more: object) =>
      world.request<ErrorBody>(member, { method: "POST", path: "/api/calls/initiate", body: { ...body, ...more } });
    const hints = world.hintsFor(member);
    expect((await call({})).body.reason).toBe("payer_changed");
    await expect.poll(() => hints).toContainEqual({ type: "balance" });
    await family.join(owner, member);
    expect((await call({ paid_by_family: false })).body.reason).toBe("payer_changed");
    expect((await call({})).status).toBe(201);
    expect((await world.money(member)).heldMicros).toBe(0n);
  });

  test("ends with the owner's limit for the day, which the member sees used up; own credit is never mixed in", async () => {
    const cap = priceOf(2);
    await family.join(owner, member, { daily_cap: toDecimalString(cap).slice(0, 4) });
    const rounded = BigInt(Math.round(Number(toDecimalString(cap).slice(0, 4)) * 1e6));
    const call = await startRunningCall(world, { customer: member });
    expect((await world.readCall(member, call.id)).bounded_by).toBe("family_limit");
    expect((await world.money(owner)).heldMicros).toBeLessThanOrEqual(rounded);
    await call.end(2 * MINUTE_MS);
    expect(await refusal(member)).toBe("family_daily_cap_reached");
    const [seen] = (await family.request(member, "GET")).body.family?.members ?? [];
    expect(Number(seen?.left)).toBeLessThan(Number(toDecimalString(priceOf(1))));
    expect(await balanceOf(member)).toBe(1_000_000n);
    await limit({ monthly_cap: "0.01" });
    expect(await refusal(member)).toBe("family_monthly_cap_reached");
    await limit({ countries: ["DE"] });
    expect(await refusal(member)).toBe("family_country_not_allowed");
    await limit({});
    expect(await refusal(member)).toBeNull();
  });

  test("is refused without the owner's details where the owner's account cannot pay", async () => {
    await family.join(owner, member);
    const { db } = world.database.handle;
    await ownLimits({ countries: ["DE"] });
    const { refusal: told } = await quote(member);
    expect(told).toEqual({ code: "family_credit_unavailable", reason: "family_credit_unavailable", message: expect.any(String) });
    await ownLimits({});
    expect(await refusal(member)).toBeNull();
    await sql`update customer set status = 'frozen' where id = ${owner.id}`.execute(db);
    expect(await refusal(member)).toBe("family_credit_unavailable");
    await sql`update customer set status = 'active' where id = ${owner.id}`.execute(db);
    const poor = await world.customer({ tier: "trusted", creditMicros: 0n });
    const child = await world.customer({ tier: "known" });
    await family.join(poor, child);
    expect(await refusal(child)).toBe("family_credit_unavailable");
  });

  test("goes on within its hold after the member was removed, and no new one begins on the owner's credit", async () => {
    await family.join(owner, member, { daily_cap: "1" });
    const call = await startRunningCall(world, { customer: member });
    const held = (await world.money(owner)).heldMicros;
    await family.request(owner, "DELETE", `/members/${member.id}`);
    await extendByCredit(world.ctx, owner.id);
    expect((await world.money(owner)).heldMicros).toBe(held);
    await call.end(MINUTE_MS);
    expect(await balanceOf(owner)).toBe(CREDIT_MICROS - priceOf(1));
    const late = authoriseRequest(member.id, { at: world.clock.now(), payerId: owner.id });
    expect((await world.ctx.authorise(late)).refused?.rule).toBe("family_ended");
    expect((await world.money(owner)).heldMicros).toBe(0n);
    await (await startRunningCall(world, { customer: member })).end(MINUTE_MS);
    expect([await balanceOf(owner), await balanceOf(member)]).toEqual([CREDIT_MICROS - priceOf(1), 1_000_000n - priceOf(1)]);
  });

  test("is cut when the owner's account is locked", async () => {
    await family.join(owner, member);
    const call = await startRunningCall(world, { customer: member });
    await sql`update customer set status = 'frozen' where id = ${owner.id}`.execute(world.database.handle.db);
    await world.sweep();
    expect(world.provider.commands.map(({ path }) => path)).toContainEqual(expect.stringMatching(/hangup/));
    await call.end(MINUTE_MS);
    expect((await world.money(owner)).heldMicros).toBe(0n);
  });

  test("while it runs, has used the owner's credit and none of the member's", async () => {
    await family.join(owner, member);
    const call = await startRunningCall(world, { customer: member });
    world.clock.advance(MINUTE_MS);
    const { db } = world.database.handle;
    expect(await runningCharge(db, owner.id, world.clock.now())).toBe(priceOf(1));
    expect(await runningCharge(db, member.id, world.clock.now())).toBe(0n);
    await call.end(MINUTE_MS);
    expect(await runningCharge(db, owner.id, world.clock.now())).toBe(0n);
  });

  test("is refunded to the owner, once", async () => {
    await family.join(owner, member);
    const call = await startRunningCall(world, { customer: member });
    await call.end(MINUTE_MS);
    const row = await findCallById(world.database.handle.db, call.id);
    if (row === undefined) throw new Error("The call does not exist.");
    await requestRefund(world.ctx, row, { reason: "no_audio", note: "" });
    const decide = () =>
      world.ctx.transaction((tx) =>
        refundCharge(world.ctx, tx, { call: row, decidedBy: "someone", answer: null, now: world.clock.now() }),
      );
    expect((await decide())?.state).toBe("refunded");
    expect(await decide()).toBeNull();
    expect([await balanceOf(owner), await balanceOf(member)]).toEqual([CREDIT_MICROS, 1_000_000n]);
  });

  test("counts for the fraud rules of both: the caller's live calls, and three times as many for the whole family", async () => {
    const members = [member];
    for (let more = 0; more < 3; more++) members.push(await world.customer({ tier: "known", creditMicros: 0n }));
    for (const one of members) await family.join(owner, one);
    // So that several holds fit.
    await ownLimits({ call_cap: "0.20" });
    const parked = [];
    for (const one of members) for (let calls = 0; calls < 2; calls++) parked.push(await refusal(one));
    expect(parked).toEqual([null, null, null, null, null, null, "too_many_live_calls", "too_many_live_calls"]);
  });
});

describe("the called numbers", () => {
  const calls = (by: Customer) => world.request<MemberCallsResponse>(by, { path: `/api/family/members/${member.id}/calls` });

  test("are shown to the owner only while the member agrees, of calls on the owner's credit only", async () => {
    await family.join(owner, member);
    await (await startRunningCall(world, { customer: member })).end(MINUTE_MS);
    expect((await calls(owner)).status).toBe(404);
    await family.choose(member, { shows_numbers: true, owner_pays: false });
    await (await startRunningCall(world, { customer: member })).end(MINUTE_MS);
    expect((await calls(owner)).body.calls).toMatchObject([{ destination_number: LONDON, cost: toDecimalString(priceOf(1)) }]);
    expect((await calls(member)).status).toBe(404);
    await family.choose(member, { shows_numbers: false });
    expect((await calls(owner)).status).toBe(404);
    const { data } = await readAccountLines(world.ctx, owner.id, { limit: 10, group: "all" });
    expect(data[0]).toMatchObject({ kind: "call", member: { name: "Test caller" }, reference_id: null });
    const entries = await world.ctx.ledger.transactions(world.database.handle.db, owner.id, { limit: 10 });
    expect(JSON.stringify(entries.rows.map(({ description }) => description))).not.toContain("20 7946");
  });
});

describe("calls at the same moment", () => {
  const micros = fc.bigInt({ min: 100_000n, max: 3_000_000n });
  property.prop(
    [
      fc.array(fc.record({ daily: fc.option(micros), monthly: fc.option(micros), calls: fc.integer({ min: 1, max: 5 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
    ],
    { numRuns: 8 },
  )("never exceed a member's limits or the owner's credit", async (wanted) => {
    const payer = await world.customer({ tier: "trusted" });
    const { db } = world.database.handle;
    const members: Customer[] = [];
    for (const { daily, monthly } of wanted) {
      const one = await world.customer({ tier: "known" });
      await family.join(payer, one);
      await sql`update family_member set daily_cap_micros = ${daily}, monthly_cap_micros = ${monthly} where customer_id = ${one.id}`.execute(
        db,
      );
      members.push(one);
    }
    const authorise = createBatchedAuthorise(testContext({ handle: world.database.handle }));
    const at = world.clock.now();
    const requests = wanted.flatMap(({ calls }, index) =>
      Array.from({ length: calls }, () =>
        authorise(authoriseRequest(members[index]?.id ?? "", { at, payerId: payer.id, proposed: { limits: null } })),
      ),
    );
    requests.push(authorise(authoriseRequest(payer.id, { at, proposed: { limits: null } })));
    await Promise.all(requests);
    const { rows } = await sql<{
      caller: string;
      held: bigint;
    }>`select coalesce(caller_id, customer_id) as caller, sum(amount_micros)::bigint as held
        from hold where customer_id = ${payer.id} group by 1`.execute(db);
    for (const [index, { daily, monthly }] of wanted.entries()) {
      const held = rows.find(({ caller }) => caller === members[index]?.id)?.held ?? 0n;
      for (const cap of [daily, monthly]) if (cap !== null) expect(held).toBeLessThanOrEqual(cap);
    }
    const sum = rows.reduce((all, { held }) => all + held, 0n);
    expect(sum).toBeLessThanOrEqual(CREDIT_MICROS);
    expect((await world.money(payer)).heldMicros).toBe(sum);
  });
});
