import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountApp, PASSWORD, registered, securityTrail, TestBrowser } from "../../../test/worlds/account-app.ts";
import { startSandboxProcess, type SandboxProcess } from "../../../test/fakes/sandbox-process.ts";
import { visitGoogle, type GoogleChoice } from "../../../test/fakes/visit-google.ts";
import { ledger } from "../../ledger/ledger.ts";
import { ManualClock } from "../../../test/manual-clock.ts";
import type { App } from "../../platform/http/http.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { accountJobs } from "../accounts.ts";
import { NOTHING_ELSEWHERE, testContext } from "../../../test/test-context.ts";
import { createAccountContext } from "../accounts.ts";

const APP_URL = "http://localhost:9";
const CLIENT = { clientId: "farline-test", clientSecret: "a secret of the tests" };
const FAILED = "Failed to authenticate with Google. Please try again.";

let database: TestDatabase;
let sandbox: SandboxProcess;
let clock: ManualClock;
let app: App;

function build(issuer: string | null, limitsScale = 0): App {
  const google = issuer === null ? null : { ...CLIENT, issuer };
  return accountApp({ handle: database.handle, clock, publicUrl: APP_URL, google, limitsScale });
}

beforeAll(async () => {
  database = await testDatabase();
  clock = new ManualClock(new Date());
  sandbox = await startSandboxProcess({
    databaseUrl: database.url,
    stripeSecretKey: "sk_test_google",
    stripeWebhookSecret: "whsec_google",
    stripeWebhookUrl: "http://127.0.0.1:9/",
    google: { ...CLIENT, appUrl: APP_URL },
  });
  app = build(`${sandbox.url}/google`);
});
afterAll(async () => {
  await app?.close();
  await sandbox?.close();
  await database?.close();
});

function browser() {
  const here = new TestBrowser(app);
  const begin = async () => (await here.request("GET", "/api/auth/google/redirect")).json<{ url: string }>().url;
  const post = (payload: object) => here.request("POST", "/api/auth/google/callback", { payload });
  const signIn = async (choice: GoogleChoice, language?: string) => {
    const { query } = await visitGoogle(await begin(), choice);
    return post({ code: query["code"], state: query["state"], iss: query["iss"], language });
  };
  return { cookies: here.cookies, request: here.request.bind(here), begin, post, signIn };
}

let made = 0;
const newEmail = (domain = "company.example") => `caller${(made += 1)}@${domain}`;

/** A customer with a password and, by default, a verified address. */
async function person(verified = true) {
  const owner = await registered(app, newEmail());
  if (verified) await sql`update customer set email_verified = true where id = ${owner.id}`.execute(database.handle.db);
  const { browser: here } = owner;
  return { ...owner, post: (payload: object) => here.request("POST", "/api/auth/google/callback", { payload }) };
}

const eventsOf = async (customerId: string) => (await securityTrail(database.handle, customerId)).events;
const noticesTo = async (customerId: string) => (await securityTrail(database.handle, customerId)).notices;
const passwordWorks = async (email: string): Promise<boolean> =>
  (await browser().request("POST", "/api/login", { payload: { email, password: PASSWORD } })).statusCode === 200;

test("the redirect has state, nonce and PKCE bound to this browser", async () => {
  const { request } = browser();
  const answer = await request("GET", "/api/auth/google/redirect");
  const url = new URL(answer.json<{ url: string }>().url);
  expect(url.origin + url.pathname).toBe(`${sandbox.url}/google/auth`);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: CLIENT.clientId,
    redirect_uri: `${APP_URL}/auth/google/callback`,
    response_type: "code",
    scope: "openid email profile",
    code_challenge_method: "S256",
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    prompt: "select_account",
  });
  expect(answer.headers["set-cookie"]).toMatch(
    /^__Host-gflow=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
});

test("a new user gets an account in the page's language with a verified address, no password, and the same next time", async () => {
  const email = newEmail();
  const first = await browser().signIn({ person: "typed", email, mailbox: "elsewhere" }, "fr");
  expect(first.statusCode).toBe(200);
  const { user, token } = first.json();
  expect(user).toMatchObject({ email, email_verified: true, has_password: false, name: email.split("@")[0], language: "fr" });
  expect(token).toMatch(/^fl_/);
  expect((await ledger.balance(database.handle.db, user.id)).balanceMicros).toBe(0n);
  const again = await browser().signIn({ person: "typed", email, mailbox: "elsewhere" });
  expect(again.json().user.id).toBe(user.id);
  expect(again.json().token).not.toBe(token);
  expect(await eventsOf(user.id)).toEqual(["google_linked"]);
});

