import { MINUTE_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountWorld, OTHER_PASSWORD, PASSWORD, PUBLIC_URL, type AccountWorld } from "../../../test/worlds/account-world.ts";
import { linkIn, tokenIn } from "../../../test/fakes/test-mailbox.ts";

let world: AccountWorld;
beforeAll(async () => {
  world = await accountWorld();
});
afterAll(() => world.close());

const forgot = (email: string, at = world, ip?: string) => at.request("POST", "/api/password/forgot", { email }, { ip });
const reset = (token: string, password = OTHER_PASSWORD, confirmation = password) =>
  world.request("POST", "/api/password/reset", { token, password, password_confirmation: confirmation });

async function resetToken(email: string): Promise<string> {
  expect((await forgot(email)).statusCode).toBe(200);
  await world.deliver();
  return tokenIn(world.mailbox.to(email).findLast((mail) => mail.subject === "Choose a new password"));
}

test("a link tells whose password it changes, as often as asked, until it has been used", async () => {
  const { email } = await world.signUp();
  const token = await resetToken(email);
  const account = () => world.request("POST", "/api/password/reset/account", { token });
  for (let read = 0; read < 2; read += 1) expect((await account()).json()).toEqual({ email });
  expect((await reset(token)).statusCode).toBe(200);
  expect((await account()).json().code).toBe("link_expired");
});

test("known and unknown addresses get the same response, and only the known one gets a mail", async () => {
  const { email } = await world.signUp();
  const answers = [await forgot(email.toUpperCase()), await forgot("nobody@example.com")];
  for (const answer of answers) {
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      reason: "password_reset_asked",
      params: { max: 3 },
      message: expect.stringMatching(/^If this address has an account, an email with a link is on its way\. .* at most 3 a day/),
    });
  }
  await world.deliver();
  const mail = world.mailbox.to(email)[1];
  expect(linkIn(mail)).toMatch(new RegExp(`^${PUBLIC_URL}/reset-password#t=[\\w-]{64}$`));
  expect(world.mailbox.to("nobody@example.com")).toHaveLength(0);
});

test("a reset request stores the same rows for known and unknown addresses before any lookup", async () => {
  const { email } = await world.signUp();
  await forgot(email);
  await forgot("stranger@example.com");
  const { db } = world.database.handle;
  expect((await sql<any>`select count(*)::int as n from password_reset_request`.execute(db)).rows[0].n).toBe(2);
  expect(
    (await sql<any>`select count(*)::int as n from mail where template = 'reset_password' and state = 'waiting'`.execute(db))
      .rows[0].n,
  ).toBe(0);
  await world.deliver();
  expect((await sql<any>`select count(*)::int as n from password_reset_request`.execute(db)).rows[0].n).toBe(0);
});

test("the link sets a new password, signs out every device, starts no session, verifies the address and notifies the owner", async () => {
  const { email, token } = await world.signUp();
  const answer = await reset(await resetToken(email));
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({ reason: "password_set", message: "Your new password is set. Sign in with it now." });
  expect(answer.headers["set-cookie"]).toBeUndefined();
  expect((await world.request("GET", "/api/user", undefined, { token })).statusCode).toBe(401);
  expect((await world.signIn(email, PASSWORD)).statusCode).toBe(422);
  const signedIn = await world.signIn(email, OTHER_PASSWORD);
  expect(signedIn.json()).toMatchObject({ user: { email_verified: true } });
  await world.deliver();
  const notice = world.mailbox.to(email).at(-1);
  expect(notice?.subject).toBe("You have a new password");
  expect(linkIn(notice)).toBe(`${PUBLIC_URL}/forgot-password`);
});

test("a new password cancels sign-ins waiting for a second factor", async () => {
  const { email, id } = await world.signUp();
  const { db } = world.database.handle;
  await sql`insert into sign_in_challenge (challenge_hash, customer_id, created_at, expires_at) values (sha256('x'), ${id}, ${world.clock.now()}, ${world.clock.now()}::timestamptz + interval '1 day')`.execute(
    db,
  );
  await reset(await resetToken(email));
  expect((await sql<any>`select count(*)::int as n from sign_in_challenge where customer_id = ${id}`.execute(db)).rows[0].n).toBe(
    0,
  );
});

test("a link expires after 30 minutes", async () => {
  const { email } = await world.signUp();
  const token = await resetToken(email);
  world.clock.advance(30 * MINUTE_MS);
  expect((await reset(token)).json()).toMatchObject({ code: "link_expired" });
  expect((await world.signIn(email, PASSWORD)).statusCode).toBe(200);
});

test("a link used in parallel counts exactly once and invalidates the other links", async () => {
  const { email } = await world.signUp();
  const other = await resetToken(email);
  const token = await resetToken(email);
  const answers = await Promise.all(Array.from({ length: 5 }, () => reset(token)));
  expect(answers.map((answer) => answer.statusCode).toSorted((a, b) => a - b)).toEqual([200, 422, 422, 422, 422]);
  for (const late of [token, other]) expect((await reset(late)).json()).toMatchObject({ code: "link_expired" });
});

