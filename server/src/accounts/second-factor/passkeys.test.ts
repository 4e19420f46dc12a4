import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { accountApp, PASSWORD, registered, securityTrail, TestBrowser } from "../../../test/worlds/account-app.ts";
import { SoftwareAuthenticator } from "../../../test/fakes/software-authenticator.ts";
import { ManualClock } from "../../../test/manual-clock.ts";
import type { App } from "../../platform/http/http.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";

const PUBLIC_URL = "http://localhost:9";
const REFUSED = "This passkey did not work. Try again, or sign in another way.";

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

let made = 0;
const person = () => registered(app, `passkey${(made += 1)}@example.com`);
type Person = Awaited<ReturnType<typeof person>>;
type Forgery = Parameters<SoftwareAuthenticator["create"]>[1];

async function optionsFor(who: Person): Promise<Record<string, any>> {
  return (await who.browser.request("POST", "/api/account/passkeys/options", { token: who.token })).json().options;
}

async function add(
  who: Person,
  authenticator: SoftwareAuthenticator,
  more: { lie?: Forgery; name?: string; options?: object } = {},
) {
  const options = more.options ?? (await optionsFor(who));
  const payload = { name: more.name ?? "My phone", credential: authenticator.create(options, more.lie) };
  return who.browser.request("POST", "/api/account/passkeys", { token: who.token, payload });
}

async function signIn(authenticator: SoftwareAuthenticator, lie: Forgery = {}, options?: Record<string, any>) {
  const browser = new TestBrowser(app);
  const asked = options ?? (await browser.request("POST", "/api/login/passkey/options")).json().options;
  return browser.request("POST", "/api/login/passkey", { payload: { credential: authenticator.get(asked, lie) } });
}

/** A customer with a passkey. */
async function withPasskey() {
  const who = await person();
  const authenticator = new SoftwareAuthenticator(PUBLIC_URL);
  const answer = await add(who, authenticator);
  expect(answer.statusCode).toBe(201);
  return { ...who, authenticator, passkeyId: answer.json<{ id: string }>().id };
}

test("registration options name this site, an anonymous user id and user verification", async () => {
  const who = await person();
  const options = await optionsFor(who);
  expect(options).toMatchObject({
    rp: { id: "localhost", name: "Farline" },
    user: { name: who.email, displayName: "Ada Lovelace" },
    attestation: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: [],
  });
  expect(Buffer.from(options["user"].id, "base64url").toString("hex")).toBe(who.id.replaceAll("-", ""));
});

test("a passkey alone signs in, without address, password or code", async () => {
  const who = await withPasskey();
  const first = await signIn(who.authenticator);
  expect(first.statusCode).toBe(200);
  expect(first.json()).toMatchObject({ token: expect.stringMatching(/^fl_/), user: { id: who.id } });
  clock.advance(1000);
  expect((await signIn(who.authenticator)).statusCode).toBe(200);
  const methods = (await who.browser.request("GET", "/api/account/sign-in-methods", { token: who.token })).json();
  expect(methods.passkeys).toEqual([
    {
      id: who.passkeyId,
      name: "My phone",
      synced: true,
      created_at: "2026-03-01T12:00:00.000Z",
      last_used_at: "2026-03-01T12:00:01.000Z",
    },
  ]);
});

test("adding one mails the owner and excludes a second one on the same authenticator", async () => {
  const who = await withPasskey();
  expect(await securityTrail(database.handle, who.id)).toEqual({ events: ["passkey_added"], notices: ["passkey_added"] });
  const { excludeCredentials } = await optionsFor(who);
  expect(excludeCredentials).toEqual([
    { id: who.authenticator.credentials[0]?.id.toString("base64url"), transports: ["internal"], type: "public-key" },
  ]);
});