test("the specified client, which posts only the code, signs in", async () => {
  const here = browser();
  const { query } = await visitGoogle(await here.begin(), { person: "new" });
  const answer = await here.post({ code: query["code"] });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ user: { name: "Nia Newcomer" }, token: expect.stringMatching(/^fl_/) });
});

test("no token or secret of a sign-in is stored", async () => {
  const here = browser();
  const answer = await here.signIn({ person: "new" });
  const { rows } = await sql<any>`select * from google_flow order by created_at desc limit 1`.execute(database.handle.db);
  const stored = JSON.stringify(rows, (_key, value) =>
    value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value,
  );
  expect(stored).not.toContain(answer.json().token);
  expect(stored).not.toContain(here.cookies["__Host-gflow"]);
});

test("a cancelled sign-in gets the specified message and consumes the flow", async () => {
  const here = browser();
  const { query } = await visitGoogle(await here.begin(), { person: "cancel" });
  expect(query).toMatchObject({ error: "access_denied" });
  const answer = await here.post({ error: query["error"], state: query["state"] });
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({ code: "google_failed", message: "Google authentication was cancelled or failed." });
});

test("a missing code gets the specified message", async () => {
  const here = browser();
  await here.begin();
  const answer = await here.post({});
  expect(answer.statusCode).toBe(422);
  expect(answer.json().message).toBe("No authorization code received from Google.");
});

test("another user's code in a browser without a flow signs nobody in", async () => {
  const attacker = browser();
  const { query } = await visitGoogle(await attacker.begin(), { person: "new" });
  const victim = await browser().post(query);
  expect(victim.statusCode).toBe(422);
  expect(victim.json()).toMatchObject({ code: "google_failed", message: FAILED });
  expect((await attacker.post(query)).statusCode).toBe(200);
});

test("another user's code in a browser with its own flow is refused by Google", async () => {
  const attacker = browser();
  const { query: stolen } = await visitGoogle(await attacker.begin(), { person: "new" });
  const victim = browser();
  const own = new URL(await victim.begin()).searchParams.get("state");
  const answer = await victim.post({ code: stolen["code"], state: own });
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({ message: "Failed to authenticate with Google", error: "invalid_grant" });
});

test.each([
  ["state", { state: "another state" }],
  ["issuer", { iss: "https://accounts.evil.example" }],
])("a callback with another %s is refused", async (_what, change) => {
  const here = browser();
  const { query } = await visitGoogle(await here.begin(), { person: "new" });
  const answer = await here.post({ ...query, ...change });
  expect(answer.statusCode).toBe(422);
  expect(answer.json().message).toBe(FAILED);
});

test("a callback repeated in parallel or within 30 seconds gets one session", async () => {
  const here = browser();
  const { query } = await visitGoogle(await here.begin(), { person: "new" });
  const both = await Promise.all([here.post(query), here.post(query)]);
  const later = await here.post(query);
  const answers = [...both, later].map((answer) => answer.json());
  expect([...both, later].map((answer) => answer.statusCode)).toEqual([200, 200, 200]);
  expect(new Set(answers.map((answer) => answer.token)).size).toBe(1);
  const { rows } = await sql`select from session where customer_id = ${answers[0].user.id}`.execute(database.handle.db);
  expect(rows).toHaveLength(1);
});

test("a flow replayed after 30 seconds, by another browser or with another code is refused", async () => {
  const here = browser();
  const { query } = await visitGoogle(await here.begin(), { person: "new" });
  expect((await here.post(query)).statusCode).toBe(200);
  const cookie = here.cookies["__Host-gflow"] ?? "";
  expect((await browser().post(query)).json().message).toBe(FAILED);
  expect((await here.post({ ...query, code: "another" })).json().message).toBe(FAILED);
  clock.advance(31_000);
  here.cookies["__Host-gflow"] = cookie;
  expect((await here.post(query)).json().message).toBe(FAILED);
});

test("a flow older than ten minutes is refused", async () => {
  const here = browser();
  const { query } = await visitGoogle(await here.begin(), { person: "new" });
  clock.advance(10 * 60_000 + 1);
  expect((await here.post(query)).json().message).toBe(FAILED);
});

test("two tabs of one browser may sign in in parallel, in any order", async () => {
  const here = browser();
  const first = await visitGoogle(await here.begin(), { person: "new" });
  const second = await visitGoogle(await here.begin(), { person: "new" });
  expect((await here.post(second.query)).statusCode).toBe(200);
  expect((await here.post(first.query)).statusCode).toBe(200);
});

