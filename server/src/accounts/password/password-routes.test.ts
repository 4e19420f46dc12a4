import { MINUTE_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountWorld, OTHER_PASSWORD, PASSWORD, type AccountWorld } from "../../../test/worlds/account-world.ts";
import { tokenIn } from "../../../test/fakes/test-mailbox.ts";

let world: AccountWorld;
beforeAll(async () => {
  world = await accountWorld();
});
afterAll(() => world.close());

const change = (token: string, body: object, at = world) =>
  at.request("POST", "/api/password", { password: OTHER_PASSWORD, password_confirmation: OTHER_PASSWORD, ...body }, { token });
const getUser = (token: string) => world.request("GET", "/api/user", undefined, { token });
const tokenOf = async (email: string, password = PASSWORD) => (await world.signIn(email, password)).json().token as string;

test("the current password sets a new one, signs out every other device and notifies the owner", async () => {
  const { email, token } = await world.signUp();
  const other = await tokenOf(email);
  expect((await change(token, { current_password: PASSWORD })).statusCode).toBe(204);
  expect((await getUser(token)).statusCode).toBe(200);
  expect((await getUser(other)).statusCode).toBe(401);
  expect((await world.signIn(email, PASSWORD)).statusCode).toBe(422);
  expect((await world.signIn(email, OTHER_PASSWORD)).statusCode).toBe(200);
  await world.deliver();
  expect(world.mailbox.to(email).at(-1)?.subject).toBe("Your password was changed");
});

test("a wrong current password is reported at its field and changes nothing", async () => {
  const { email, token } = await world.signUp();
  const answer = await change(token, { current_password: "wrong horse battery" });
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({
    code: "credentials_wrong",
    errors: { current_password: ["The current password is wrong."] },
  });
  expect((await world.signIn(email, PASSWORD)).statusCode).toBe(200);
});

test.each([
  [{ password: "password1", password_confirmation: "password1" }, "password"],
  [{ password_confirmation: "something else" }, "password_confirmation"],
])("an invalid new password is reported at the field", async (body, field) => {
  const { email, token } = await world.signUp();
  const answer = await change(token, { current_password: PASSWORD, ...body });
  expect([answer.statusCode, Object.keys(answer.json().errors)]).toEqual([422, [field]]);
  expect((await world.signIn(email, PASSWORD)).statusCode).toBe(200);
});

test("without the current password it requires a sign-in within the last ten minutes or re-authentication", async () => {
  const { token } = await world.signUp();
  world.clock.advance(10 * MINUTE_MS);
  const refused = await change(token, {});
  expect([refused.statusCode, refused.json().code]).toEqual([403, "reauth_required"]);
  const reauthenticate = (password: string) =>
    world.request("POST", "/api/reauthenticate", { current_password: password }, { token });
  expect((await reauthenticate("wrong horse battery")).statusCode).toBe(422);
  expect((await change(token, {})).statusCode).toBe(403);
  expect((await reauthenticate(PASSWORD)).statusCode).toBe(204);
  expect((await change(token, {})).statusCode).toBe(204);
});

test("a customer without a password sets the first one after a recent sign-in", async () => {
  const { email, id, token } = await world.signUp();
  await sql`update customer set password_hash = null where id = ${id}`.execute(world.database.handle.db);
  expect((await getUser(token)).json()).toMatchObject({ user: { has_password: false } });
  expect((await change(token, { current_password: "" })).statusCode).toBe(422);
  expect((await change(token, {})).statusCode).toBe(204);
  expect((await getUser(token)).json()).toMatchObject({ user: { has_password: true } });
  expect((await world.signIn(email, OTHER_PASSWORD)).statusCode).toBe(200);
});

test("a change invalidates earlier password-reset links", async () => {
  const { email, token } = await world.signUp();
  await world.request("POST", "/api/password/forgot", { email });
  await world.deliver();
  const link = tokenIn(world.mailbox.to(email).at(-1));
  await change(token, { current_password: PASSWORD });
  const answer = await world.request("POST", "/api/password/reset", {
    token: link,
    password: PASSWORD,
    password_confirmation: PASSWORD,
  });
  expect(answer.json()).toMatchObject({ code: "link_expired" });
});

test("a session may try the password ten times in 15 minutes", async () => {
  const limited = await accountWorld(1);
  const { token } = await limited.signUp();
  for (let i = 0; i < 10; i++)
    expect((await change(token, { current_password: "wrong horse battery" }, limited)).statusCode).toBe(422);
  expect((await change(token, { current_password: PASSWORD }, limited)).statusCode).toBe(429);
  await limited.close();
});

test("hashes are peppered with the service's secret, and older hashes are upgraded at sign-in", async () => {
  const { email, id } = await world.signUp();
  const { db } = world.database.handle;
  const stored = async () =>
    (await sql<any>`select password_hash, password_key from customer where id = ${id}`.execute(db)).rows[0];
  expect(await stored()).toMatchObject({ password_key: "1" });
  // A hash from before the pepper was introduced, with less memory.
  const { hash } = await import("@node-rs/argon2");
  const old = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 });
  await sql`update customer set password_hash = ${old}, password_key = null where id = ${id}`.execute(db);
  expect((await world.signIn(email, "wrong horse battery")).statusCode).toBe(422);
  expect(await stored()).toEqual({ password_hash: old, password_key: null });
  expect((await world.signIn(email, PASSWORD)).statusCode).toBe(200);
  expect(await stored()).toEqual({
    password_hash: expect.stringMatching(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/),
    password_key: "1",
  });
  expect((await world.signIn(email, PASSWORD)).statusCode).toBe(200);
});
