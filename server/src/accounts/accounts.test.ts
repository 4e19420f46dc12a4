import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { sendWithProof } from "../../test/fakes/solve-challenge.ts";
import { ledger } from "../ledger/ledger.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import type { App } from "../platform/http/http.ts";
import { createTestApp } from "../../test/create-test-app.ts";
import type { SecretKeys } from "../platform/settings/secret-keys.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { accountJobs, accountRoutes, sessionGuards } from "./accounts.ts";
import { NOTHING_ELSEWHERE, PRODUCTION_PASSWORDS, testContext } from "../../test/test-context.ts";
import { createAccountContext } from "./accounts.ts";
import type { Ledger } from "../ledger/ledger.ts";

const SECRET_KEYS: SecretKeys = [{ id: "1", secret: Buffer.alloc(32, 1) }];
const PASSWORD = "correct horse battery";

let database: TestDatabase;
let clock: ManualClock;
let app: App;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

function build(limitsScale: number, log = pino({ level: "silent" })): App {
  const base = testContext({
    handle: database.handle,
    clock,
    log,
    config: { limitsScale, secretKeys: SECRET_KEYS },
    costs: PRODUCTION_PASSWORDS,
  });
  const built = createTestApp({ log, trustedProxies: 0, guards: sessionGuards(base) });
  accountRoutes(built, createAccountContext(base, NOTHING_ELSEWHERE));
  return built;
}

beforeEach(() => {
  clock = new ManualClock(new Date("2026-03-01T12:00:00Z"));
  app = build(0);
});
afterEach(() => app.close());

let made = 0;
function newPerson() {
  made += 1;
  return { name: "Ada Lovelace", email: `Caller${made}@Example.com`, password: PASSWORD, password_confirmation: PASSWORD };
}

const post = (url: string, payload: object, to = app) => to.inject({ method: "POST", url, payload });
const getUser = (token: string) => app.inject({ url: "/api/user", headers: { authorization: `Bearer ${token}` } });

async function registered() {
  const person = newPerson();
  const answer = await post("/api/register", person);
  expect(answer.statusCode).toBe(201);
  return { person, ...(answer.json() as { token: string; user: { id: string } }) };
}

const signIn = (person: { email: string; password: string }, to = app, remoteAddress = "203.0.113.1") =>
  sendWithProof((proof) =>
    to.inject({
      method: "POST",
      url: "/api/login",
      payload: { email: person.email, password: person.password, proof },
      remoteAddress,
    }),
  );

async function countCustomers(): Promise<number> {
  return Number((await sql<any>`select count(*) from customer`.execute(database.handle.db)).rows[0].count);
}

test("registering opens an account and signs in", async () => {
  const { person, token, user } = await registered();
  expect(token).toMatch(/^fl_[A-Za-z0-9_-]{43}$/);
  expect(user).toEqual({
    id: expect.any(String),
    name: person.name,
    email: person.email,
    email_verified: false,
    email_refused: false,
    link_mailed: true,
    disposable_email: false,
    status: "active",
    frozen_because: null,
    closes_at: null,
    language: "en",
    has_password: true,
    created_at: "2026-03-01T12:00:00.000Z",
  });
  expect((await ledger.balance(database.handle.db, user.id)).balanceMicros).toBe(0n);
  const answer = await getUser(token);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({ user });
});

