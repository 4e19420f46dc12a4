import { MINUTE_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountWorld, cookieOf, PASSWORD, PUBLIC_URL, type AccountWorld } from "../../../test/worlds/account-world.ts";
import { linkIn } from "../../../test/fakes/test-mailbox.ts";
import { deviceName, shortNetwork } from "./device-name.ts";
import { lockSession, touchSession } from "./session.store.ts";

const CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

let world: AccountWorld;
beforeAll(async () => {
  world = await accountWorld();
});
afterAll(() => world.close());

interface Device {
  id: string;
  device: string;
  network: string;
  current: boolean;
  signed_in_at: string;
  last_seen_at: string;
}
const list = async (token: string) =>
  ((await world.request("GET", "/api/sessions", undefined, { token })).json() as { sessions: Device[] }).sessions;
const isGood = async (token: string, headers = {}) =>
  (await world.request("GET", "/api/user", undefined, { token, headers })).statusCode === 200;

test("lists every signed-in device with its name, the current one first", async () => {
  const { email, token } = await world.signUp({}, { headers: { "user-agent": CHROME }, ip: "198.51.100.23" });
  world.clock.advance(MINUTE_MS);
  await world.signIn(email, PASSWORD, { headers: { "user-agent": IPHONE }, ip: "2001:db8:1:2::5" });
  await world.signUp();
  expect(await list(token)).toEqual([
    expect.objectContaining({ device: "Chrome on Windows", network: "198.51.100.x", current: true }),
    expect.objectContaining({ device: "Safari on iPhone", network: "2001:db8:1::x", current: false }),
  ]);
});

test("only the device in use is shown as just seen; expired ones are not listed", async () => {
  const { email, token } = await world.signUp();
  const other = (await world.signIn(email, PASSWORD)).json().token as string;
  const seen = async () => (await list(token)).map((one) => one.last_seen_at);
  const [now] = await seen();
  world.clock.advance(2 * MINUTE_MS);
  const later = world.clock.now();
  expect(await seen()).toEqual([later.toISOString(), now]);
  const { db } = world.database.handle;
  const [device] = await list(token);
  // A slow request carries the time of its start.
  await touchSession(db, device?.id ?? "", new Date(later.getTime() - 1));
  expect(await seen()).toEqual([later.toISOString(), now]);
  const { id } = (await list(other))[0] ?? { id: "" };
  await sql`update session set expires_at = ${later} where id = ${id}`.execute(db);
  expect(await list(token)).toHaveLength(1);
  await sql`update session set expires_at = expires_at + interval '1 day', last_seen_at = ${new Date(later.getTime() - 7 * 24 * 60 * MINUTE_MS)} where id = ${id}`.execute(
    db,
  );
  expect(await list(token)).toHaveLength(1);
});

test("a session that ended during its request cannot change sign-in methods", async () => {
  const { id, token } = await world.signUp();
  const [device] = await list(token);
  const lock = (sessionId: string) => world.database.handle.db.transaction().execute((tx) => lockSession(tx, { id, sessionId }));
  await lock(device?.id ?? "");
  await expect(lock(randomUUID())).rejects.toMatchObject({ code: "unauthenticated" });
});

test("signs out one device and no other", async () => {
  const { email, token } = await world.signUp();
  const others = [await world.signIn(email, PASSWORD), await world.signIn(email, PASSWORD)].map(
    (answer) => answer.json().token as string,
  );
  const gone = (await list(others[0] as string)).find((one) => one.current)?.id;
  expect((await world.request("DELETE", `/api/sessions/${gone}`, undefined, { token })).statusCode).toBe(204);
  expect(await Promise.all([token, ...others].map((one) => isGood(one)))).toEqual([true, false, true]);
  expect((await world.request("DELETE", `/api/sessions/${gone}`, undefined, { token })).statusCode).toBe(404);
});

test("another customer's device cannot be signed out", async () => {
  const [mine, theirs] = [await world.signUp(), await world.signUp()];
  const [device] = await list(theirs.token);
  for (const id of [device?.id, "nonsense", "00000000-0000-4000-8000-000000000000"]) {
    const answer = await world.request("DELETE", `/api/sessions/${id}`, undefined, { token: mine.token });
    expect([answer.statusCode, answer.json().code]).toEqual([404, "not_found"]);
  }
  expect(await isGood(theirs.token)).toBe(true);
});

test("signing out everywhere can keep or include the current device", async () => {
  const { email, token } = await world.signUp();
  const bystander = await world.signUp();
  const other = (await world.signIn(email, PASSWORD)).json().token as string;
  expect((await world.request("DELETE", "/api/sessions?keep_current=true", undefined, { token })).statusCode).toBe(204);
  expect([await isGood(token), await isGood(other)]).toEqual([true, false]);
  const answer = await world.request("DELETE", "/api/sessions", undefined, { token });
  expect([answer.statusCode, answer.headers["clear-site-data"]]).toEqual([204, '"cache"']);
  expect(await isGood(token)).toBe(false);
  expect(await isGood(bystander.token)).toBe(true);
});

