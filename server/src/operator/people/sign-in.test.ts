import { MINUTE_MS } from "@farline/domain/durations.ts";
import { requestCommandLine } from "./command-line.ts";
import { operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import { Secret, TOTP } from "otpauth";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp } from "../../../test/create-test-app.ts";
import { SoftwareAuthenticator } from "../../../test/fakes/software-authenticator.ts";
import { operatorToken } from "../../../test/operators.ts";
import { asOperator, testContext } from "../../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { TestBrowser } from "../../../test/worlds/account-app.ts";
import type { ServiceContext } from "../../context.ts";
import { ManualClock } from "../../../test/manual-clock.ts";
import type { App } from "../../platform/http/http.ts";
import { operatorGuard, operatorRoutes } from "../operator.ts";

const PUBLIC_URL = "http://localhost:9";
const PASSWORD = "seven blue umbrellas";

let database: TestDatabase;
let clock: ManualClock;
let ctx: ServiceContext;
let app: App;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 6 });
});
afterAll(() => database.close());
beforeEach(() => open(0));
afterEach(() => app.close());

function open(limitsScale: number): void {
  clock = new ManualClock(new Date("2026-03-01T12:00:00Z"));
  ctx = testContext({ handle: database.handle, clock, config: { publicUrl: PUBLIC_URL, limitsScale } });
  app = createTestApp({ log: ctx.log, trustedProxies: 0, guards: { operator: operatorGuard(ctx) } });
  operatorRoutes(app, ctx);
}

let invited = 0;

/** A new operator's browser, with the token of their link. */
async function invitation() {
  const email = `joan${(invited += 1)}@example.com`;
  const link = await operate(asOperator(ctx, "grace"), "invite-operator", {
    email,
    name: "Joan",
    role: "finance",
    reason: "New",
  });
  return { email, token: link!.url.split("#")[1] ?? "", browser: new TestBrowser(app) };
}

const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret.replaceAll(" ", "")) }).generate({ timestamp: clock.now().getTime() });

async function withPassword() {
  const { email, token, browser } = await invitation();
  const { secret } = (await browser.request("POST", "/api/operator/invitation/authenticator", { payload: { token } })).json();
  const payload = { token, password: PASSWORD, password_confirmation: PASSWORD, code: codeOf(secret) };
  const answer = await browser.request("POST", "/api/operator/invitation/password", { payload });
  const signIn = (more: { password?: string; code?: string; ip?: string } = {}, from = new TestBrowser(app)) =>
    from.request("POST", "/api/operator/sign-in", {
      payload: { email, password: PASSWORD, code: codeOf(secret), ...more },
      ...(more.ip === undefined ? {} : { ip: more.ip }),
    });
  return { email, token, browser, secret, answer, signIn };
}

const whoami = (browser: TestBrowser) => browser.request("GET", "/api/operator/session");