test.each([
  ["short", "short", "password", "Use at least 8 characters."],
  ["password1", "password1", "password", "Many people use this password, so it is easy to guess. Choose another one."],
  ["lovelace-26", "lovelace-26", "password", "Use a password that is not made of your name or email address."],
  [OTHER_PASSWORD, "something else", "password_confirmation", "The two passwords are not the same."],
])("the new password %j is refused at the field, and the link stays valid", async (password, confirmation, field, message) => {
  const { email } = await world.signUp();
  const token = await resetToken(email);
  const refused = await reset(token, password, confirmation);
  expect([refused.statusCode, refused.json().errors]).toEqual([422, { [field]: [message] }]);
  expect((await world.signIn(email, PASSWORD)).statusCode).toBe(200);
  expect((await reset(token)).statusCode).toBe(200);
});

test("a used link, or one sent to an earlier address, is reported as expired whatever the password", async () => {
  const { email } = await world.signUp();
  const used = await resetToken(email);
  expect((await reset(used)).statusCode).toBe(200);
  expect((await reset(used, "password1")).json()).toMatchObject({ code: "link_expired" });
  const earlier = await resetToken(email);
  await sql`update customer set email = ${`moved-${email}`}, email_key = lower(${`moved-${email}`}) where email = ${email}`.execute(
    world.database.handle.db,
  );
  expect((await reset(earlier)).json()).toMatchObject({ code: "link_expired" });
});

test("the owner's mail mentions no removed access if nothing was removed", async () => {
  const { email } = await world.signUp();
  expect((await reset(await resetToken(email))).statusCode).toBe(200);
  const { rows } =
    await sql<any>`select data->'removed' as removed from mail where recipient = ${email} and data->>'event' = 'password_reset'`.execute(
      world.database.handle.db,
    );
  expect(rows).toEqual([{ removed: [] }]);
});

test("a verification link does not reset a password", async () => {
  const { email } = await world.signUp();
  expect((await reset(tokenIn(world.mailbox.to(email)[0]))).json()).toMatchObject({ code: "link_expired" });
});

test("a network may send ten requests an hour; a customer gets three mails an hour, with the same response", async () => {
  const limited = await accountWorld(1);
  const { email } = await limited.signUp();
  for (let i = 0; i < 10; i++) expect((await forgot(email, limited, "203.0.113.7")).statusCode).toBe(200);
  expect((await forgot(email, limited, "203.0.113.7")).statusCode).toBe(429);
  expect((await forgot(email, limited, "203.0.113.8")).statusCode).toBe(200);
  await limited.deliver();
  expect(limited.mailbox.to(email).filter((mail) => mail.subject === "Choose a new password")).toHaveLength(3);
  await limited.close();
});

test("strangers' reset requests do not use up those of the customer's own browser, which are bounded too", async () => {
  const { email, cookie } = await world.signUp();
  const mails = async () => {
    await world.deliver();
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from mail where recipient = ${email} and template = 'reset_password'`.execute(
      world.database.handle.db,
    );
    return rows[0]?.n;
  };
  const ask = (headers: Record<string, string>) => world.request("POST", "/api/password/forgot", { email }, { headers });
  await sql`update customer set email_verified = true where email = ${email}`.execute(world.database.handle.db);
  for (let asked = 0; asked < 12; asked += 1) await ask({});
  expect(await mails()).toBe(3);
  const other = await world.signUp();
  await ask({ cookie: other.cookie });
  expect(await mails()).toBe(3);
  for (let asked = 0; asked < 12; asked += 1) await ask({ cookie });
  expect(await mails()).toBe(3 + 6);
});

test("a link that the customer has stays valid while strangers ask for others", async () => {
  const { email } = await world.signUp();
  const token = await resetToken(email);
  for (let asked = 0; asked < 6; asked += 1) await forgot(email);
  await world.deliver();
  expect((await reset(token)).statusCode).toBe(200);
});

test("while no mail goes out, the answer says so, for any address", async () => {
  const { db } = world.database.handle;
  const { email } = await world.signUp();
  await sql`insert into mail (id, key, recipient, template, language, data, next_at, useful_until, created_at)
    select gen_random_uuid(), gen_random_uuid(), 'a@example.com', 'newsletter_confirm', 'en', '{}', at, at, at
    from (select ${new Date(world.clock.now().getTime() + 60_000)}::timestamptz as at) as stuck`.execute(db);
  world.clock.advance(4 * 60_000);
  for (const address of [email, "nobody@example.com"])
    expect((await world.request("POST", "/api/password/forgot", { email: address })).json().reason).toBe("mails_late");
  await sql`delete from mail where recipient = 'a@example.com'`.execute(db);
});