test.each(["GET", "DELETE"] as const)("%s /api/sessions requires a session", async (method) => {
  expect((await world.request(method, "/api/sessions")).statusCode).toBe(401);
});

test("the browser cookie is HttpOnly and same-site", async () => {
  const { email } = await world.signUp();
  const [cookie] = [(await world.signIn(email, PASSWORD)).headers["set-cookie"] ?? []].flat();
  expect(cookie).toMatch(/^__Host-browser=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
});

test("the browser keeps its cookie for the next user", async () => {
  const { cookie } = await world.signUp();
  expect((await world.signUp({}, { headers: { cookie } })).cookie).toBe(cookie);
  expect((await world.signUp({}, { headers: { cookie: "__Host-browser=nonsense" } })).cookie).toMatch(
    /^__Host-browser=[\w-]{43}$/,
  );
});

test("a bound session ends when used in another browser, and the owner is notified", async () => {
  const { email, token, cookie } = await world.signUp({}, { headers: { "x-session-bind": "1" } });
  expect(await isGood(token, { cookie })).toBe(true);
  expect(await isGood(token)).toBe(false);
  expect(await isGood(token, { cookie })).toBe(false);
  await world.deliver();
  const notice = world.mailbox.to(email).at(-1);
  expect(notice?.subject).toBe("We signed out one of your devices");
  expect(linkIn(notice)).toBe(`${PUBLIC_URL}/forgot-password`);
});

test("a bound session used elsewhere many times in parallel ends once", async () => {
  const { email, token } = await world.signUp({}, { headers: { "x-session-bind": "1" } });
  const stranger = (await world.signUp()).cookie;
  expect(await Promise.all([1, 2, 3, 4].map(() => isGood(token, { cookie: stranger })))).toEqual([false, false, false, false]);
  await world.deliver();
  expect(world.mailbox.to(email)).toHaveLength(2);
});

test("two bound sessions share a browser, and a session without the header is unbound", async () => {
  const { email, token, cookie } = await world.signUp({}, { headers: { "x-session-bind": "1" } });
  const second = await world.signIn(email, PASSWORD, { headers: { cookie, "x-session-bind": "1" } });
  expect(cookieOf(second)).toBe(cookie);
  expect([await isGood(token, { cookie }), await isGood(second.json().token, { cookie })]).toEqual([true, true]);
  expect(await isGood((await world.signIn(email, PASSWORD)).json().token)).toBe(true);
});

test.each([
  [CHROME, "Chrome on Windows"],
  [IPHONE, "Safari on iPhone"],
  [`${CHROME} Edg/140.0.0.0`, "Edge on Windows"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  ["Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36", "Chrome on Android"],
  ["curl/8.5.0", "Unknown device"],
  [undefined, "Unknown device"],
  ["<script>alert(1)</script>".repeat(1000), "Unknown device"],
])("names the device of %s", (header, name) => {
  expect(deviceName(header)).toBe(name);
});

test("shortens networks", () => {
  expect([shortNetwork("203.0.113.77"), shortNetwork("2001:db8:1:2")]).toEqual(["203.0.113.x", "2001:db8:1::x"]);
});

/** Why the service says that a session ended. */
const endOf = async (token: string, headers = {}) => {
  const answer = await world.request("GET", "/api/user", undefined, { token, headers });
  expect(answer.statusCode).toBe(401);
  return (answer.json() as { session_ended?: string }).session_ended;
};

test("the holder of an ended session's token is told why it ended, and an unknown token gets no reason", async () => {
  const { email, token } = await world.signUp();
  const other = (await world.signIn(email, PASSWORD)).json().token;
  const wanted = {
    current_password: PASSWORD,
    password: "another long phrase 43",
    password_confirmation: "another long phrase 43",
  };
  expect((await world.request("POST", "/api/password", wanted, { token })).statusCode).toBe(204);
  expect(await endOf(other)).toBe("password_changed");
  await world.request("DELETE", "/api/sessions?keep_current=false", undefined, { token });
  expect(await endOf(token)).toBe("signed_out");
  await world.signIn(email, wanted.password);
  expect(await endOf("t".repeat(43))).toBeUndefined();
});

test("an expired session is reported as expired before and after its removal, for 30 days", async () => {
  const { token } = await world.signUp();
  const day = 24 * 60 * MINUTE_MS;
  world.clock.advance(8 * day);
  expect(await endOf(token)).toBe("expired");
  await world.deliver();
  expect(await endOf(token)).toBe("expired");
  world.clock.advance(31 * day);
  await world.deliver();
  expect(await endOf(token)).toBeUndefined();
});

test("a session ended by an eleventh device or by use in another browser reports that reason", async () => {
  const { email, token } = await world.signUp();
  for (let device = 0; device < 10; device += 1) {
    world.clock.advance(MINUTE_MS);
    await world.signIn(email, PASSWORD);
  }
  expect(await endOf(token)).toBe("too_many_devices");
});
