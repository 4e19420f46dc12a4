import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { Secret, TOTP } from "otpauth";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accountApp, PASSWORD, registered, SECRET_KEYS, securityTrail, TestBrowser } from "../../../test/worlds/account-app.ts";
import { ManualClock } from "../../../test/manual-clock.ts";
import type { App } from "../../platform/http/http.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { consumeCode } from "../credentials/check-code.ts";
import { qrPath } from "./set-up-authenticator.ts";
import { deleteExpiredChallenges } from "../record/second-factor.store.ts";

const STEP_MS = 30_000;
const PUBLIC_URL = "http://localhost:9";

let database: TestDatabase;
let clock: ManualClock;
let app: App;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  clock = new ManualClock(new Date("2026-03-01T12:00:00Z"));
  app = accountApp({ handle: database.handle, clock, publicUrl: PUBLIC_URL });
});
afterEach(() => app.close());

/** The authenticator app's code at a given time. */
function codeOf(secret: string, stepsLater = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(" ", "")) });
  return totp.generate({ timestamp: clock.now().getTime() + stepsLater * STEP_MS });
}

let made = 0;
const person = (to = app) => registered(to, `factor${(made += 1)}@example.com`);

/** A customer with an authenticator. Advances the clock so that the next code is a new one. */
async function withAuthenticator(to = app) {
  const owner = await person(to);
  const { browser, token } = owner;
  const setup = (await browser.request("POST", "/api/account/authenticator", { token })).json<{ secret: string; uri: string }>();
  const confirmed = await browser.request("POST", "/api/account/authenticator/confirm", {
    token,
    payload: { code: codeOf(setup.secret) },
  });
  expect(confirmed.statusCode).toBe(200);
  clock.advance(2 * STEP_MS);
  return { ...owner, secret: setup.secret, recoveryCodes: confirmed.json<{ recovery_codes: string[] }>().recovery_codes };
}

const signIn = (email: string, browser = new TestBrowser(app)) =>
  browser.request("POST", "/api/login", { payload: { email, password: PASSWORD } });
const finish = (challenge: string, code: string, browser = new TestBrowser(app)) =>
  browser.request("POST", "/api/login/second-factor", { payload: { challenge, code } });
async function challengeFor(email: string): Promise<string> {
  return (await signIn(email)).json<{ second_factor: { challenge: string } }>().second_factor.challenge;
}