test("a browser has at most five open flows", async () => {
  const here = browser();
  const { query } = await visitGoogle(await here.begin(), { person: "new" });
  for (let more = 0; more < 5; more += 1) {
    clock.advance(1);
    await here.begin();
  }
  expect((await here.post(query)).json().message).toBe(FAILED);
});

test("an address unverified by Google is refused, whether registered here or not", async () => {
  const owner = await person();
  for (const email of [owner.email, newEmail()]) {
    const answer = await browser().signIn({ person: "typed", email, mailbox: "unverified" });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ code: "google_failed", message: expect.stringContaining("not verified") });
  }
  expect(await passwordWorks(owner.email)).toBe(true);
  expect(await eventsOf(owner.id)).toEqual(["google_refused"]);
});

test("a verified account is linked if Google hosts the mailbox, and its owner is notified", async () => {
  const owner = await person();
  const answer = await browser().signIn({ person: "typed", email: owner.email.toUpperCase(), mailbox: "google" });
  expect(answer.json().user).toMatchObject({ id: owner.id, email: owner.email, has_password: true });
  expect(await noticesTo(owner.id)).toEqual(["google_linked"]);
  expect(await eventsOf(owner.id)).toEqual(["google_linked"]);
  expect(await passwordWorks(owner.email)).toBe(true);
});

test("a verified account with a mailbox elsewhere must be linked by its signed-in owner", async () => {
  const owner = await person();
  const choice = { person: "typed", email: owner.email, mailbox: "elsewhere" } as const;
  const refused = await browser().signIn(choice);
  expect(refused.statusCode).toBe(409);
  expect(refused.json()).toMatchObject({ code: "google_link_needed" });
  const { url } = (await owner.browser.request("POST", "/api/account/google/link", { token: owner.token })).json();
  const { at, query } = await visitGoogle(url, choice);
  expect(at).toBe(`${APP_URL}/account/google/callback`);
  const linked = await owner.browser.request("POST", "/api/account/google/callback", { token: owner.token, payload: query });
  expect(linked.statusCode).toBe(204);
  expect((await browser().signIn(choice)).json().user.id).toBe(owner.id);
  expect(await eventsOf(owner.id)).toEqual(["google_refused", "google_linked"]);
});

test("the owner of an unverified address takes the account over and earlier access is revoked", async () => {
  const intruder = await person(false);
  const own = { person: "typed", email: newEmail(), mailbox: "google" } as const;
  const { url } = (await intruder.browser.request("POST", "/api/account/google/link", { token: intruder.token })).json();
  const { query: payload } = await visitGoogle(url, own);
  await intruder.browser.request("POST", "/api/account/google/callback", { token: intruder.token, payload });
  const answer = await browser().signIn({ person: "typed", email: intruder.email, mailbox: "elsewhere" });
  expect(answer.json().user).toMatchObject({ id: intruder.id, email_verified: true, has_password: false });
  expect(await passwordWorks(intruder.email)).toBe(false);
  expect((await browser().signIn(own)).json().user.id).not.toBe(intruder.id);
  expect(await eventsOf(intruder.id)).toEqual(["google_linked", "google_unlinked", "google_took_unverified"]);
  expect((await noticesTo(intruder.id)).at(-1)).toBe("address_proved");
});

test("an unverified account that has held money must be verified by mail first", async () => {
  const payer = await person(false);
  await ledger.credit(database.handle.db, {
    key: `google test ${payer.id}`,
    customerId: payer.id,
    kind: "top_up",
    amountMicros: 5_000_000n,
    referenceId: null,
    description: "Top-up",
  });
  const answer = await browser().signIn({ person: "typed", email: payer.email, mailbox: "google" });
  expect(answer.statusCode).toBe(409);
  expect(answer.json()).toMatchObject({ code: "google_link_needed", message: expect.stringContaining("Choose a new password") });
  expect(await passwordWorks(payer.email)).toBe(true);
});

test("a linked Google account keeps its customer after an address change", async () => {
  const email = newEmail();
  const { user } = (await browser().signIn({ person: "typed", email, mailbox: "google" })).json();
  const other = newEmail();
  await sql`update customer set email = ${other}, email_key = ${other} where id = ${user.id}`.execute(database.handle.db);
  const next = await registered(app, email);
  const again = await browser().signIn({ person: "typed", email, mailbox: "google" });
  expect(again.json().user).toMatchObject({ id: user.id, email: other });
  expect(again.json().user.id).not.toBe(next.id);
});

test("a new user in two browsers in parallel becomes one customer", async () => {
  const choice = { person: "typed", email: newEmail(), mailbox: "google" } as const;
  const browsers = Array.from({ length: 4 }, () => browser());
  const queries = await Promise.all(browsers.map(async (one) => (await visitGoogle(await one.begin(), choice)).query));
  const answers = await Promise.all(browsers.map((one, at) => one.post(queries[at] ?? {})));
  expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map((answer) => answer.json().user.id)).size).toBe(1);
});