test("an invitation tells whom it is for, and is accepted once with a password and an authenticator", async () => {
  const { token, email, browser, answer } = await withPassword();
  expect(answer.json()).toMatchObject({
    operator: { email, name: "Joan", role: "finance" },
    rights: expect.arrayContaining(["money"]),
  });
  expect([answer.headers["set-cookie"]].flat().find((cookie) => cookie?.startsWith("__Host-operator"))).toMatch(
    /^__Host-operator=fo_[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  );
  expect((await whoami(browser)).json()).toMatchObject({ operator: { email } });
  const again = await new TestBrowser(app).request("POST", "/api/operator/invitation", { payload: { token } });
  expect([again.statusCode, again.json().code]).toEqual([422, "link_expired"]);
});

test("an invitation needs a good password and the authenticator's code, and expires after 15 minutes", async () => {
  const { email, token, browser } = await invitation();
  const payload = { token };
  expect((await browser.request("POST", "/api/operator/invitation", { payload })).json()).toEqual({
    email,
    name: "Joan",
    role: "finance",
  });
  const accept = async (more: object) =>
    (
      await browser.request("POST", "/api/operator/invitation/password", {
        payload: { token, password: PASSWORD, password_confirmation: PASSWORD, code: "123456", ...more },
      })
    ).json().code;
  expect(await accept({})).toBe("code_wrong");
  await browser.request("POST", "/api/operator/invitation/authenticator", { payload });
  expect(await accept({})).toBe("code_wrong");
  expect(await accept({ password: "password1", password_confirmation: "password1" })).toBe("validation_failed");
  clock.advance(15 * MINUTE_MS);
  expect(await accept({})).toBe("link_expired");
  expect((await whoami(browser)).statusCode).toBe(401);
});

test("signing in needs the address, the password and a fresh code, and says nothing about what is wrong", async () => {
  const { signIn } = await withPassword();
  // The code that accepted the invitation is used up.
  expect((await signIn()).json()).toMatchObject({
    code: "credentials_wrong",
    message: "The address, the password or the code is wrong.",
  });
  clock.advance(MINUTE_MS);
  const [wrongPassword, wrongCode] = [await signIn({ password: "wrong umbrellas" }), await signIn({ code: "000000" })];
  expect(wrongPassword.json().message).toBe(wrongCode.json().message);
  expect((await signIn()).statusCode).toBe(200);
  expect((await signIn()).statusCode).toBe(422);
});

test("five wrong attempts lock the sign-in, also with the right password from elsewhere", async () => {
  open(1);
  const { signIn } = await withPassword();
  clock.advance(MINUTE_MS);
  for (let i = 0; i < 5; i += 1)
    expect((await signIn({ password: "wrong umbrellas", ip: `198.51.100.${i}` })).statusCode).toBe(422);
  expect((await signIn({ ip: "198.51.101.1" })).statusCode).toBe(429);
  clock.advance(MINUTE_MS);
  expect((await signIn({ ip: "198.51.101.1" })).statusCode).toBe(200);
});

/** A stranger who knows the address uses up every attempt, from as many networks as they like. */
async function lockOut(signIn: Awaited<ReturnType<typeof withPassword>>["signIn"]): Promise<void> {
  for (let i = 0; i < 6; i += 1) await signIn({ password: "wrong umbrellas", ip: `198.51.100.${i}` });
  expect((await signIn({ ip: "198.51.101.1" })).statusCode).toBe(429);
}

test("strangers who lock an operator's sign-in lock neither their browser nor its step-up, from any network", async () => {
  open(1);
  const { browser, signIn } = await withPassword();
  clock.advance(MINUTE_MS);
  await lockOut(signIn);
  expect((await signIn({ ip: "203.0.113.7" }, browser)).statusCode).toBe(200);
  await browser.request("POST", "/api/operator/sign-out");
  clock.advance(MINUTE_MS);
  await lockOut(signIn);
  for (let i = 0; i < 20; i += 1)
    await new TestBrowser(app).request("POST", "/api/operator/sign-in", {
      payload: { email: `nobody${i}@example.com`, password: PASSWORD, code: "000000" },
      ip: "203.0.113.7",
    });
  expect((await signIn({ ip: "203.0.113.7" }, browser)).statusCode).toBe(200);
});

test("an operator's live session proves again who is there, also without the browser's cookie", async () => {
  open(1);
  const { browser, signIn } = await withPassword();
  delete browser.cookies["__Host-browser"];
  clock.advance(MINUTE_MS);
  await lockOut(signIn);
  expect((await signIn({}, browser)).statusCode).toBe(200);
});

test("a thief of an operator's browser has ten attempts in 15 minutes, and none once its sessions were ended", async () => {
  open(1);
  const { email, browser, signIn } = await withPassword();
  const thief = new TestBrowser(app);
  thief.cookies["__Host-browser"] = browser.cookies["__Host-browser"] ?? "";
  const other = await withPassword();
  await lockOut(other.signIn);
  expect((await other.signIn({}, thief)).statusCode).toBe(429);
  clock.advance(MINUTE_MS);
  for (let i = 0; i < 10; i += 1) expect((await signIn({ password: "wrong umbrellas" }, thief)).statusCode).toBe(422);
  expect((await signIn({}, thief)).statusCode).toBe(429);
  await lockOut(signIn);
  await operate(asOperator(ctx, "grace"), "end-operator-sessions", { operator: email, reason: "Stolen" });
  expect((await signIn({}, browser)).statusCode).toBe(429);
});

test("a network used up by strangers leaves an operator's passkey and an open invitation their own count", async () => {
  open(1);
  const { browser } = await withPassword();
  const { token } = await invitation();
  const stranger = new TestBrowser(app);
  const options = (from: TestBrowser) => from.request("POST", "/api/operator/sign-in/passkey/options");
  const look = (wanted: string) => stranger.request("POST", "/api/operator/invitation", { payload: { token: wanted } });
  for (let i = 0; i < 31; i += 1) {
    await options(stranger);
    await look(`fi_${i}`);
  }
  expect([(await options(stranger)).statusCode, (await look("fi_")).statusCode]).toEqual([429, 429]);
  expect([(await options(browser)).statusCode, (await look(token)).statusCode]).toEqual([200, 200]);
  for (let i = 0; i < 30; i += 1) await options(browser);
  expect((await options(browser)).statusCode).toBe(429);
});

test("signing in again proves who is there for five minutes, and ends the browser's earlier session", async () => {
  const { browser, signIn } = await withPassword();
  const { code } = await requestCommandLine(ctx, "joan@laptop");
  const confirm = async () => (await browser.request("POST", "/api/operator/command-line", { payload: { code } })).statusCode;
  const device = await browser.request("POST", "/api/operator/command-line/device", { payload: { code } });
  expect(device.json()).toEqual({ device: "joan@laptop" });
  clock.advance(6 * MINUTE_MS);
  expect(await confirm()).toBe(403);
  const stolen = { ...browser.cookies };
  await signIn({}, browser);
  expect(await confirm()).toBe(204);
  const thief = new TestBrowser(app);
  Object.assign(thief.cookies, stolen);
  expect((await whoami(thief)).statusCode).toBe(401);
});

test("signing out ends the session", async () => {
  const { browser } = await withPassword();
  const kept = { ...browser.cookies };
  expect((await browser.request("POST", "/api/operator/sign-out")).statusCode).toBe(204);
  expect(Object.keys(browser.cookies)).toEqual(["__Host-browser"]);
  Object.assign(browser.cookies, kept);
  expect((await whoami(browser)).statusCode).toBe(401);
});

test("a passkey made with the invitation signs in until its operator is removed", async () => {
  const { email, token, browser } = await invitation();
  const authenticator = new SoftwareAuthenticator(PUBLIC_URL);
  const { options } = (await browser.request("POST", "/api/operator/invitation/passkey/options", { payload: { token } })).json();
  expect(options.user).toMatchObject({ name: email, displayName: "Joan (operator)" });
  const payload = { token, credential: authenticator.create(options) };
  expect((await browser.request("POST", "/api/operator/invitation/passkey", { payload })).statusCode).toBe(200);
  const signIn = async () => {
    const elsewhere = new TestBrowser(app);
    const asked = (await elsewhere.request("POST", "/api/operator/sign-in/passkey/options")).json().options;
    return elsewhere.request("POST", "/api/operator/sign-in/passkey", { payload: { credential: authenticator.get(asked) } });
  };
  expect((await signIn()).json().operator.email).toBe(email);
  await operate(asOperator(ctx, "grace"), "remove-operator", { operator: email, reason: "Left" });
  expect((await signIn()).json().code).toBe("passkey_refused");
});

test("of two who open the same link at the same time, one becomes the operator", async () => {
  const { token, browser } = await invitation();
  const payloads = await Promise.all(
    [1, 2].map(async () => {
      const asked = await browser.request("POST", "/api/operator/invitation/passkey/options", { payload: { token } });
      return { token, credential: new SoftwareAuthenticator(PUBLIC_URL).create(asked.json().options) };
    }),
  );
  await database.warmUp();
  const answers = await Promise.all(
    payloads.map((payload) => new TestBrowser(app).request("POST", "/api/operator/invitation/passkey", { payload })),
  );
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 422]);
});