describe("setting up", () => {
  test("shows the same secret as text, link and QR code", async () => {
    const { browser, token, email } = await person();
    const answer = await browser.request("POST", "/api/account/authenticator", { token });
    expect(answer.statusCode).toBe(201);
    const { secret, uri, qr } = answer.json();
    expect(secret).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    const url = new URL(uri);
    expect(decodeURIComponent(url.pathname)).toContain(`Farline:${email}`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      issuer: "Farline",
      secret: secret.replaceAll(" ", ""),
      period: "30",
    });
    expect(qr).toEqual(qrPath(uri));
  });

  test("is not enforced before the first code is confirmed", async () => {
    const { browser, token, email } = await person();
    await browser.request("POST", "/api/account/authenticator", { token });
    expect((await signIn(email)).json()).toHaveProperty("token");
    const wrong = await browser.request("POST", "/api/account/authenticator/confirm", { token, payload: { code: "000000" } });
    expect(wrong.statusCode).toBe(422);
    expect(wrong.json()).toMatchObject({ code: "code_wrong", errors: { code: [expect.any(String)] } });
    expect((await signIn(email)).json()).toHaveProperty("token");
  });

  test("shows ten recovery codes once and mails the owner", async () => {
    const owner = await withAuthenticator();
    expect(new Set(owner.recoveryCodes).size).toBe(10);
    const { rows } = await sql`select from recovery_code where customer_id = ${owner.id}`.execute(database.handle.db);
    expect(rows).toHaveLength(10);
    const methods = (await owner.browser.request("GET", "/api/account/sign-in-methods", { token: owner.token })).json();
    expect(methods.authenticator).toEqual({ since: "2026-03-01T12:00:00.000Z", recovery_codes_left: 10 });
    expect(await securityTrail(database.handle, owner.id)).toEqual({ events: ["two_factor_on"], notices: ["two_factor_on"] });
  });

  test("the secret is not stored in plain text", async () => {
    const owner = await withAuthenticator();
    const { rows } = await sql<any>`select secret from authenticator where customer_id = ${owner.id}`.execute(database.handle.db);
    const plain = owner.secret.replaceAll(" ", "");
    expect(rows[0].secret.includes(Buffer.from(plain))).toBe(false);
    expect(rows[0].secret.includes(Buffer.from(Secret.fromBase32(plain).bytes))).toBe(false);
  });

  test("a second authenticator is refused; an unconfirmed one is replaced", async () => {
    const { browser, token } = await person();
    const first = (await browser.request("POST", "/api/account/authenticator", { token })).json<{ secret: string }>();
    const second = (await browser.request("POST", "/api/account/authenticator", { token })).json<{ secret: string }>();
    const confirm = (secret: string) =>
      browser.request("POST", "/api/account/authenticator/confirm", { token, payload: { code: codeOf(secret) } });
    expect((await confirm(first.secret)).statusCode).toBe(422);
    expect((await confirm(second.secret)).statusCode).toBe(200);
    expect((await browser.request("POST", "/api/account/authenticator", { token })).statusCode).toBe(409);
    expect((await confirm(second.secret)).statusCode).toBe(409);
  });

  test("confirming or removing a missing authenticator conflicts and keeps an unconfirmed secret", async () => {
    const { browser, token } = await person();
    const request = async (method: "POST" | "DELETE", path: string, payload?: object) =>
      (await browser.request(method, `/api/account/authenticator${path}`, { token, payload })).statusCode;
    const undo = async () => [await request("POST", "/recovery-codes"), await request("DELETE", "")];
    expect([await request("POST", "/confirm", { code: "000000" }), ...(await undo())]).toEqual([409, 409, 409]);
    const { secret } = (await browser.request("POST", "/api/account/authenticator", { token })).json<{ secret: string }>();
    expect([...(await undo()), await request("POST", "/confirm", { code: codeOf(secret) })]).toEqual([409, 409, 200]);
  });

  test("no code is valid before a secret is confirmed", async () => {
    const { browser, token, ...customer } = { ...(await person()), name: "Ada", language: "en" as const };
    const given = { customer, from: { device: "iPad", network: "203.0.113.x" }, now: clock.now() };
    const use = (code: string) => consumeCode(database.handle.db, SECRET_KEYS, { ...given, code });
    expect(await use("000000")).toBe(false);
    const { secret } = (await browser.request("POST", "/api/account/authenticator", { token })).json<{ secret: string }>();
    expect(await use(codeOf(secret))).toBe(false);
  });

  test.each([
    ["POST", "/api/account/authenticator"],
    ["POST", "/api/account/authenticator/recovery-codes"],
    ["DELETE", "/api/account/authenticator"],
  ] as const)("%s %s requires re-authentication ten minutes after sign-in", async (method, url) => {
    const { browser, token } = await person();
    clock.advance(10 * 60_000);
    const late = await browser.request(method, url, { token });
    expect(late.statusCode).toBe(403);
    expect(late.json().code).toBe("reauth_required");
    await browser.request("POST", "/api/reauthenticate", { token, payload: { current_password: PASSWORD } });
    expect((await browser.request(method, url, { token })).statusCode).not.toBe(403);
  });
});

