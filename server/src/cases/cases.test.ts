import { HOUR_MS } from "@farline/domain/durations.ts";
import { operate } from "../../test/operate.ts";
import { sql } from "kysely";
import type { CaseResponse, CasesResponse } from "@farline/contract/cases/cases.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import type { LiveHint } from "@farline/contract/events.ts";
import { randomUUID } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp } from "../../test/create-test-app.ts";
import { newCustomer } from "../../test/new-customer.ts";
import { insertPastCalls } from "../../test/past-calls.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { testSession } from "../../test/test-session.ts";
import { sessionGuards, type Customer } from "../accounts/accounts.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { AppError } from "../platform/app-error.ts";
import type { App } from "../platform/http/http.ts";
import { caseMetrics, caseRoutes, findCase } from "./cases.ts";
import { LIMITS } from "../platform/http/limit-lanes.ts";
import { MAX_OPEN_CASES } from "./open-case.ts";
import { asOperator, silentLive, testContext } from "../../test/test-context.ts";
import type { OperatorContext } from "../context.ts";

const OPERATOR = "grace";

let database: TestDatabase;
let ctx: OperatorContext;
let app: App;
const clock = new ManualClock(new Date("2026-03-01T12:00:00Z"));
const customers = new Map<string, Customer>();
const hints: { customerId: string; hint: LiveHint }[] = [];

beforeAll(async () => {
  database = await testDatabase();
  const base = testContext({
    handle: database.handle,
    clock,
    live: { ...silentLive, publish: (customerId, hint) => void hints.push({ customerId, hint }) },
    config: { limitsScale: 1 },
    authenticate: async (request) => {
      const customer = customers.get(request.headers.authorization ?? "");
      if (customer === undefined) throw new AppError("unauthenticated");
      return testSession(customer, clock.now());
    },
  });
  ctx = asOperator(base, OPERATOR);
  app = createTestApp({ log: base.log, trustedProxies: 0, guards: sessionGuards(base) });
  caseRoutes(app, base);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

async function signUp(status: Customer["status"] = "active"): Promise<Customer> {
  const made = await newCustomer(database.handle);
  const customer: Customer = { ...made, status, emailVerified: true, language: "en", payerId: null };
  customers.set(customer.id, customer);
  return customer;
}

const QUESTION = { topic: "charge", message: "Why 61 seconds?" };

async function request(customer: Customer | null, body: object = QUESTION, key: string | null = randomUUID()) {
  const headers = {
    ...(customer === null ? {} : { authorization: customer.id }),
    ...(key === null ? {} : { "idempotency-key": key }),
  };
  const answer = await app.inject({ method: "POST", url: "/api/cases", payload: body, headers });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json<CaseResponse & ErrorBody>() };
}

async function list(customer: Customer, query = "") {
  const answer = await app.inject({ url: `/api/cases${query}`, headers: { authorization: customer.id } });
  return { status: answer.statusCode, ...answer.json<CasesResponse & Partial<ErrorBody>>() };
}

async function mailsTo({ email }: Customer) {
  const { rows } = await sql<{
    template: string;
    data: object;
  }>`select template, data from mail where recipient = ${email} order by id`.execute(database.handle.db);
  return rows;
}

async function pay(customer: Customer): Promise<string> {
  const id = uuidv7();
  await sql`insert into payment (id, customer_id, kind, charge_micros, expires_at, created_at) values (${id}, ${customer.id}, 'custom', 20000000, ${clock.now()}, ${clock.now()})`.execute(
    database.handle.db,
  );
  return id;
}

test("a question is stored, shown only to its owner, and confirmed by a mail that does not quote it", async () => {
  const [customer, other] = [await signUp(), await signUp()];
  const { status, body } = await request(customer, { ...QUESTION, message: "  Why?\nPlease check.  " });
  expect([status, body.case]).toEqual([
    201,
    expect.objectContaining({ topic: "charge", message: "Why?\nPlease check.", state: "open", about: null, answer: null }),
  ]);
  expect((await list(customer)).cases.data).toEqual([body.case]);
  expect((await list(other)).cases.data).toEqual([]);
  const data = { name: customer.name, number: String(body.case.number), topic: "charge" };
  expect(await mailsTo(customer)).toEqual([{ template: "case_received", data }]);
  expect(hints.at(-1)).toEqual({ customerId: customer.id, hint: { type: "cases" } });
});

test("a question may be about a call or a payment of the customer", async () => {
  const customer = await signUp();
  const [call = ""] = await insertPastCalls(database.handle.db, [{ customerId: customer.id, createdAt: clock.now() }]);
  const payment = await pay(customer);
  const at = clock.now().toISOString();
  expect((await request(customer, { ...QUESTION, about: { type: "call", id: call } })).body.case.about).toEqual({
    type: "call",
    id: call,
    number: "+442079460000",
    created_at: at,
  });
  expect((await request(customer, { ...QUESTION, about: { type: "payment", id: payment } })).body.case.about).toEqual({
    type: "payment",
    id: payment,
    amount: "20.00",
    created_at: at,
  });
});

test("somebody else's call or payment is not found, and nothing is stored", async () => {
  const [owner, thief] = [await signUp(), await signUp()];
  const [call = ""] = await insertPastCalls(database.handle.db, [{ customerId: owner.id, createdAt: clock.now() }]);
  const payment = await pay(owner);
  await insertPastCalls(database.handle.db, [{ customerId: thief.id, createdAt: clock.now() }]);
  await pay(thief);
  for (const about of [
    { type: "call", id: call },
    { type: "payment", id: payment },
    { type: "payment", id: call },
    { type: "call", id: randomUUID() },
  ])
    expect([about, (await request(thief, { ...QUESTION, about })).body.code]).toEqual([about, "not_found"]);
  expect((await list(thief)).cases.data).toEqual([]);
  expect(await mailsTo(thief)).toEqual([]);
});

test.each([
  ["no topic", { message: "Why?" }, "topic"],
  ["an unknown topic", { topic: "weather", message: "Why?" }, "topic"],
  ["no message", { topic: "charge" }, "message"],
  ["an empty message", { topic: "charge", message: " \n " }, "message"],
  ["a message that is too long", { topic: "charge", message: "x".repeat(2001) }, "message"],
])("a question with %s is refused at its field", async (_what, body, field) => {
  const customer = await signUp();
  const answer = await request(customer, body);
  expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, [field]]);
  expect((await list(customer)).cases.data).toEqual([]);
});