test("every sign-in is recorded with its way and place", async () => {
  const { signIn, email } = await withPassword();
  clock.advance(MINUTE_MS);
  await signIn();
  const { rows } = await sql<any>`select action, reason, detail from operation o
    where operator_id = (select id from operator where email = ${email}) order by id`.execute(database.handle.db);
  expect(rows).toEqual([
    expect.objectContaining({ action: "sign-in", reason: "Invitation accepted with a password and an authenticator" }),
    expect.objectContaining({
      action: "sign-in",
      reason: "Password and authenticator",
      detail: { device: expect.any(String), network: "127.0.0.x", amount_micros: "0", reach: 0 },
    }),
  ]);
});

test("a page of another origin of the same site cannot act as the operator", async () => {
  const { browser } = await withPassword();
  const answer = await app.inject({
    method: "POST",
    url: "/api/operator/sign-out",
    cookies: browser.cookies,
    headers: { "sec-fetch-site": "same-site" },
  });
  expect(answer.statusCode).toBe(403);
});

test("a command line asks by itself, is signed in by the console, and by its token alone", async () => {
  const asked = (
    await app.inject({ method: "POST", url: "/api/operator/command-line/request", payload: { device: "anna@laptop" } })
  ).json();
  const { browser } = await withPassword();
  const as = (token: string, url: string, method: "GET" | "POST" = "GET", payload?: object) =>
    app.inject({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload === undefined ? {} : { payload }) });
  expect((await as(asked.token, "/api/operator/session")).statusCode).toBe(401);
  const { device } = (
    await browser.request("POST", "/api/operator/command-line/device", { payload: { code: asked.code } })
  ).json();
  expect(device).toMatch(/^anna@laptop, 127\.0\.0/);
  await browser.request("POST", "/api/operator/command-line", { payload: { code: asked.code } });
  expect((await as(asked.token, "/api/operator/session")).json()).toMatchObject({ operator: { name: "Joan" } });

  // A cookie's token is none of a command line's, and no command line signs in the next one.
  const ofConsole = await operatorToken((text, values) => database.handle.pool.query(text, values), "grace", { at: clock.now() });
  expect((await as(ofConsole, "/api/operator/session")).statusCode).toBe(401);
  const next = await as(asked.token, "/api/operator/command-line", "POST", { code: asked.code });
  expect([next.statusCode, next.json().code]).toEqual([403, "forbidden"]);

  expect((await as(asked.token, "/api/operator/sign-out", "POST")).statusCode).toBe(204);
  expect((await as(asked.token, "/api/operator/session")).statusCode).toBe(401);
});

test("command lines that ask too often are refused, without an effect on the console", async () => {
  await app.close();
  open(1);
  const ask = () => app.inject({ method: "POST", url: "/api/operator/command-line/request", payload: { device: "a@b" } });
  const codes = [];
  for (let n = 0; n <= 30; n += 1) codes.push((await ask()).statusCode);
  expect([codes.filter((code) => code === 201).length, codes.at(-1)]).toEqual([30, 429]);
});