test("linking requires a recent sign-in and must be finished by the customer who started it", async () => {
  const owner = await person();
  const choice = { person: "typed", email: newEmail(), mailbox: "google" } as const;
  const { url } = (await owner.browser.request("POST", "/api/account/google/link", { token: owner.token })).json();
  const { query } = await visitGoogle(url, choice);
  const other = await person();
  const crossed = await owner.browser.request("POST", "/api/account/google/callback", { token: other.token, payload: query });
  expect(crossed.json()).toMatchObject({ code: "google_failed", message: FAILED });
  const asSignIn = await owner.post(query);
  expect(asSignIn.json().message).toBe(FAILED);
  clock.advance(10 * 60_000);
  const late = await owner.browser.request("POST", "/api/account/google/link", { token: owner.token });
  expect(late.statusCode).toBe(403);
  expect(late.json().code).toBe("reauth_required");
});

test("a Google account links to one customer, and a customer to one Google account", async () => {
  const email = newEmail();
  await browser().signIn({ person: "typed", email, mailbox: "google" });
  const owner = await person();
  const connect = async (choice: GoogleChoice) => {
    const { url } = (await owner.browser.request("POST", "/api/account/google/link", { token: owner.token })).json();
    const { query } = await visitGoogle(url, choice);
    return owner.browser.request("POST", "/api/account/google/callback", { token: owner.token, payload: query });
  };
  expect((await connect({ person: "typed", email, mailbox: "google" })).statusCode).toBe(409);
  expect((await connect({ person: "new" })).statusCode).toBe(204);
  expect((await connect({ person: "new" })).statusCode).toBe(409);
});

test("Google cannot be unlinked as the only sign-in method; with a password it can", async () => {
  const here = browser();
  const { token, user } = (await here.signIn({ person: "new" })).json();
  const refused = await here.request("DELETE", "/api/account/google", { token });
  expect(refused.statusCode).toBe(409);
  expect(refused.json().code).toBe("last_sign_in_method");
  const methods = await here.request("GET", "/api/account/sign-in-methods", { token });
  expect(methods.json()).toMatchObject({ password: false, google: { email: user.email }, authenticator: null, passkeys: [] });
  const payload = { password: PASSWORD, password_confirmation: PASSWORD };
  const set = (await here.request("POST", "/api/password", { token, payload })).statusCode;
  expect(set).toBeLessThan(300);
  expect((await here.request("DELETE", "/api/account/google", { token })).statusCode).toBe(204);
  expect((await here.request("GET", "/api/account/sign-in-methods", { token })).json()).toMatchObject({
    password: true,
    google: null,
  });
  expect(await noticesTo(user.id)).toContain("google_unlinked");
});

test("without Google configured, its routes are unavailable", async () => {
  const without = build(null);
  const answer = await without.inject("/api/auth/google/redirect");
  expect(answer.statusCode).toBe(503);
  expect(answer.json().message).toBe("Signing in with Google is not available here.");
  await without.close();
});

test("an outage of Google is reported, and sign-in works again afterwards", async () => {
  const away = build("http://127.0.0.1:9/google");
  const answer = await away.inject("/api/auth/google/redirect");
  expect(answer.statusCode).toBe(503);
  expect(answer.json().message).toBe("Google cannot be reached right now. Try again in a moment.");
  await away.close();
});

test("too many attempts from one network must wait", async () => {
  const limited = build(`${sandbox.url}/google`, 1);
  const statuses: number[] = [];
  for (let tries = 0; tries < 31; tries += 1) statuses.push((await limited.inject("/api/auth/google/redirect")).statusCode);
  expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  expect(statuses.at(-1)).toBe(429);
  const callbacks: number[] = [];
  for (let tries = 0; tries < 21; tries += 1)
    callbacks.push(
      (await limited.inject({ method: "POST", url: "/api/auth/google/callback", payload: { code: "x" } })).statusCode,
    );
  expect(callbacks.at(-1)).toBe(429);
  await limited.close();
});

test("expired flows are deleted", async () => {
  await browser().begin();
  clock.advance(11 * 60_000);
  const ctx = createAccountContext(testContext({ handle: database.handle, clock }), NOTHING_ELSEWHERE);
  const [job] = accountJobs(ctx);
  await job?.run(new AbortController().signal);
  const { rows } = await sql<any>`select count(*) from google_flow`.execute(database.handle.db);
  expect(rows[0].count).toBe(0n);
});