test("neither the password nor the token is in the database", async () => {
  const { token, user } = await registered();
  const { rows } =
    await sql<any>`select password_hash, token_hash from customer c join session s on s.customer_id = c.id where c.id = ${user.id}`.execute(
      database.handle.db,
    );
  expect(rows[0].password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(rows[0].token_hash).toHaveLength(32);
  expect(rows[0].token_hash.toString()).not.toContain(token);
});

test.each([
  ["name", { name: "  " }, "Enter your name."],
  ["email", { email: "nobody" }, "Enter an email address like name@example.com."],
  ["password", { password: "short", password_confirmation: "short" }, "Use at least 8 characters."],
  ["password", { password: "a".repeat(129), password_confirmation: "a".repeat(128) }, "Use at most 128 characters."],
  [
    "password",
    { password: "lovelace-26", password_confirmation: "lovelace-26" },
    "Use a password that is not made of your name or email address.",
  ],
  [
    "password",
    { password: "Farline2026", password_confirmation: "Farline2026" },
    "Use a password that is not made of your name or email address.",
  ],
  ["password_confirmation", { password_confirmation: "correct horse batterie" }, "The two passwords are not the same."],
])("a registration with an invalid %s reports the field and changes nothing", async (field, change, message) => {
  const before = await countCustomers();
  const answer = await post("/api/register", { ...newPerson(), ...change });
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({ code: "validation_failed", message, errors: { [field]: [message] } });
  expect(await countCustomers()).toBe(before);
});

test("an address registers once, regardless of case and under parallel requests", async () => {
  const person = newPerson();
  const before = await countCustomers();
  const answers = await Promise.all(
    [person.email, person.email.toUpperCase(), person.email.toLowerCase()].map((email) =>
      post("/api/register", { ...person, email }),
    ),
  );
  expect(answers.map((answer) => answer.statusCode).toSorted((a, b) => a - b)).toEqual([201, 422, 422]);
  const refused = answers.find((answer) => answer.statusCode === 422);
  expect(refused?.json()).toMatchObject({ code: "email_taken", errors: { email: [expect.any(String)] } });
  expect(await countCustomers()).toBe(before + 1);
});

test("no customer or session is created if opening the ledger account fails", async () => {
  const noLedger: Ledger = { ...ledger, openAccount: () => Promise.reject(new Error("ledger is closed")) };
  const base = testContext({ handle: database.handle, clock, ledger: noLedger });
  const broken = createTestApp({ log: base.log, trustedProxies: 0, guards: sessionGuards(base) });
  accountRoutes(broken, createAccountContext(base, NOTHING_ELSEWHERE));
  const before = await countCustomers();
  const answer = await post("/api/register", newPerson(), broken);
  expect(answer.statusCode).toBe(500);
  expect(answer.body).not.toContain("ledger is closed");
  expect(await countCustomers()).toBe(before);
  await broken.close();
});

test("sign-in ignores the case of the address and issues a new token", async () => {
  const { person, token } = await registered();
  const answer = await signIn({ ...person, email: ` ${person.email.toUpperCase()} ` });
  expect(answer.statusCode).toBe(200);
  expect(answer.json().user.email).toBe(person.email);
  expect(answer.json().token).not.toBe(token);
  expect((await getUser(answer.json().token)).statusCode).toBe(200);
});

test("a wrong password and an unknown address get the same response", async () => {
  const { person } = await registered();
  const wrong = await signIn({ ...person, password: "wrong horse battery" });
  const unknown = await signIn({ email: "nobody@example.com", password: PASSWORD });
  for (const answer of [wrong, unknown]) {
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toEqual({
      code: "credentials_wrong",
      reason: "credentials_wrong",
      message: "The email address or password is wrong.",
      request_id: expect.any(String),
    });
  }
});

test("an empty sign-in reports both fields", async () => {
  const answer = await post("/api/login", {});
  expect(answer.statusCode).toBe(422);
  expect(answer.json().errors).toEqual({ email: ["Enter your email address."], password: ["Enter your password."] });
});

test("a frozen customer can sign in and read their profile", async () => {
  const { person, user } = await registered();
  await sql`update customer set status = 'frozen' where id = ${user.id}`.execute(database.handle.db);
  const answer = await signIn(person);
  expect(answer.statusCode).toBe(200);
  expect((await getUser(answer.json().token)).json().user.status).toBe("frozen");
});

test("signing out ends only this session", async () => {
  const { person, token } = await registered();
  const other = (await signIn(person)).json().token;
  // The web app sends a JSON content type even without a body.
  const answer = await app.inject({
    method: "POST",
    url: "/api/logout",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
  expect(answer.statusCode).toBe(204);
  expect((await getUser(token)).statusCode).toBe(401);
  expect((await getUser(other)).statusCode).toBe(200);
});

test.each([
  undefined,
  "",
  "Bearer",
  "Bearer fl_short",
  `Basic ${"a".repeat(46)}`,
  `Bearer fl_${"A".repeat(43)}`,
  `Bearer ${"x".repeat(46)}`,
])("authorization %s gets 401", async (authorization) => {
  for (const request of [{ url: "/api/user" }, { url: "/api/logout", method: "POST" as const }]) {
    const answer = await app.inject({ ...request, headers: authorization === undefined ? {} : { authorization } });
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toMatchObject({ code: "unauthenticated", message: "Sign in again." });
  }
});

test("a session expires after seven idle days", async () => {
  const { token } = await registered();
  clock.advance(7 * DAY_MS - 1000);
  expect((await getUser(token)).statusCode).toBe(200);
  clock.advance(7 * DAY_MS - 1000);
  expect((await getUser(token)).statusCode).toBe(200);
  clock.advance(7 * DAY_MS);
  expect((await getUser(token)).statusCode).toBe(401);
});

test("a session in daily use expires after thirty days", async () => {
  const { token } = await registered();
  for (let day = 1; day < 30; day++) {
    clock.advance(DAY_MS);
    expect((await getUser(token)).statusCode).toBe(200);
  }
  clock.advance(DAY_MS);
  expect((await getUser(token)).statusCode).toBe(401);
});

test("a session's last-seen time is written at most once a minute", async () => {
  const { token, user } = await registered();
  const seen = async () =>
    (
      await sql<any>`select last_seen_at from session where customer_id = ${user.id}`.execute(database.handle.db)
    ).rows[0].last_seen_at.toISOString();
  clock.advance(59_000);
  await getUser(token);
  expect(await seen()).toBe("2026-03-01T12:00:00.000Z");
  clock.advance(1_000);
  await getUser(token);
  expect(await seen()).toBe("2026-03-01T12:01:00.000Z");
});

test("beyond ten sessions, the longest unused ones end", async () => {
  const { person, token, user } = await registered();
  clock.advance(60_000);
  const answers = await Promise.all(Array.from({ length: 12 }, () => signIn(person)));
  expect(answers.every((answer) => answer.statusCode === 200)).toBe(true);
  const { rows } = await sql<any>`select count(*) from session where customer_id = ${user.id}`.execute(database.handle.db);
  expect(Number(rows[0].count)).toBe(10);
  expect((await getUser(token)).statusCode).toBe(401);
});

test("the cleanup job deletes only expired rows", async () => {
  const { token: old } = await registered();
  clock.advance(8 * DAY_MS);
  const { token, user } = await registered();
  const ctx = createAccountContext(testContext({ handle: database.handle, clock }), NOTHING_ELSEWHERE);
  const [job] = accountJobs(ctx);
  await job?.run(new AbortController().signal);
  expect((await getUser(token)).statusCode).toBe(200);
  expect((await getUser(old)).statusCode).toBe(401);
  const { rows } = await sql<any>`select customer_id from session where last_seen_at < ${clock.now()}`.execute(
    database.handle.db,
  );
  expect(rows).toEqual([]);
  expect(user.id).toBeDefined();
});

test("the sixth wrong password for an account is not checked, even in parallel", async () => {
  const limited = build(1);
  const { person } = await registered();
  const wrong = await Promise.all(
    Array.from({ length: 9 }, () => signIn({ ...person, password: "wrong horse battery" }, limited)),
  );
  const codes = wrong.map((answer) => answer.statusCode);
  expect(codes.filter((code) => code === 422)).toHaveLength(5);
  expect(codes.filter((code) => code === 429)).toHaveLength(4);
  const right = await signIn(person, limited);
  expect(right.statusCode).toBe(429);
  expect(right.json().code).toBe("rate_limited");
  expect(Number(right.headers["retry-after"])).toBeGreaterThan(0);
  expect(Number(right.headers["retry-after"])).toBeLessThanOrEqual(900);
  await limited.close();
});

test("right passwords do not count, and clear the account's wrong ones", async () => {
  const limited = build(1);
  const { person } = await registered();
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 4; i++)
      expect((await signIn({ ...person, password: "wrong horse battery" }, limited, "203.0.113.2")).statusCode).toBe(422);
    expect((await signIn(person, limited, "203.0.113.2")).statusCode).toBe(200);
  }
  await limited.close();
});

test("a network may enter twenty wrong passwords, across all accounts", async () => {
  const limited = build(1);
  const guess = (at: number) => signIn({ email: `nobody${at}@example.com`, password: PASSWORD }, limited, "203.0.113.3");
  for (let at = 0; at < 20; at++) expect((await guess(at)).statusCode).toBe(422);
  expect((await guess(20)).statusCode).toBe(429);
  expect((await signIn({ email: "nobody21@example.com", password: PASSWORD }, limited, "203.0.113.4")).statusCode).toBe(422);
  await limited.close();
});

test("a network over its hourly sign-up limit is refused, other networks are not", async () => {
  const limited = build(1);
  const register = (remoteAddress: string) =>
    sendWithProof((proof) =>
      limited.inject({ method: "POST", url: "/api/register", payload: { ...newPerson(), proof }, remoteAddress }),
    );
  expect((await register("203.0.113.7")).statusCode).toBe(201);
  await sql`update rate_limit set points = 60 where key = 'register-hour:203.0.113.7'`.execute(database.handle.db);
  const before = await countCustomers();
  const refused = await register("203.0.113.7");
  expect(refused.statusCode).toBe(429);
  expect(await countCustomers()).toBe(before);
  expect((await register("203.0.113.8")).statusCode).toBe(201);
  await limited.close();
});

test("sign-ins beyond the parallel limit are refused for now, the others succeed", async () => {
  const { person } = await registered();
  const answers = await Promise.all(Array.from({ length: 60 }, () => signIn({ ...person, password: "wrong horse battery" })));
  const refused = answers.filter((answer) => answer.statusCode === 503);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) expect(answer.headers["retry-after"]).toBe("2");
  expect(answers.filter((answer) => answer.statusCode === 422).length).toBe(60 - refused.length);
  expect((await signIn(person)).statusCode).toBe(200);
});

test("no password or token reaches the log", async () => {
  const lines: string[] = [];
  const logged = build(0, pino({ level: "trace" }, { write: (line: string) => lines.push(line) }));
  const person = newPerson();
  const { token } = (await post("/api/register", person, logged)).json();
  await signIn({ ...person, password: "wrong horse battery" }, logged);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join()).not.toContain(token);
  expect(lines.join()).not.toContain("horse battery");
  await logged.close();
});
