import type { TimelineEntry } from "@farline/contract/operator/customers.ts";
import { disputeStatusWords, pendingReasonWords } from "@farline/contract/operator/words/money-words.ts";
import { mailWords } from "@farline/contract/operator/words/words.ts";
import { timelineWords } from "@farline/contract/operator/words/timeline-words.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCustomer } from "./read-customer.ts";
import { fillOperatorData, operatorDataCustomer, operatorDataEmail } from "../../test/operator-data.ts";
import { asOperator, testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { DISPUTE_STAGES } from "../billing/record/dispute-stage.ts";
import { PENDING_REASONS } from "../billing/record/pending-reason.ts";
import { mailContent } from "../mail/mail-content.ts";
import { readTimeline } from "./timeline.ts";

const CUSTOMER = operatorDataCustomer(2);
const EMAIL = operatorDataEmail(2);

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await fillOperatorData(database.handle, { customers: 45, calls: 300 });
});
afterAll(() => database.close());

const grace = () => asOperator(testContext({ handle: database.handle, config: { limitsScale: 1 } }), "grace");

async function wholeTimeline(limit: number): Promise<TimelineEntry[]> {
  const entries: TimelineEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await readTimeline(grace(), { customer: CUSTOMER, limit, cursor });
    entries.push(...page.entries);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return entries;
}

const run = (statement: string) => database.handle.pool.query(statement);
const newest = (type: TimelineEntry["type"], timeline: readonly TimelineEntry[]) => timeline.find((entry) => entry.type === type);