test("a question needs a session; frozen accounts may ask", async () => {
  expect((await request(null)).status).toBe(401);
  expect((await request(await signUp("frozen"))).status).toBe(201);
});

test("a question sent twice with one key, even concurrently, is stored and mailed once", async () => {
  const customer = await signUp();
  const key = randomUUID();
  await database.warmUp();
  const answers = await Promise.all([1, 2, 3].map(() => request(customer, QUESTION, key)));
  answers.push(await request(customer, QUESTION, key));
  expect(new Set(answers.map(({ body }) => body.case.id)).size).toBe(1);
  expect((await list(customer)).cases.data).toHaveLength(1);
  expect(await mailsTo(customer)).toHaveLength(1);
});

test("reusing a key for another question is a conflict, but two customers may use the same key", async () => {
  const [customer, other] = [await signUp(), await signUp()];
  const about = { type: "payment", id: await pay(customer) };
  const key = randomUUID();
  const { id } = (await request(customer, { ...QUESTION, about }, key)).body.case;
  for (const change of [{ message: "Another" }, { topic: "payment" }, { about: null }])
    expect((await request(customer, { ...QUESTION, about, ...change }, key)).body.code).toBe("conflict");
  const theirs = (await request(other, QUESTION, key)).body.case;
  expect([theirs.id === id, theirs.about]).toEqual([false, null]);
});