const FORGERIES: [string, Forgery][] = [
  ["from another site", { origin: "https://farline.evil.example" }],
  ["made for another site", { rpId: "evil.example" }],
  ["for another challenge", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
  ["of another kind", { type: "payment.get" }],
  ["without having checked its person", { unverified: true }],
];

test.each(FORGERIES)("a new passkey %s is refused", async (_what, lie) => {
  const who = await person();
  const answer = await add(who, new SoftwareAuthenticator(PUBLIC_URL), { lie });
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({ code: "passkey_refused", message: REFUSED });
});

test.each([
  ...FORGERIES,
  ["signed with another key", { wrongKey: true }],
  ["that names another person", { userHandle: Buffer.alloc(16, 1).toString("base64url") }],
  ["whose counter decreases, as a clone's would", { signCount: 1 }],
] as [string, Forgery][])("a sign-in %s is refused", async (_what, lie) => {
  const { authenticator } = await withPasskey();
  for (let times = 0; times < 2; times += 1) expect((await signIn(authenticator)).statusCode).toBe(200);
  const answer = await signIn(authenticator, lie);
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({ code: "passkey_refused", message: REFUSED });
});

test("a challenge works once, for five minutes and for its own purpose", async () => {
  const who = await withPasskey();
  const request = async () => (await new TestBrowser(app).request("POST", "/api/login/passkey/options")).json().options;
  const once = await request();
  expect((await signIn(who.authenticator, {}, once)).statusCode).toBe(200);
  expect((await signIn(who.authenticator, {}, once)).statusCode).toBe(422);
  expect((await signIn(who.authenticator, {}, await optionsFor(who))).statusCode).toBe(422);
  const late = await request();
  clock.advance(5 * 60_000);
  expect((await signIn(who.authenticator, {}, late)).statusCode).toBe(422);
  const [one, other] = [await person(), await person()];
  const options = await optionsFor(one);
  expect((await add(other, new SoftwareAuthenticator(PUBLIC_URL), { options })).statusCode).toBe(422);
});

test("the same signature sent twice in parallel signs in once", async () => {
  const who = await withPasskey();
  const browser = new TestBrowser(app);
  const { options } = (await browser.request("POST", "/api/login/passkey/options")).json();
  const payload = { credential: who.authenticator.get(options) };
  const answers = await Promise.all(Array.from({ length: 4 }, () => browser.request("POST", "/api/login/passkey", { payload })));
  expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1);
});

test("of an authenticator and its clone with the same counter in parallel, one signs in", async () => {
  const who = await withPasskey();
  const tries = Array.from({ length: 4 }, () => signIn(who.authenticator, { signCount: 7 }));
  expect((await Promise.all(tries)).filter((answer) => answer.statusCode === 200)).toHaveLength(1);
});

test("an authenticator without a counter signs in repeatedly", async () => {
  const who = await withPasskey();
  for (let times = 0; times < 2; times += 1) expect((await signIn(who.authenticator, { signCount: 0 })).statusCode).toBe(200);
});

test("an unknown passkey is refused with the same message", async () => {
  const stranger = new SoftwareAuthenticator(PUBLIC_URL);
  stranger.create(await optionsFor(await person()));
  expect((await signIn(stranger)).json().message).toBe(REFUSED);
});

test.each([
  ["no name", { name: "  " }],
  ["a name too long", { name: "x".repeat(61) }],
  ["no credential", { credential: undefined }],
  ["a credential of nonsense", { credential: { id: "!", rawId: 1, type: "public-key", response: {} } }],
])("%s gets a clear error and adds nothing", async (_what, change) => {
  const who = await person();
  const payload = { name: "Phone", credential: new SoftwareAuthenticator(PUBLIC_URL).create(await optionsFor(who)), ...change };
  const answer = await who.browser.request("POST", "/api/account/passkeys", { token: who.token, payload });
  expect(answer.statusCode).toBe(422);
  expect(answer.json().code).toBe("validation_failed");
});

test("client data that is not JSON is refused", async () => {
  const { authenticator } = await withPasskey();
  const { options } = (await new TestBrowser(app).request("POST", "/api/login/passkey/options")).json();
  const credential = authenticator.get(options);
  credential.response.clientDataJSON = Buffer.from("{nonsense").toString("base64url");
  const answer = await new TestBrowser(app).request("POST", "/api/login/passkey", { payload: { credential } });
  expect(answer.json().message).toBe(REFUSED);
});

test("adding and removing require re-authentication ten minutes after sign-in", async () => {
  const who = await withPasskey();
  clock.advance(10 * 60_000);
  for (const [method, url] of [
    ["POST", "/api/account/passkeys/options"],
    ["DELETE", `/api/account/passkeys/${who.passkeyId}`],
  ] as const)
    expect((await who.browser.request(method, url, { token: who.token })).json().code).toBe("reauth_required");
});

test("a removed passkey is refused, and nobody can remove another customer's", async () => {
  const [who, other] = [await withPasskey(), await person()];
  const remove = (by: Person, id = who.passkeyId) =>
    by.browser.request("DELETE", `/api/account/passkeys/${id}`, { token: by.token });
  expect((await remove(other)).statusCode).toBe(404);
  expect((await remove(who, "nonsense")).statusCode).toBe(404);
  expect((await signIn(who.authenticator)).statusCode).toBe(200);
  expect((await remove(who)).statusCode).toBe(204);
  expect((await signIn(who.authenticator)).statusCode).toBe(422);
  expect((await securityTrail(database.handle, who.id)).notices).toEqual(["passkey_added", "passkey_removed"]);
});

