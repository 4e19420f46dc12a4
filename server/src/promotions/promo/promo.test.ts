import { HOUR_MS } from "@farline/domain/durations.ts";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import { newCampaign, operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import { promoCheckResponse } from "@farline/contract/promotions.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { createTestApp } from "../../../test/create-test-app.ts";
import { promotionRoutes } from "../promotions.ts";
import type { CampaignOrder } from "./campaigns.ts";
import pino from "pino";
import { asOperator } from "../../../test/test-context.ts";

const DOLLAR = 1_000_000n;

let world: BillingWorld;
beforeAll(async () => {
  world = await BillingWorld.start();
});
afterAll(() => world.close());

const campaign = (change: Partial<CampaignOrder> = {}, at = world) => newCampaign(at.service.ctx, change);

/** The preview request of the top-up page. */
async function check(caller: BillingClient, order: object) {
  const { ctx, guards } = world.service;
  const app = createTestApp({ log: pino({ level: "silent" }), trustedProxies: 0, guards });
  const promotions = { firstCallMicros: 0n, referralMicros: 0n, freeCreditPerDayMicros: 0n };
  promotionRoutes(app, { ...ctx, config: { ...ctx.config, promotions } });
  const headers = { authorization: `Bearer ${caller.id}` };
  const answer = await app.inject({ method: "POST", url: "/api/billing/promo/check", payload: order, headers });
  await app.close();
  return promoCheckResponse.parse(answer.json());
}

async function counted(code: string, at = world): Promise<{ uses: number; promised: bigint }> {
  const { rows } = await sql<any>`select uses, promised_micros from promo_campaign where code = ${code}`.execute(
    at.database.handle.db,
  );
  return { uses: rows[0].uses, promised: rows[0].promised_micros };
}

describe("a promo code on a top-up", () => {
  test("posts its bonus once, separate from paid credit, however often the payment is reported", async () => {
    const code = await campaign();
    const caller = await world.service.signUp();
    const { body } = await caller.post("top-up", { amount: 20, promo_code: ` ${code.toLowerCase()} ` });
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
    world.stripe.pay(body.session_id);
    for (let i = 0; i < 3; i++) await world.hear("checkout.session.completed", { id: body.session_id });
    expect(await world.money(caller)).toEqual({ balance: 22, debt: 0, bonus: 2 });
    const { rows } = await world.service.ctx.ledger.transactions(world.database.handle.db, caller.id, { limit: 10 });
    expect(rows.map((line) => line.description)).toEqual([`Promo code ${code}`, "Top-up by card"]);
    expect(await counted(code)).toEqual({ uses: 1, promised: 2n * DOLLAR });
    expect((await caller.post("confirm", { session_id: body.session_id })).body.amount).toBe("22.00");
  });

  test("adds to a package's own bonus, and is previewed", async () => {
    const code = await campaign();
    const caller = await world.service.signUp();
    expect(await check(caller, { code: code.toLowerCase(), package_id: "50" })).toMatchObject({
      code,
      bonus: "5.00",
      refusal: null,
    });
    await world.paid(caller, { package_id: "50", promo_code: code });
    expect(await world.money(caller)).toEqual({ balance: 60, debt: 0, bonus: 10 });
  });

  test("an empty code is ignored", async () => {
    const caller = await world.service.signUp();
    await world.paid(caller, { amount: 10, promo_code: "  " });
    expect(await world.money(caller)).toEqual({ balance: 10, debt: 0, bonus: 0 });
  });

  test("a refund takes back the bonus", async () => {
    const code = await campaign();
    const caller = await world.service.signUp();
    const { sessionId, intentId } = await world.paid(caller, { amount: 20, promo_code: code });
    world.stripe.refundTo(sessionId, 1_000);
    await world.hear("charge.refunded", { payment_intent: intentId });
    expect(await world.money(caller)).toEqual({ balance: 11, debt: 0, bonus: 1 });
  });

  test("gives a bonus in whole cents, up to the campaign's maximum", async () => {
    const code = await campaign({ percent: 33, maxBonusMicros: 5n * DOLLAR });
    const caller = await world.service.signUp();
    expect((await check(caller, { code, amount: "5.05" })).bonus).toBe("1.66");
    expect((await check(caller, { code, amount: 100 })).bonus).toBe("5.00");
  });
});

describe("a code that gives nothing", () => {
  const soon = () => new Date(world.service.clock.now().getTime() + HOUR_MS);
  const cases: [string, () => Promise<string>, string, string][] = [
    ["that nobody knows", async () => "NOBODY", "unknown", "This promo code does not exist."],
    ["that is no code at all", async () => "💥 drop table", "unknown", "This promo code does not exist."],
    ["of a campaign to come", () => campaign({ startsAt: soon() }), "not_started", "This promo code is not valid yet."],
    [
      "that needs more",
      () => campaign({ minMicros: 50n * DOLLAR }),
      "too_little",
      "This promo code needs a top-up of at least $50.00.",
    ],
    [
      "of a package",
      () => campaign({ packageId: "20", fixedMicros: DOLLAR }),
      "other_package",
      "This promo code is for the $20.00 package.",
    ],
    ["whose budget is too small", () => campaign({ budgetMicros: DOLLAR / 2n }), "used_up", "This promo code has been used up."],
    [
      "that was ended",
      async () => {
        const code = await campaign();
        await operate(asOperator(world.service.ctx, "grace"), "end-promo", { code, reason: "over" });
        return code;
      },
      "expired",
      "This promo code has expired.",
    ],
  ];
  test.each(cases)("one %s is refused with its reason before the payment", async (_name, prepare, refusal, message) => {
    const code = await prepare();
    const caller = await world.service.signUp();
    const asked = world.stripe.requests;
    expect(await check(caller, { code, amount: 10 })).toMatchObject({ refusal, bonus: "0.00" });
    const { status, body } = await caller.post("top-up", { amount: 10, promo_code: code });
    expect([status, body.code, body.message, body.errors.promo_code]).toEqual([422, "promo_refused", message, [message]]);
    expect(world.stripe.requests).toBe(asked);
    expect(await world.lines(caller)).toEqual([]);
  });

  test("a used code does not use up another one", async () => {
    const [first, second] = [await campaign(), await campaign()];
    const caller = await world.service.signUp();
    for (const code of [first, second]) await world.paid(caller, { amount: 10, promo_code: code });
    expect(await world.money(caller)).toEqual({ balance: 22, debt: 0, bonus: 2 });
  });

  test("an ended campaign cannot be ended again, and leaves the others in force", async () => {
    const [ended, other] = [await campaign(), await campaign()];
    const end = () => operate(asOperator(world.service.ctx, "grace"), "end-promo", { code: ended, reason: "over" });
    await end();
    await expect(end()).rejects.toThrow("has ended already");
    const caller = await world.service.signUp();
    expect((await check(caller, { code: other, amount: 10 })).refusal).toBe(null);
  });

  test("each customer may use it once, and an ended campaign gives nothing", async () => {
    const code = await campaign({ endsAt: soon() });
    const caller = await world.service.signUp();
    await world.paid(caller, { amount: 10, promo_code: code });
    const again = await caller.post("top-up", { amount: 10, promo_code: code });
    expect(again.body.message).toBe("You have already used this promo code.");
    expect((await check(caller, { code, amount: 10 })).refusal).toBe("used_before");
    const late = await world.service.signUp();
    world.service.clock.advance(HOUR_MS);
    expect((await late.post("top-up", { amount: 10, promo_code: code })).body.message).toBe("This promo code has expired.");
  });
});

describe("the caps of a campaign", () => {
  test("hold under concurrent top-ups, and a cancelled payment frees its place", async () => {
    const code = await campaign({ maxUses: 3, budgetMicros: 100n * DOLLAR });
    const callers = await Promise.all(Array.from({ length: 12 }, () => world.service.signUp()));
    await world.database.warmUp();
    const answers = await Promise.all(callers.map((caller) => caller.post("top-up", { amount: 10, promo_code: code })));
    const statuses = answers.map(({ status }) => status);
    expect([statuses.filter((one) => one === 200).length, statuses.filter((one) => one === 422).length]).toEqual([3, 9]);
    expect(await counted(code)).toEqual({ uses: 3, promised: 3n * DOLLAR });
    const left = answers.find(({ status }) => status === 200)?.body.session_id;
    world.stripe.session(left).status = "expired";
    await world.hear("checkout.session.expired", { id: left });
    expect(await counted(code)).toEqual({ uses: 2, promised: 2n * DOLLAR });
    const next = callers.filter((_, index) => answers[index]?.status === 422);
    const retries = await Promise.all(next.map((caller) => caller.post("top-up", { amount: 10, promo_code: code })));
    expect(retries.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("releasing a reservation leaves the others unchanged", async () => {
    const code = await campaign({ maxUses: 2 });
    const [leaves, pays] = [await world.service.signUp(), await world.service.signUp()];
    const left = (await leaves.post("top-up", { amount: 10, promo_code: code })).body.session_id;
    const kept = (await pays.post("top-up", { amount: 10, promo_code: code })).body.session_id;
    world.stripe.session(left).status = "expired";
    await world.hear("checkout.session.expired", { id: left });
    await world.hear("checkout.session.expired", { id: left });
    world.stripe.pay(kept);
    await world.hear("checkout.session.completed", { id: kept });
    expect(await world.money(pays)).toMatchObject({ balance: 11, bonus: 1 });
    expect(await counted(code)).toEqual({ uses: 1, promised: DOLLAR });
  });

  test("a second checkout with the code closes the abandoned one first", async () => {
    const code = await campaign({ maxUses: 1 });
    const caller = await world.service.signUp();
    const first = await caller.post("top-up", { amount: 10, promo_code: code });
    expect((await check(caller, { code, amount: 30 })).bonus).toBe("3.00");
    const second = await caller.post("top-up", { amount: 30, promo_code: code });
    expect(second.status).toBe(200);
    expect(world.stripe.session(first.body.session_id).status).toBe("expired");
    world.stripe.pay(second.body.session_id);
    await world.hear("checkout.session.completed", { id: second.body.session_id });
    expect(await world.money(caller)).toEqual({ balance: 33, debt: 0, bonus: 3 });
    expect(await counted(code)).toEqual({ uses: 1, promised: 3n * DOLLAR });
  });

  test("a checkout that could not be opened releases its reservation", async () => {
    const code = await campaign({ maxUses: 1 });
    const caller = await world.service.signUp();
    world.stripe.failNext = 10;
    expect((await caller.post("top-up", { amount: 10, promo_code: code })).status).toBe(503);
    world.stripe.failNext = 0;
    expect(await counted(code)).toEqual({ uses: 0, promised: 0n });
    await world.paid(caller, { amount: 10, promo_code: code });
    expect((await world.money(caller)).bonus).toBe(1);
  });

  test("a request repeated with its Idempotency-Key reserves once, and another code under it is a conflict", async () => {
    const code = await campaign({ maxUses: 5 });
    const caller = await world.service.signUp();
    const key = { "idempotency-key": "promo-1" };
    const order = { amount: 10, promo_code: code };
    const answers = [await caller.post("top-up", order, key), await caller.post("top-up", order, key)];
    expect(new Set(answers.map(({ body }) => body.session_id)).size).toBe(1);
    expect((await counted(code)).uses).toBe(1);
    expect((await caller.post("top-up", { amount: 10 }, key)).status).toBe(409);
  });

  /** Blocks everyone who counts a campaign's uses until the returned function is called. */
  async function keepWaiting(code: string): Promise<() => Promise<void>> {
    const client = await world.database.handle.pool.connect();
    await client.query("begin");
    await client.query("select from promo_campaign where code = $1 for no key update", [code]);
    return async () => {
      await client.query("commit");
      client.release();
    };
  }

  const waiting = (times: number) =>
    vi.waitFor(async () => {
      const { rows } =
        await sql<any>`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          world.database.handle.db,
        );
      expect(rows[0].n).toBe(times);
    }, PATIENCE);

  /** The provider's next answer waits for this. */
  function holdAnswers() {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    world.stripe.beforeAnswer = () => {
      reached.resolve();
      return gate.promise;
    };
    return {
      reached: reached.promise,
      calm: () => (world.stripe.beforeAnswer = async () => {}),
      /** Call once for each request to release. */
      lose: (requests: number) => {
        world.stripe.beforeAnswer = async () => {};
        world.stripe.dropNext = requests;
        gate.resolve();
      },
    };
  }

  test("a request that fails twice concurrently releases its reservation once", async () => {
    const code = await campaign({ maxUses: 2 });
    const [other, caller] = [await world.service.signUp(), await world.service.signUp()];
    await other.post("top-up", { amount: 10, promo_code: code });
    const answers = holdAnswers();
    const request = () => caller.post("top-up", { amount: 10, promo_code: code }, { "idempotency-key": "twice" });
    const asked = [request(), request()];
    await answers.reached;
    const goOn = await keepWaiting(code);
    answers.lose(6);
    await waiting(2);
    await goOn();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([503, 503]);
    expect(await counted(code)).toEqual({ uses: 1, promised: DOLLAR });
  });

  test("a checkout that is paid while its request fails keeps its reservation and bonus", async () => {
    const code = await campaign({ maxUses: 1 });
    const caller = await world.service.signUp();
    const answers = holdAnswers();
    const asked = caller.post("top-up", { amount: 10, promo_code: code });
    await answers.reached;
    answers.calm();
    const [session] = [...world.stripe.sessions.values()].slice(-1);
    if (session === undefined) throw new Error("no session");
    world.stripe.pay(session.id);
    const goOn = await keepWaiting(code);
    const heard = world.hear("checkout.session.completed", { id: session.id, metadata: session.metadata });
    await waiting(1);
    answers.lose(3);
    await waiting(2);
    await goOn();
    await heard;
    expect((await asked).status).toBe(503);
    expect(await world.money(caller)).toEqual({ balance: 11, debt: 0, bonus: 1 });
    expect(await counted(code)).toEqual({ uses: 1, promised: DOLLAR });
    const { rows } = await sql<any>`select state from promo_use where customer_id = ${caller.id}`.execute(
      world.database.handle.db,
    );
    expect(rows).toEqual([{ state: "granted" }]);
  });

  test("a payment that arrives after its reservation was released gets the bonus only while the caps allow it", async () => {
    const code = await campaign({ maxUses: 1 });
    const [late, next] = [await world.service.signUp(), await world.service.signUp()];
    const { body } = await late.post("top-up", { amount: 10, promo_code: code });
    world.stripe.session(body.session_id).status = "expired";
    await world.hear("checkout.session.expired", { id: body.session_id });
    await world.paid(next, { amount: 10, promo_code: code });
    world.stripe.pay(body.session_id);
    await world.hear("checkout.session.completed", { id: body.session_id });
    expect(await world.money(late)).toEqual({ balance: 10, debt: 0, bonus: 0 });
    expect(await counted(code)).toEqual({ uses: 1, promised: DOLLAR });
    world.stripe.refundTo(body.session_id, 1_000);
    await world.hear("charge.refunded", { payment_intent: world.stripe.session(body.session_id).intent.id });
    expect(await world.money(late)).toEqual({ balance: 0, debt: 0, bonus: 0 });
  });

  test("a late payment gets no bonus if its customer has used the code in the meantime", async () => {
    const code = await campaign();
    const caller = await world.service.signUp();
    const { body } = await caller.post("top-up", { amount: 10, promo_code: code });
    world.stripe.session(body.session_id).status = "expired";
    await world.hear("checkout.session.expired", { id: body.session_id });
    await world.paid(caller, { amount: 20, promo_code: code });
    world.stripe.pay(body.session_id);
    await world.hear("checkout.session.completed", { id: body.session_id });
    expect(await world.money(caller)).toEqual({ balance: 32, debt: 0, bonus: 2 });
    expect(await counted(code)).toEqual({ uses: 1, promised: 2n * DOLLAR });
  });
});

test("with real cards, each card gets a campaign's bonus once across accounts", async () => {
  const real = await BillingWorld.start({ live: true });
  const [code, other] = [await campaign({}, real), await campaign({}, real)];
  const [first, second] = [await real.service.signUp(), await real.service.signUp()];
  await real.paid(first, { amount: 10, promo_code: code }, "card-one");
  await real.paid(second, { amount: 10, promo_code: code }, "card-one");
  expect([await real.money(first), await real.money(second)]).toMatchObject([{ bonus: 1 }, { bonus: 0, balance: 10 }]);
  expect((await counted(code, real)).uses).toBe(1);
  const [third, fourth] = [await real.service.signUp(), await real.service.signUp()];
  await real.paid(third, { amount: 10, promo_code: code }, "card-two");
  await real.paid(fourth, { amount: 10, promo_code: other }, "card-one");
  expect([await real.money(third), await real.money(fourth)]).toMatchObject([{ bonus: 1 }, { bonus: 1 }]);
  await real.close();
});

test("code attempts are limited, and valid codes do not count", async () => {
  const strict = await BillingWorld.start({ limitsScale: 1 });
  const code = await campaign({}, strict);
  const caller = await strict.service.signUp();
  const guess = () => caller.post("top-up", { amount: 5, promo_code: "GUESS-1" });
  for (let i = 0; i < 20; i++) expect((await guess()).body.code).toBe("promo_refused");
  expect((await guess()).body.message).toMatch(/^You tried too many promo codes\. Try again in \d+ \w+\.$/);
  expect((await caller.post("top-up", { amount: 5, promo_code: code })).status).toBe(429);
  const honest = await strict.service.signUp();
  expect((await honest.post("top-up", { amount: 5, promo_code: code })).status).toBe(200);
  await strict.close();
});

describe("an operator's campaign", () => {
  test.each<[string, Partial<CampaignOrder>]>([
    ["A code has 3 to 20 letters", { code: "a" }],
    ["The percentage is a whole number", { percent: 101 }],
    ["Say either a percentage or a fixed bonus.", { fixedMicros: DOLLAR, percent: 5 }],
    ["A code for one package gives a fixed bonus.", { packageId: "20" }],
    ["There is no package 7 on sale.", { packageId: "7", fixedMicros: DOLLAR }],
    ["Amounts are whole cents above zero.", { fixedMicros: 0n }],
    ["Only a percentage has a largest bonus.", { fixedMicros: DOLLAR, maxBonusMicros: DOLLAR }],
    ["The campaign ends before it starts.", { endsAt: new Date(0) }],
  ])("%s", async (message, change) => {
    await expect(campaign(change)).rejects.toThrow(message);
  });

  test("needs an unused code, and is in the audit record", async () => {
    const code = await campaign();
    await expect(campaign({ code })).rejects.toThrow(`There is a campaign ${code} already.`);
    await operate(asOperator(world.service.ctx, "grace"), "end-promo", { code, reason: "over" });
    const { rows } = await sql<any>`select action from operation where subject = ${code} order by id`.execute(
      world.database.handle.db,
    );
    expect(rows.map(({ action }) => action)).toEqual(["propose-create-promo", "create-promo", "end-promo"]);
  });
});