describe("signing in", () => {
  test("the password alone yields a challenge, the code yields the session, also in other digits and pasted with words", async () => {
    const owner = await withAuthenticator();
    const browser = new TestBrowser(app);
    const first = await signIn(owner.email, browser);
    expect(first.statusCode).toBe(200);
    expect(first.json()).toEqual({
      second_factor: {
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        methods: ["authenticator", "recovery_code"],
        expires_at: new Date(clock.now().getTime() + 600_000).toISOString(),
      },
    });
    const arabic = codeOf(owner.secret).replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
    const done = await finish(first.json().second_factor.challenge, `رمزك هو ${arabic}.`, browser);
    expect(done.statusCode).toBe(200);
    expect(done.json()).toMatchObject({ token: expect.stringMatching(/^fl_/), user: { id: owner.id, email: owner.email } });
    expect((await browser.request("GET", "/api/user", { token: done.json().token })).statusCode).toBe(200);
  });

  test("a challenge works for one sign-in", async () => {
    const owner = await withAuthenticator();
    const challenge = await challengeFor(owner.email);
    expect((await finish(challenge, codeOf(owner.secret))).statusCode).toBe(200);
    clock.advance(STEP_MS);
    expect((await finish(challenge, codeOf(owner.secret))).json().code).toBe("sign_in_expired");
  });

  test.each([
    [-2, 422],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 422],
  ])("a code %i steps off gets %i", async (steps, status) => {
    const owner = await withAuthenticator();
    clock.advance(2 * STEP_MS);
    expect((await finish(await challengeFor(owner.email), codeOf(owner.secret, steps))).statusCode).toBe(status);
  });

  test("no code works twice or after a later one", async () => {
    const owner = await withAuthenticator();
    const use = async (steps: number) => (await finish(await challengeFor(owner.email), codeOf(owner.secret, steps))).statusCode;
    expect(await use(0)).toBe(200);
    expect(await use(0)).toBe(422);
    expect(await use(1)).toBe(200);
    expect(await use(0)).toBe(422);
    clock.advance(STEP_MS);
    expect(await use(0)).toBe(422);
    expect(await use(1)).toBe(200);
  });

  test("of two parallel codes for one challenge, one signs in", async () => {
    const owner = await withAuthenticator();
    const challenge = await challengeFor(owner.email);
    const codes = [codeOf(owner.secret), owner.recoveryCodes[0] ?? "", owner.recoveryCodes[1] ?? ""];
    const answers = await Promise.all(codes.map((code) => finish(challenge, code)));
    expect(answers.map((answer) => answer.statusCode).toSorted((a, b) => a - b)).toEqual([200, 422, 422]);
  });

  test("of two parallel sign-ins with one code, one succeeds", async () => {
    const owner = await withAuthenticator();
    const challenges = [await challengeFor(owner.email), await challengeFor(owner.email)];
    const answers = await Promise.all(challenges.map((challenge) => finish(challenge, codeOf(owner.secret))));
    expect(answers.map((answer) => answer.statusCode).toSorted((a, b) => a - b)).toEqual([200, 422]);
  });

  test("a recovery code works once, in any format", async () => {
    const owner = await withAuthenticator();
    const code = owner.recoveryCodes[3] ?? "";
    const typed = ` ${code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
    expect((await finish(await challengeFor(owner.email), typed)).statusCode).toBe(200);
    expect((await finish(await challengeFor(owner.email), code)).json().code).toBe("code_wrong");
    const told = ["two_factor_on", "recovery_code_used"];
    expect(await securityTrail(database.handle, owner.id)).toEqual({ events: [...told, "second_factor_failed"], notices: told });
    const methods = (await owner.browser.request("GET", "/api/account/sign-in-methods", { token: owner.token })).json();
    expect(methods.authenticator.recovery_codes_left).toBe(9);
  });

  test("another customer's recovery code is refused", async () => {
    const [owner, other] = [await withAuthenticator(), await withAuthenticator()];
    expect((await finish(await challengeFor(owner.email), other.recoveryCodes[0] ?? "")).json().code).toBe("code_wrong");
  });

  test("a challenge ends after ten minutes, and after five wrong codes", async () => {
    const owner = await withAuthenticator();
    const late = await challengeFor(owner.email);
    clock.advance(10 * 60_000);
    expect((await finish(late, codeOf(owner.secret))).json().code).toBe("sign_in_expired");
    const guessed = await challengeFor(owner.email);
    for (let tries = 0; tries < 5; tries += 1) expect((await finish(guessed, "000000")).json().code).toBe("code_wrong");
    expect((await finish(guessed, codeOf(owner.secret))).json().code).toBe("sign_in_expired");
    expect((await finish("unknown", codeOf(owner.secret))).json().code).toBe("sign_in_expired");
  });

  test("a customer has five code attempts in ten minutes, across sign-ins and in parallel", async () => {
    const limited = accountApp({ handle: database.handle, clock, publicUrl: PUBLIC_URL, limitsScale: 1 });
    const owner = await withAuthenticator(limited);
    const challenges = await Promise.all(Array.from({ length: 3 }, () => challengeFor(owner.email)));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => finish(challenges[at % 3] ?? "", "000000", new TestBrowser(limited))),
    );
    expect(answers.filter((answer) => answer.json().code === "code_wrong")).toHaveLength(5);
    const right = await finish(challenges[0] ?? "", codeOf(owner.secret), new TestBrowser(limited));
    expect(right.statusCode).toBe(429);
    expect(Number(right.headers["retry-after"])).toBeGreaterThan(0);
    await limited.close();
  });
});

describe("removing", () => {
  test("new recovery codes invalidate the old ones", async () => {
    const owner = await withAuthenticator();
    const answer = await owner.browser.request("POST", "/api/account/authenticator/recovery-codes", { token: owner.token });
    const { recovery_codes: fresh } = answer.json<{ recovery_codes: string[] }>();
    expect(fresh).toHaveLength(10);
    expect((await finish(await challengeFor(owner.email), owner.recoveryCodes[0] ?? "")).statusCode).toBe(422);
    expect((await finish(await challengeFor(owner.email), fresh[0] ?? "")).statusCode).toBe(200);
  });

  test("without the authenticator the password suffices, and pending challenges end", async () => {
    const owner = await withAuthenticator();
    const waiting = await challengeFor(owner.email);
    expect((await owner.browser.request("DELETE", "/api/account/authenticator", { token: owner.token })).statusCode).toBe(204);
    expect((await finish(waiting, codeOf(owner.secret))).json().code).toBe("sign_in_expired");
    expect((await signIn(owner.email)).json()).toHaveProperty("token");
    expect((await owner.browser.request("DELETE", "/api/account/authenticator", { token: owner.token })).statusCode).toBe(409);
    expect(await securityTrail(database.handle, owner.id)).toEqual({
      events: ["two_factor_on", "two_factor_off"],
      notices: ["two_factor_on", "two_factor_off"],
    });
  });

  test("authenticators sealed with an older service secret still work after a rotation", async () => {
    const older = { id: "older", secret: randomBytes(32) };
    const before = accountApp({ handle: database.handle, clock, publicUrl: PUBLIC_URL, secretKeys: [older] });
    const owner = await withAuthenticator(before);
    const after = accountApp({
      handle: database.handle,
      clock,
      publicUrl: PUBLIC_URL,
      secretKeys: [{ id: "newer", secret: randomBytes(32) }, older],
    });
    const challenge = (await signIn(owner.email, new TestBrowser(after))).json().second_factor.challenge;
    expect((await finish(challenge, codeOf(owner.secret), new TestBrowser(after))).statusCode).toBe(200);
    await Promise.all([before.close(), after.close()]);
  });
});

test("one customer's changes do not affect other customers' second factors", async () => {
  const [owner, other, starting] = [await withAuthenticator(), await withAuthenticator(), await person()];
  const { secret } = (await starting.browser.request("POST", "/api/account/authenticator", { token: starting.token })).json<{
    secret: string;
  }>();
  const waiting = [await challengeFor(other.email), await challengeFor(other.email)];
  await owner.browser.request("POST", "/api/account/authenticator/recovery-codes", { token: owner.token });
  expect((await finish(await challengeFor(owner.email), codeOf(owner.secret))).statusCode).toBe(200);
  await owner.browser.request("DELETE", "/api/account/authenticator", { token: owner.token });
  // The same time step and equally old recovery codes as the other customer.
  expect((await finish(waiting[0] ?? "", codeOf(other.secret))).statusCode).toBe(200);
  expect((await finish(waiting[1] ?? "", other.recoveryCodes[0] ?? "")).statusCode).toBe(200);
  const confirm = { token: starting.token, payload: { code: codeOf(secret) } };
  expect((await starting.browser.request("POST", "/api/account/authenticator/confirm", confirm)).statusCode).toBe(200);
  const undo = await other.browser.request("DELETE", "/api/account/authenticator", { token: other.token });
  expect(undo.statusCode).toBe(204);
});

test("the cleanup job ends pending sign-ins when they expire, not before", async () => {
  const owner = await withAuthenticator();
  const challenge = await challengeFor(owner.email);
  clock.advance(10 * 60_000 - 1);
  await deleteExpiredChallenges(database.handle.db, clock.now(), new AbortController().signal);
  expect((await finish(challenge, codeOf(owner.secret))).statusCode).toBe(200);
  await challengeFor(owner.email);
  clock.advance(10 * 60_000);
  await deleteExpiredChallenges(database.handle.db, clock.now(), new AbortController().signal);
  const { rows } = await sql<any>`select from sign_in_challenge where customer_id = ${owner.id}`.execute(database.handle.db);
  expect(rows).toEqual([]);
});

describe("re-authentication", () => {
  const remove = (owner: { browser: TestBrowser; token: string }) =>
    owner.browser.request("DELETE", "/api/account/authenticator", { token: owner.token });
  const prove = (owner: { browser: TestBrowser; token: string }, payload: object) =>
    owner.browser.request("POST", "/api/reauthenticate", { token: owner.token, payload });

  test("requires password and code if an authenticator is in use", async () => {
    const owner = await withAuthenticator();
    clock.advance(10 * 60_000);
    const alone = await prove(owner, { current_password: PASSWORD });
    expect([alone.statusCode, alone.json().errors]).toEqual([422, { code: ["Enter the code from your authenticator app."] }]);
    expect((await prove(owner, { current_password: PASSWORD, code: "000000" })).json().code).toBe("code_wrong");
    const guessed = await prove(owner, { current_password: "wrong horse battery", code: codeOf(owner.secret) });
    expect(guessed.json().code).toBe("credentials_wrong");
    expect((await remove(owner)).json().code).toBe("reauth_required");
    expect((await prove(owner, { current_password: PASSWORD, code: codeOf(owner.secret) })).statusCode).toBe(204);
    expect((await remove(owner)).statusCode).toBe(204);
  });

  test("counts only for its own session", async () => {
    const owner = await person();
    const other = new TestBrowser(app);
    const { token } = (await signIn(owner.email, other)).json<{ token: string }>();
    clock.advance(10 * 60_000);
    expect((await prove(owner, { current_password: PASSWORD })).statusCode).toBe(204);
    expect((await remove({ browser: other, token })).json().code).toBe("reauth_required");
  });

  test("accepts a recovery code once, and tells the owner", async () => {
    const owner = await withAuthenticator();
    clock.advance(10 * 60_000);
    const answer = () => prove(owner, { current_password: PASSWORD, code: owner.recoveryCodes[0] });
    expect([(await answer()).statusCode, (await answer()).json().code]).toEqual([204, "code_wrong"]);
    expect((await securityTrail(database.handle, owner.id)).notices).toEqual(["two_factor_on", "recovery_code_used"]);
  });

  test("is not granted by a password within another change, nor extended by a new password", async () => {
    const owner = await withAuthenticator();
    const email = { email: "moved@example.com", current_password: PASSWORD };
    const password = {
      current_password: PASSWORD,
      password: "seven blue umbrellas",
      password_confirmation: "seven blue umbrellas",
    };
    const change = (url: string, payload: object) => owner.browser.request("POST", url, { token: owner.token, payload });
    clock.advance(8 * 60_000);
    expect((await change("/api/password", password)).statusCode).toBe(204);
    clock.advance(2 * 60_000);
    expect((await remove(owner)).json().code).toBe("reauth_required");
    for (const [url, payload] of [
      ["/api/email/change", { ...email, current_password: password.password }],
      ["/api/password", { ...password, current_password: password.password }],
    ] as const)
      expect((await change(url, payload)).json().code).toBe("reauth_required");
    expect((await remove(owner)).json().code).toBe("reauth_required");
  });

  test("is required of sessions opened by password before the authenticator was added", async () => {
    const owner = await person();
    const thief = new TestBrowser(app);
    const { token } = (await signIn(owner.email, thief)).json<{ token: string }>();
    const setup = (await owner.browser.request("POST", "/api/account/authenticator", { token: owner.token })).json();
    const payload = { code: codeOf(setup.secret) };
    await owner.browser.request("POST", "/api/account/authenticator/confirm", { token: owner.token, payload });
    expect((await remove({ browser: thief, token })).json().code).toBe("reauth_required");
    expect((await prove({ browser: thief, token }, { current_password: PASSWORD })).statusCode).toBe(422);
    expect((await remove(owner)).statusCode).toBe(204);
  });
});