describe("a customer's timeline", () => {
  test("has each call, payment, mail and sign-in once, newest first, however small the pages are", async () => {
    const { rows } = await run(
      `select (select count(*) from call where customer_id = '${CUSTOMER}') + (select count(*) from payment where customer_id = '${CUSTOMER}')
        + (select count(*) from mail where recipient = '${EMAIL}') + (select count(*) from security_event where customer_id = '${CUSTOMER}')
        as entries`,
    );
    const timeline = await wholeTimeline(7);
    expect(timeline).toHaveLength(Number(rows[0].entries));
    expect(new Set(timeline.map(({ type, id }) => `${type} ${id}`)).size).toBe(timeline.length);
    const times = timeline.map(({ at }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(await wholeTimeline(200)).toEqual(timeline);
  });

  test("pages through entries of the same microsecond", async () => {
    await run(`insert into security_event (id, customer_id, kind, happened_at)
      select gen_random_uuid(), '${CUSTOMER}', 'account_frozen', '2026-01-01T00:00:00.000001Z' from generate_series(1, 9)`);
    const frozen = (await wholeTimeline(4)).filter(({ kind }) => kind === "account_frozen");
    expect(new Set(frozen.map(({ id }) => id)).size).toBe(9);
  });

  test("has what is about a payment, and what operators and rules did, with what can be done", async () => {
    const payment = `(select id from payment where customer_id = '${CUSTOMER}' limit 1)`;
    const call = `(select id from call where customer_id = '${CUSTOMER}' and status = 'completed' limit 1)`;
    await run(`insert into dispute (id, payment_id, amount_micros, reason, status, created_at, updated_at)
      values ('dp_1', ${payment}, 1000000, 'fraudulent', 'needs_response', now(), now())`);
    await run(`insert into fraud_warning (id, payment_id, fraud_type, decision, created_at)
      values ('issfr_1', ${payment}, 'misc', 'none', now())`);
    await run(`insert into payment_failure (id, payment_id, customer_id, code, failed_at)
      values ('ch_1', ${payment}, '${CUSTOMER}', 'card_declined', now())`);
    await run(`insert into refund (id, payment_id, customer_id, origin, amount_micros, status, created_at)
      values (uuidv7(), ${payment}, '${CUSTOMER}', 'operator', 500000, 'ordered', now())`);
    await run(
      `insert into withdrawal (id, customer_id, amount_micros, created_at) values (uuidv7(), '${CUSTOMER}', 500000, now())`,
    );
    await run(`insert into call_refund_request (call_id, customer_id, reason, note, evidence, created_at)
      values (${call}, '${CUSTOMER}', 'no_audio', '', '{}', now())`);
    await run(`insert into call_block (id, customer_id, rule, inputs, created_at, blocked_until)
      values (uuidv7(), '${CUSTOMER}', 'short_calls', '{}', now(), now() + interval '1 hour')`);
    await run(`insert into support_case (id, customer_id, topic, message, created_at)
      values (uuidv7(), '${CUSTOMER}', 'sound', 'I heard nothing', now())`);
    await run(`insert into operation (id, operator_id, operator, action, customer_id, reason, happened_at)
      values (uuidv7(), (select id from operator where name = 'grace'), 'grace', 'freeze', '${CUSTOMER}', 'Stolen card', now())`);
    await run(`select post_credit(uuidv7(), 'gift-1', '${CUSTOMER}', 'bonus', 100000, null, 'A gift')`);
    const timeline = await wholeTimeline(200);
    expect(newest("dispute", timeline)).toMatchObject({ id: "dp_1", amount: "1.00", state: "needs_response" });
    expect(newest("fraud_warning", timeline)).toMatchObject({ id: "issfr_1", state: "none" });
    expect(newest("declined_card", timeline)).toMatchObject({ kind: "card_declined" });
    expect(newest("refund", timeline)).toMatchObject({ amount: "0.50", state: "ordered" });
    expect(newest("withdrawal", timeline)).toMatchObject({ amount: "0.50" });
    expect(newest("refund_request", timeline)).toMatchObject({ state: "open", can: ["refund-call"] });
    expect(newest("call_block", timeline)).toMatchObject({ kind: "short_calls", facts: { until: expect.stringMatching(/^20/) } });
    expect(newest("case", timeline)).toMatchObject({
      state: "open",
      kind: "sound",
      facts: { text: "I heard nothing" },
      can: ["answer-case", "close-case"],
    });
    expect(newest("operation", timeline)).toMatchObject({ kind: "freeze", facts: { operator: "grace", text: "Stolen card" } });
    expect(newest("credit", timeline)).toMatchObject({
      amount: "0.10",
      balance_after: expect.any(String),
      facts: { text: "A gift" },
    });
    const paid = newest("payment", timeline);
    expect(paid).toMatchObject({ state: "paid", can: ["refund"] });
    await run(`update payment set refunded_micros = charge_micros where id = '${paid?.id}'`);
    expect(newest("payment", await wholeTimeline(200))).toMatchObject({ id: paid?.id, state: "refunded", can: [] });
    await run(`update payment set refunded_micros = 0, disputed_micros = charge_micros where id = '${paid?.id}'`);
    expect(newest("payment", await wholeTimeline(200))).toMatchObject({ id: paid?.id, state: "disputed", can: [] });
    expect(newest("mail", timeline)).toMatchObject({ kind: "receipt", can: [] });
    expect(newest("account", timeline)).toMatchObject({ kind: "signed_in", can: ["end-sessions"] });
    for (const entry of timeline) {
      const { title, note } = timelineWords(entry);
      expect(`${title} ${note}`).not.toMatch(/[a-z]_[a-z]|[0-9a-f]{8}-[0-9a-f]{4}|undefined|null/);
    }
  });

  test("of an unknown customer is not found, and an invalid cursor is refused", async () => {
    await expect(readTimeline(grace(), { customer: "nobody@example.com", limit: 1 })).rejects.toMatchObject({
      code: "not_found",
    });
    for (const cursor of ["", "x", "1", "1~", "99999999999999999999~call:1"])
      await expect(readTimeline(grace(), { customer: EMAIL, limit: 1, cursor })).rejects.toMatchObject({
        code: "malformed_request",
      });
  });
});

test("what only the service knows by its code has words too", () => {
  expect(Object.keys(mailWords).toSorted()).toEqual(mailContent.options.map(({ shape }) => shape.template.value).toSorted());
  expect(Object.keys(disputeStatusWords).toSorted()).toEqual(Object.keys(DISPUTE_STAGES).toSorted());
  expect(Object.keys(pendingReasonWords).toSorted()).toEqual(Object.keys(PENDING_REASONS).toSorted());
});

describe("a customer's page", () => {
  test("shows money, the tier and why, limits and counts", async () => {
    const found = await readCustomer(grace(), { customer: EMAIL });
    const { rows } = await run(`select * from account where customer_id = '${CUSTOMER}'`);
    expect(found.customer).toMatchObject({ id: CUSTOMER, email: EMAIL, status: "active", email_verified: true });
    expect(Number(found.money.balance)).toBeCloseTo(Number(rows[0].balance_micros) / 1e6, 6);
    expect(found.money.debt).toBe("0.00");
    expect(found.tier).toMatchObject({ because: { email_verified: true, account_days: 1095 } });
    expect(found.terms).toContainEqual({ name: "live-calls", value: expect.stringMatching(/^\d$/), set: null });
    expect(found.counts).toMatchObject({ contacts: 0, saved_cards: 0 });
    expect(found.can).toEqual(["freeze", "set-term", "adjust", "export-account", "erase-account"]);
  });

  test("says what a frozen customer with an unconfirmed address can be helped with", async () => {
    const id = operatorDataCustomer(10);
    await run(`update customer set status = 'frozen', frozen_because = 'payment' where id = '${id}'`);
    const found = await readCustomer(grace(), { customer: id });
    expect(found.customer).toMatchObject({ status: "frozen", frozen_because: "payment" });
    expect(found.tier.name).toBe("unverified");
    const help = ["unfreeze", "set-term", "confirm-address", "resend-verification", "adjust", "export-account", "erase-account"];
    expect(found.can).toEqual(help);
  });
});