test("the last sign-in method cannot be removed", async () => {
  const who = await withPasskey();
  await sql`update customer set password_hash = null where id = ${who.id}`.execute(database.handle.db);
  const answer = await who.browser.request("DELETE", `/api/account/passkeys/${who.passkeyId}`, { token: who.token });
  expect(answer.statusCode).toBe(409);
  expect(answer.json().code).toBe("last_sign_in_method");
  expect((await signIn(who.authenticator)).statusCode).toBe(200);
});

test("a passkey may complete a sign-in that waits for a code", async () => {
  const who = await withPasskey();
  await sql`insert into authenticator (customer_id, secret, secret_key, created_at, confirmed_at) values (${who.id}, '\\x00', 'test', ${clock.now()}, ${clock.now()})`.execute(
    database.handle.db,
  );
  const answer = await new TestBrowser(app).request("POST", "/api/login", { payload: { email: who.email, password: PASSWORD } });
  expect(answer.json().second_factor.methods).toEqual(["authenticator", "passkey"]);
  expect((await signIn(who.authenticator)).json()).toHaveProperty("token");
});

test("a passkey can be removed if another one or Google is left", async () => {
  const who = await withPasskey();
  const second = await add(who, new SoftwareAuthenticator(PUBLIC_URL));
  await sql`update customer set password_hash = null where id = ${who.id}`.execute(database.handle.db);
  const remove = async (id: string) =>
    (await who.browser.request("DELETE", `/api/account/passkeys/${id}`, { token: who.token })).statusCode;
  expect(await remove(second.json().id)).toBe(204);
  expect((await signIn(who.authenticator)).statusCode).toBe(200);
  expect(await remove(who.passkeyId)).toBe(409);
  await sql`insert into identity (issuer, subject, customer_id, email, linked_at) values ('google', ${who.id}::text, ${who.id}::uuid, ${who.email}, ${clock.now()})`.execute(
    database.handle.db,
  );
  expect(await remove(who.passkeyId)).toBe(204);
});

test("an already registered passkey is refused", async () => {
  const [owner, who] = [await withPasskey(), await person()];
  const credential = new SoftwareAuthenticator(PUBLIC_URL).create(await optionsFor(who));
  await sql`update passkey set credential_id = ${Buffer.from(credential.id, "base64url")} where id = ${owner.passkeyId}`.execute(
    database.handle.db,
  );
  const answer = await who.browser.request("POST", "/api/account/passkeys", {
    token: who.token,
    payload: { name: "Mine", credential },
  });
  expect([answer.statusCode, answer.json().code]).toEqual([409, "conflict"]);
});

test("passkeys have separate signature counters", async () => {
  const [one, other] = [await withPasskey(), await withPasskey()];
  for (let times = 0; times < 2; times += 1) expect((await signIn(other.authenticator)).statusCode).toBe(200);
  expect((await signIn(one.authenticator)).statusCode).toBe(200);
});

test.each([
  ["no", {}],
  ["an empty", { userHandle: "" }],
])("an authenticator that returns %s user handle signs in its customer", async (_, handle) => {
  const who = await withPasskey();
  const { options } = (await new TestBrowser(app).request("POST", "/api/login/passkey/options")).json();
  const { userHandle: __, ...response } = who.authenticator.get(options).response;
  const credential = { ...who.authenticator.get(options), response: { ...response, ...handle } };
  const answer = await new TestBrowser(app).request("POST", "/api/login/passkey", { payload: { credential } });
  expect(answer.statusCode).toBe(200);
});

test("an account has at most twenty passkeys, even when two are added in parallel", async () => {
  const who = await person();
  for (let count = 0; count < 19; count += 1)
    expect((await add(who, new SoftwareAuthenticator(PUBLIC_URL))).statusCode).toBe(201);
  const [first, second] = [await optionsFor(who), await optionsFor(who)];
  expect((await add(who, new SoftwareAuthenticator(PUBLIC_URL), { options: first })).statusCode).toBe(201);
  expect((await add(who, new SoftwareAuthenticator(PUBLIC_URL), { options: second })).statusCode).toBe(409);
  const answer = await who.browser.request("POST", "/api/account/passkeys/options", { token: who.token });
  expect(answer.statusCode).toBe(409);
});
