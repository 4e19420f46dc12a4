import { operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import {
  callDetailsResponse,
  refundRequestResponse,
  type CallDetailsResponse,
  type RefundRequestResponse,
} from "@farline/contract/call-details.ts";
import type { Call } from "@farline/contract/calls.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";
import { insertPastCalls } from "../../../test/past-calls.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { ledger } from "../../ledger/ledger.ts";
import { REFUND_RULE } from "./refund-rule.ts";
import { asOperator } from "../../../test/test-context.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());

interface Ended {
  customer: Customer;
  call: Call;
}

/** A call that has just been answered. @returns with how its far leg reports */
async function answeredCall(customer: Customer, number?: string) {
  const started = await world.initiate(customer, number);
  const leg = await world.park(started);
  const state = world.farState(leg.parked);
  const far = (type: string, payload: Record<string, unknown> = {}) =>
    world.deliver({
      type,
      callControlId: leg.far,
      occurredAt: world.clock.now(),
      payload: { client_state: state, call_session_id: leg.session, ...payload },
    });
  await far("call.initiated");
  world.clock.advance(3_000);
  await far("call.answered");
  return { call: started.call, far };
}

/** An ended call of `seconds`. `packets`: received by the exchange from the called side, null if not reported. */
async function endedCall(
  o: { customer?: Customer; number?: string; seconds?: number; packets?: number | null; cause?: string; sip?: number } = {},
): Promise<Ended> {
  const customer = o.customer ?? (await world.customer());
  const { call: answered, far } = await answeredCall(customer, o.number);
  world.clock.advance((o.seconds ?? 30) * 1000);
  await far("call.hangup", {
    hangup_cause: o.cause ?? "normal_clearing",
    hangup_source: "callee",
    sip_hangup_cause: String(o.sip ?? 200),
    ...(o.packets === null
      ? {}
      : { call_quality_stats: { inbound: { mos: "4.32", packet_count: String(o.packets ?? 1_500) }, outbound: {} } }),
  });
  const call = await world.readCall(customer, answered.id);
  expect(call.status).toBe("completed");
  return { customer, call };
}

async function details({ customer, call }: Ended): Promise<CallDetailsResponse> {
  return callDetailsResponse.parse((await world.request(customer, { path: `/api/calls/${call.id}/details` })).body);
}

function requestRefund({ customer, call }: Ended, body: unknown) {
  return world.request<RefundRequestResponse>(customer, { method: "POST", path: `/api/calls/${call.id}/refund-request`, body });
}

function report({ customer, call }: Ended, samples: unknown) {
  return world.request<{ kept: number }>(customer, { method: "POST", path: `/api/calls/${call.id}/quality`, body: { samples } });
}

/** A customer who spent this many dollars of paid credit on calls before the chargeback period. */
async function longKnown(dollars = 50): Promise<Customer> {
  const customer = await world.customer({ tier: "trusted", creditMicros: 60_000_000n });
  const micros = BigInt(Math.round(dollars * 1e6));
  const hold = { holdId: crypto.randomUUID(), customerId: customer.id, wantMicros: micros, leastMicros: micros };
  await ledger.hold(world.database.handle.db, hold);
  await ledger.postHold(world.database.handle.db, { holdId: hold.holdId, chargeMicros: micros, description: "Calls" });
  world.clock.advance(46 * DAY_MS);
  return customer;
}

const sample = (t: number, mos = 4.2) => ({ t, mos, rttMs: 80, jitterMs: 4, lossPct: 0.5 });

describe("the details of a call", () => {
  test("show the ledger's charge and the audio that the exchange received", async () => {
    const ended = await endedCall({ packets: 1_480 });
    const { entries, quality, may_ask_refund, refund_request } = await details(ended);
    const { balanceMicros } = await world.money(ended.customer);
    expect(entries).toMatchObject([{ kind: "call", amount: `-${ended.call.cost}` }]);
    expect(Number(entries[0]?.balance_after)).toBeCloseTo(Number(balanceMicros) / 1e6, 6);
    expect(quality).toEqual({ samples: [], from_caller: null, from_called: { packets: 1_480, mos: 4.32 }, rating: null });
    expect([may_ask_refund, refund_request]).toEqual([true, null]);
  });

  test("are hidden from other customers", async () => {
    const { call } = await endedCall();
    const other = { customer: await world.customer(), call };
    expect(await world.request(other.customer, { path: `/api/calls/${call.id}/details` })).toMatchObject({ status: 404 });
    expect(await requestRefund(other, { reason: "no_audio" })).toMatchObject({ status: 404 });
    expect(await report(other, [sample(0)])).toMatchObject({ status: 404 });
    expect(await world.request(null, { path: `/api/calls/${call.id}/details` })).toMatchObject({ status: 401 });
  });
});

describe("the caller's rating of the sound", () => {
  const rate = ({ customer, call }: Ended, sound: string) =>
    world.request(customer, { method: "POST", path: `/api/calls/${call.id}/rating`, body: { sound } });

  test("is kept, and a later one takes its place", async () => {
    const ended = await endedCall();
    expect(await rate(ended, "good")).toMatchObject({ status: 200, body: { sound: "good" } });
    expect(await rate(ended, "bad")).toMatchObject({ status: 200 });
    expect((await details(ended)).quality.rating).toBe("bad");
  });

  test("is refused before the end, for a call that nobody answered, for other words, and for others' calls", async () => {
    const ended = await endedCall();
    expect(await rate(ended, "great")).toMatchObject({ status: 422 });
    expect(await rate({ ...ended, customer: await world.customer() }, "bad")).toMatchObject({ status: 404 });
    const customer = await world.customer();
    const { call: running } = await answeredCall(customer);
    const { call: cancelled } = await world.initiate(customer);
    await world.request(customer, { method: "POST", path: `/api/calls/${cancelled.id}/hangup` });
    for (const call of [running, cancelled])
      expect(await rate({ customer, call }, "good")).toMatchObject({
        status: 409,
        body: { message: "Only calls that were answered can be rated." },
      });
    expect((await details(ended)).quality.rating).toBeNull();
  });
});

describe("samples of the sound", () => {
  test("are stored once per interval of the call, and not outside the call", async () => {
    const ended = await endedCall({ seconds: 30 });
    expect((await report(ended, [sample(0), sample(1, 1.5), sample(12)])).body).toEqual({ kept: 2 });
    expect((await report(ended, [sample(11, 1.5), sample(25), sample(9_000)])).body).toEqual({ kept: 1 });
    const { samples } = (await details(ended)).quality;
    expect(samples.map(({ t, mos }) => [t, Math.round(mos * 10)])).toEqual([
      [0, 42],
      [10, 42],
      [25, 42],
    ]);
    world.clock.advance(11 * 60_000);
    expect((await report(ended, [sample(20)])).body).toEqual({ kept: 0 });
  });

  test("of a long call are the worst of equal parts of it", async () => {
    const ended = await endedCall({ seconds: 4_000 });
    for (let t = 0; t < 4_000; t += 300)
      await report(
        ended,
        Array.from({ length: 60 }, (_, index) => sample(t + index * 5, t + index * 5 === 2_715 ? 1.5 : 4.2)),
      );
    const { samples } = (await details(ended)).quality;
    expect(samples.length).toBeLessThanOrEqual(240);
    const bad = samples.findIndex(({ mos }) => mos < 4);
    expect(samples[bad]?.t).toBe(2_715);
    expect(samples.toSpliced(bad, 1).every(({ t }) => t % 20 === 0)).toBe(true);
  });

  test("that are invalid are refused, and unanswered calls store none", async () => {
    const ended = await endedCall();
    const wrong = [
      [],
      [sample(-1)],
      [sample(0, 6)],
      [{ ...sample(0), lossPct: 101 }],
      Array.from({ length: 61 }, (_, t) => sample(t)),
    ];
    for (const samples of wrong) expect(await report(ended, samples)).toMatchObject({ status: 422 });
    const customer = await world.customer();
    const { call } = await world.initiate(customer);
    expect((await report({ customer, call }, [sample(0)])).body).toEqual({ kept: 0 });
  });
});

describe("a request for a refund", () => {
  test("is granted at once when the exchange received nothing from the called side, exactly once", async () => {
    const customer = await longKnown();
    const before = await world.money(customer);
    const ended = await endedCall({ customer, packets: 0 });
    const answers = await Promise.all(
      [1, 2, 3].map(() => requestRefund(ended, { reason: "no_audio", note: "I heard nothing." })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    expect(refundRequestResponse.parse(answers.find(({ status }) => status === 201)?.body).refund_request).toMatchObject({
      state: "refunded",
      amount: ended.call.cost,
    });
    expect(await world.money(customer)).toEqual(before);
    const { entries, may_ask_refund } = await details(ended);
    expect(entries.map(({ kind, amount }) => [kind, amount])).toEqual([
      ["call", `-${ended.call.cost}`],
      ["call_refund", ended.call.cost],
    ]);
    expect(may_ask_refund).toBe(false);
  });

  test("is granted at once when the network lost the call in its first seconds", async () => {
    const customer = await longKnown();
    const ended = await endedCall({ customer, number: "+442079460001", seconds: 4, cause: "unspecified", sip: 500 });
    expect(ended.call.end_reason).toBe("connection_lost");
    expect((await requestRefund(ended, { reason: "cut_off" })).body.refund_request.state).toBe("refunded");
  });

  test.each<[string, () => Promise<Customer>, string]>([
    ["who is a new customer", () => world.customer({ tier: "new" }), "+442079460010"],
    ["with payments but no old calls", () => world.customer({ tier: "trusted" }), "+442079460011"],
    ["with too small a history", () => longKnown(0.05), "+442079460012"],
    ["who was refunded for that history", tookItBack, "+442079460013"],
    ["to a destination above the cheapest class", () => longKnown(), "+233241234567"],
  ])("waits for an operator for a customer %s, even if the call was silent", async (_name, known, number) => {
    const ended = await endedCall({ customer: await known(), number, packets: 0 });
    expect((await requestRefund(ended, { reason: "no_audio" })).body.refund_request.state).toBe("open");
  });

  async function tookItBack(): Promise<Customer> {
    const customer = await longKnown();
    await sql`update payment set refunded_micros = charge_micros where customer_id = ${customer.id}`.execute(
      world.database.handle.db,
    );
    return customer;
  }

  test("by many customers at once for one number is granted once, and the others wait for an operator", async () => {
    const number = "+442079460020";
    const [customers, silent]: [Customer[], Ended[]] = [[], []];
    for (let i = 0; i < 6; i++) customers.push(await longKnown());
    for (const customer of customers) silent.push(await endedCall({ customer, number, packets: 0 }));
    const answers = await Promise.all(silent.map((ended) => requestRefund(ended, { reason: "no_audio" })));
    const states = answers.map(({ body }) => body.refund_request.state);
    expect(states.filter((state) => state === "refunded")).toHaveLength(REFUND_RULE.refundsForNumber);
  });

  test("waits for an operator if the exchange's data shows sound, whatever the browser reports", async () => {
    const ended = await endedCall({ packets: 1_500 });
    await report(ended, [sample(0, 1), sample(10, 1)]);
    const before = await world.money(ended.customer);
    expect((await requestRefund(ended, { reason: "no_audio" })).body.refund_request).toMatchObject({
      state: "open",
      amount: "0.00",
    });
    const unknown = await endedCall({ packets: null });
    expect((await requestRefund(unknown, { reason: "no_audio" })).body.refund_request.state).toBe("open");
    expect(await world.money(ended.customer)).toEqual(before);
  });

  test("waits for an operator after three automatic refunds", async () => {
    const customer = await longKnown();
    const states: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const ended = await endedCall({ customer, number: `+44207946003${turn}`, packets: 0 });
      states.push((await requestRefund(ended, { reason: "one_way" })).body.refund_request.state);
    }
    expect(states).toEqual(["refunded", "refunded", "refunded", "open"]);
  });

  test("is refused for a free or old call, or with an invalid reason or note", async () => {
    const customer = await world.customer();
    const past = world.clock.now().getTime() - 31 * DAY_MS;
    const [old = "", free = ""] = await insertPastCalls(world.database.handle.db, [
      { customerId: customer.id, createdAt: new Date(past) },
      { customerId: customer.id, createdAt: world.clock.now(), status: "failed" },
    ]);
    for (const id of [old, free])
      expect(await requestRefund({ customer, call: { id } as Call }, { reason: "no_audio" })).toMatchObject({ status: 409 });
    const ended = await endedCall();
    for (const body of [{}, { reason: "because" }, { reason: "other", note: "x".repeat(501) }])
      expect(await requestRefund(ended, body)).toMatchObject({ status: 422 });
  });

  test("is decided by an operator once: granted in full, or declined with a message", async () => {
    const [granted, declined] = [await endedCall(), await endedCall()];
    for (const ended of [granted, declined]) await requestRefund(ended, { reason: "bad_sound", note: "Only crackling." });
    await operate(asOperator(world.ctx, "ana"), "refund-call", { call: granted.call.id, answer: "Sorry.", reason: null });
    await operate(asOperator(world.ctx, "ana"), "decline-call-refund", {
      call: declined.call.id,
      answer: "The sound was good on both sides.",
    });
    expect((await world.money(granted.customer)).balanceMicros).toBe(5_000_000n);
    expect((await world.money(declined.customer)).balanceMicros).toBeLessThan(5_000_000n);
    expect((await details(granted)).refund_request).toMatchObject({
      state: "refunded",
      answer: "Sorry.",
      amount: granted.call.cost,
    });
    expect((await details(declined)).refund_request).toMatchObject({
      state: "declined",
      answer: "The sound was good on both sides.",
    });
    for (const ended of [granted, declined])
      await expect(
        operate(asOperator(world.ctx, "ana"), "refund-call", { call: ended.call.id, answer: null, reason: null }),
      ).rejects.toMatchObject({
        messageRef: { reason: "operator.call_refund_decided" },
      });
  });

  test("is not needed for an operator's refund, which is made once and shown to the customer", async () => {
    const ended = await endedCall();
    const grant = () =>
      operate(asOperator(world.ctx, "ana"), "refund-call", { call: ended.call.id, answer: null, reason: "No sound" });
    await expect(
      operate(asOperator(world.ctx, "ana"), "refund-call", { call: ended.call.id, answer: null, reason: null }),
    ).rejects.toMatchObject({
      code: "not_found",
    });
    await world.database.warmUp();
    const made = await Promise.allSettled([grant(), grant()]);
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await world.money(ended.customer)).balanceMicros).toBe(5_000_000n);
    expect((await details(ended)).refund_request).toMatchObject({ state: "refunded", amount: ended.call.cost });
    const charged = { ...ended.call, id: "0199bbbb-0000-7000-8000-0000000000ff" };
    await expect(
      operate(asOperator(world.ctx, "ana"), "refund-call", { call: charged.id, answer: null, reason: "x" }),
    ).rejects.toMatchObject({ code: "not_found" });
  });
});
