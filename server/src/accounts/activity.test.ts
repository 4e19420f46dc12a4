import { MINUTE_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { freezeReasons } from "@farline/contract/constants.ts";
import { activityResponse, type Activity, type ActivityKind } from "@farline/contract/account-activity.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accountWorld, OTHER_PASSWORD, PASSWORD, type AccountWorld } from "../../test/worlds/account-world.ts";
import { tokenIn } from "../../test/fakes/test-mailbox.ts";
import { freezeCustomer } from "./accounts.ts";
import { insertSecurityEvent } from "./record/security-event.store.ts";

const FIREFOX = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0" };
const IPHONE = {
  "user-agent":
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
};

let world: AccountWorld;
beforeEach(async () => {
  world = await accountWorld();
});
afterEach(() => world.close());

async function page(token: string, cursor?: string) {
  const query = cursor === undefined ? "" : `?cursor=${cursor}`;
  return activityResponse.parse((await world.request("GET", `/api/account/activity${query}`, undefined, { token })).json())
    .activity;
}

const kinds = (events: readonly Activity[]): ActivityKind[] => events.map((event) => event.kind);

/** Advances the clock by a minute so that events are ordered. */
function later(): void {
  world.clock.advance(MINUTE_MS);
}

test("the owner sees sign-ins, wrong passwords and changes, newest first, with device and shortened network", async () => {
  const { email, token } = await world.signUp({}, { headers: FIREFOX, ip: "198.51.100.7" });
  later();
  await world.signIn(email, "wrong horse battery", { headers: IPHONE, ip: "192.0.2.99" });
  later();
  const other = (await world.signIn(email, PASSWORD, { headers: IPHONE })).json<{ token: string }>();
  later();
  const { sessions } = (await world.request("GET", "/api/sessions", undefined, { token })).json();
  const phone = sessions.find((session: { current: boolean }) => !session.current);
  await world.request("DELETE", `/api/sessions/${phone.id}`, undefined, { token, headers: FIREFOX });
  expect((await world.request("GET", "/api/user", undefined, { token: other.token })).statusCode).toBe(401);
  later();
  const change = { current_password: PASSWORD, password: OTHER_PASSWORD, password_confirmation: OTHER_PASSWORD };
  await world.request("POST", "/api/password", change, { token });
  later();
  await world.request("DELETE", "/api/sessions?keep_current=true", undefined, { token });
  await world.deliver();
  const { data, next_cursor } = await page(token);
  expect(next_cursor).toBeNull();
  expect(kinds(data)).toEqual([
    "signed_out_everywhere",
    "password_changed",
    "device_signed_out",
    "signed_in",
    "sign_in_failed",
    "signed_in",
  ]);
  expect(data.at(-1)).toMatchObject({ device: "Firefox on Linux", network: "198.51.100.x", subject: null });
  expect(data.at(-2)).toMatchObject({ device: "Safari on iPhone", network: "192.0.2.x" });
  expect(data[2]).toMatchObject({ device: "Firefox on Linux", subject: "Safari on iPhone" });
});

test("lists a password reset, an address change and a session used in another browser", async () => {
  const { email, token, cookie } = await world.signUp();
  later();
  const moved = `moved.${process.pid}@example.com`;
  await world.request("POST", "/api/email/change", { email: moved, current_password: PASSWORD }, { token });
  await world.deliver();
  const agreed = { token: tokenIn(world.mailbox.to(moved).at(-1)) };
  await world.request("POST", "/api/email/change/confirm", agreed, { headers: { cookie } });
  later();
  await world.request("POST", "/api/password/forgot", { email: moved });
  await world.deliver();
  const link = tokenIn(world.mailbox.to(moved).at(-1));
  await world.request("POST", "/api/password/reset", {
    token: link,
    password: OTHER_PASSWORD,
    password_confirmation: OTHER_PASSWORD,
  });
  later();
  const bound = (await world.signIn(moved, OTHER_PASSWORD, { headers: { "x-session-bind": "1" } })).json<{ token: string }>();
  later();
  await world.request("GET", "/api/user", undefined, { token: bound.token, ip: "192.0.2.50" });
  later();
  const again = (await world.signIn(moved, OTHER_PASSWORD)).json<{ token: string }>();
  const { data } = await page(again.token);
  expect(kinds(data)).toEqual(["signed_in", "session_stopped", "signed_in", "password_reset", "email_changed", "signed_in"]);
  expect(data[1]).toMatchObject({ network: "192.0.2.x" });
  expect(email).not.toBe(moved);
});

test.each(freezeReasons)("an account locked because of %s says so; the operator's own reason is not shown", async (because) => {
  const { id: customerId, token } = await world.signUp();
  later();
  const at = world.clock.now();
  await world.database.handle.db
    .transaction()
    .execute((tx) => freezeCustomer(tx, { customerId, because, reason: "stolen card, see the bank's letter", at }));
  const { data } = await page(token);
  expect(data[0]).toMatchObject({ kind: "account_frozen", device: null, network: null, subject: null });
  const { body } = await world.request("GET", "/api/user", undefined, { token });
  expect(JSON.parse(body)).toMatchObject({ user: { status: "frozen", frozen_because: because } });
  expect(body).not.toContain("letter");
});

test("pages have twenty events without repeats, and other customers' or invalid cursors reveal nothing", async () => {
  const { id, token } = await world.signUp();
  const stranger = await world.signUp();
  const at = world.clock.now();
  for (let i = 0; i < 44; i++)
    await insertSecurityEvent(world.database.handle.db, { customerId: id, kind: "recovery_codes_new", from: null, at });
  const first = await page(token);
  const second = await page(token, first.next_cursor ?? "");
  const third = await page(token, second.next_cursor ?? "");
  expect([first, second, third].map(({ data }) => data.length)).toEqual([20, 20, 5]);
  expect(third.next_cursor).toBeNull();
  expect(new Set([first, second, third].flatMap(({ data }) => data.map((event) => event.id))).size).toBe(45);
  const own = new Set((await page(stranger.token)).data.map((event) => event.id));
  for (const event of (await page(stranger.token, first.next_cursor ?? "")).data) expect(own.has(event.id)).toBe(true);
  for (const cursor of ["x", "1.2", `9.${crypto.randomUUID()}'`, `${"9".repeat(16)}.${crypto.randomUUID()}`])
    expect((await world.request("GET", `/api/account/activity?cursor=${cursor}`, undefined, { token })).statusCode).toBe(400);
  expect((await world.request("GET", "/api/account/activity")).statusCode).toBe(401);
});

test("200 sign-ins are kept and do not displace important events", async () => {
  const { id: customerId } = await world.signUp();
  const { handle } = world.database;
  await insertSecurityEvent(handle.db, { customerId, kind: "password_changed", from: null, at: world.clock.now() });
  for (let i = 0; i < 210; i++) {
    world.clock.advance(1);
    await insertSecurityEvent(handle.db, { customerId, kind: "sign_in_failed", from: null, at: world.clock.now() });
  }
  const { rows } =
    await sql<any>`select kind, count(*)::integer as times from security_event where customer_id = ${customerId} group by kind order by kind`.execute(
      handle.db,
    );
  expect(rows).toEqual([
    { kind: "password_changed", times: 1 },
    { kind: "sign_in_failed", times: 200 },
  ]);
});

test("wrong passwords for unknown addresses leave no rows", async () => {
  await world.signIn("nobody@example.com", PASSWORD);
  await world.deliver();
  const { rows } =
    await sql<any>`select (select count(*) from failed_sign_in)::integer as waiting, (select count(*) from security_event)::integer as events`.execute(
      world.database.handle.db,
    );
  expect(rows).toEqual([{ waiting: 0, events: 0 }]);
});