test("the number of open questions is limited, also for concurrent requests", async () => {
  const customer = await signUp();
  await database.warmUp();
  const answers = await Promise.all(Array.from({ length: MAX_OPEN_CASES + 2 }, () => request(customer)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(MAX_OPEN_CASES);
  expect(answers.filter(({ body }) => body.code === "too_many_cases")).toHaveLength(2);
  const [first] = (await list(customer)).cases.data;
  await operate(ctx, "close-case", { number: String(first?.number), reason: "RequestOptions twice" });
  expect((await request(customer)).status).toBe(201);
});

test("questions are limited per day, and refused ones do not count", async () => {
  const customer = await signUp();
  const key = randomUUID();
  for (let asked = 0; asked < LIMITS["case-day"].points; asked += 1) {
    expect((await request(customer, { ...QUESTION, about: { type: "call", id: randomUUID() } })).status).toBe(404);
    const { body } = await request(customer, QUESTION, asked === 0 ? key : randomUUID());
    await operate(ctx, "close-case", { number: String(body.case.number), reason: "Test" });
  }
  const refused = await request(customer);
  expect([refused.body.code, Number(refused.headers["retry-after"]) > 0]).toEqual(["rate_limited", true]);
  expect((await request(customer, QUESTION, key)).status).toBe(201);
});

test("the list of questions is paginated, newest first", async () => {
  const customer = await signUp();
  const ids = [];
  for (const message of ["one", "two", "three"]) ids.unshift((await request(customer, { ...QUESTION, message })).body.case.id);
  const first = (await list(customer, "?limit=2")).cases;
  const rest = (await list(customer, `?limit=2&cursor=${first.next_cursor}`)).cases;
  expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids);
  expect(rest.next_cursor).toBeNull();
  expect((await list(customer, "?limit=3")).cases.next_cursor).toBeNull();
  const elsewhere = { status: 400, message: "This page of the list does not exist." };
  expect(await list(customer, "?cursor=elsewhere")).toMatchObject(elsewhere);
});

test("an operator lists and answers questions; the customer reads the answer by mail and in the list", async () => {
  const [customer, other] = [await signUp(), await signUp()];
  const { number } = (await request(customer)).body.case;
  const untouched = String((await request(other)).body.case.number);
  expect(await findCase(ctx, String(number))).toMatchObject({ email: customer.email, topic: "charge", state: "open" });
  await operate(ctx, "answer-case", { number: `#${number}`, answer: "  Two steps of 60.\n" });
  const [shown] = (await list(customer)).cases.data;
  expect(shown).toMatchObject({ state: "answered", answer: "Two steps of 60.", answered_at: clock.now().toISOString() });
  expect((await mailsTo(customer)).at(-1)).toEqual({
    template: "case_answered",
    data: { name: customer.name, number: String(number), answer: "Two steps of 60." },
  });
  expect(hints.at(-1)).toEqual({ customerId: customer.id, hint: { type: "cases" } });
  expect(await findCase(ctx, String(number))).toMatchObject({ state: "answered" });
  const twice = operate(ctx, "answer-case", { number: String(number), answer: "Again" });
  await expect(twice).rejects.toMatchObject({ code: "conflict", message: `Case ${number} is answered already.` });
  expect(await mailsTo(customer)).toHaveLength(2);
  await operate(ctx, "close-case", { number: String(number), reason: "Done" });
  expect((await findCase(ctx, String(number))).state).toBe("closed");
  expect((await findCase(ctx, untouched)).state).toBe("open");
  const { rows } =
    await sql<any>`select operator, action, subject, reason from operation where customer_id = ${customer.id} order by id`.execute(
      database.handle.db,
    );
  expect(rows).toEqual([
    { operator: OPERATOR, action: "answer-case", subject: `case ${number}`, reason: "The customer asked" },
    { operator: OPERATOR, action: "close-case", subject: `case ${number}`, reason: "Done" },
  ]);
});

test("an operator's command for an unknown or closed case, or without a text, changes nothing", async () => {
  const customer = await signUp();
  const number = String((await request(customer)).body.case.number);
  for (const wrong of ["0", "abc", "99999999", "1; drop table call"])
    await expect(findCase(ctx, wrong)).rejects.toMatchObject({ code: "not_found", message: `There is no case ${wrong}.` });
  for (const answer of [" ", "x".repeat(4001)])
    await expect(operate(ctx, "answer-case", { number, answer })).rejects.toMatchObject({ code: "validation_failed" });
  const longest = String((await request(customer, { ...QUESTION, message: "x".repeat(2000) })).body.case.number);
  await operate(ctx, "answer-case", { number: longest, answer: "x".repeat(4000) });
  await operate(ctx, "close-case", { number, reason: "Spam" });
  await expect(operate(ctx, "close-case", { number, reason: "Spam" })).rejects.toMatchObject({ code: "conflict" });
  await expect(operate(ctx, "answer-case", { number, answer: "Hello" })).rejects.toMatchObject({ code: "conflict" });
  expect((await mailsTo(customer)).map(({ template }) => template)).toEqual(["case_received", "case_received", "case_answered"]);
});

test("a question that has waited for a day is reported to the operators until it is answered", async () => {
  const open = await ctx.handle.db.selectFrom("support_case").select("number").where("state", "=", "open").execute();
  for (const { number } of open) await operate(ctx, "close-case", { number: String(number), reason: "Test" });
  const warnings = () => Promise.all(caseMetrics(ctx).map(async (metric) => metric.warning?.((await metric.read()) as number)));
  const customer = await signUp();
  const { number } = (await request(customer)).body.case;
  clock.advance(24 * HOUR_MS - 1);
  await request(customer);
  expect(await warnings()).toEqual([null]);
  clock.advance(1);
  expect(await warnings()).toEqual(["A customer's question has waited for 24 hours. See the command cases."]);
  await operate(ctx, "answer-case", { number: String(number), answer: "Hello" });
  expect(await warnings()).toEqual([null]);
});
