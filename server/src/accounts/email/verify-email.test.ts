import { HOUR_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountWorld, PASSWORD, PUBLIC_URL, type AccountWorld } from "../../../test/worlds/account-world.ts";
import { linkIn, tokenIn } from "../../../test/fakes/test-mailbox.ts";

let world: AccountWorld;
beforeAll(async () => {
  world = await accountWorld();
});
afterAll(() => world.close());

const verify = (token: string, cookie = "", to = world) =>
  to.request("POST", "/api/email/verify", { token }, { headers: { cookie } });
const resend = (token: string, to = world) => to.request("POST", "/api/email/verification", undefined, { token });
const isVerified = async (token: string, at = world) =>
  ((await at.request("GET", "/api/user", undefined, { token })).json() as { user: { email_verified: boolean } }).user
    .email_verified;

test("signing up sends a mail whose link verifies the address", async () => {
  const person = await world.signUp();
  const [mail] = world.mailbox.to(person.email);
  expect(linkIn(mail)).toMatch(new RegExp(`^${PUBLIC_URL}/verify-email#t=[\\w-]{64}$`));
  expect(await isVerified(person.token)).toBe(false);
  const answer = await verify(tokenIn(mail), person.cookie);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({
    status: "verified",
    reason: "email_confirmed",
    message: "Your email address is confirmed.",
    email: person.email,
  });
  expect(await isVerified(person.token)).toBe(true);
});

test("opening the link again, or twice in parallel, gives the same result", async () => {
  const person = await world.signUp();
  const token = tokenIn(world.mailbox.to(person.email)[0]);
  const answers = await Promise.all([1, 2, 3].map(() => verify(token, person.cookie)));
  expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200, 200]);
  expect((await verify(token)).statusCode).toBe(200);
});

test.each(["", "nonsense", "A".repeat(64), `${"A".repeat(63)}!`])("the token %j verifies nobody", async (token) => {
  const answer = await verify(token);
  expect(answer.statusCode).toBe(422);
  expect(answer.json().message).toBe(
    token === "" ? "Open the link in the email again." : "This link no longer works. Ask for a new one.",
  );
});

test("a link expires after 24 hours", async () => {
  const person = await world.signUp();
  const token = tokenIn(world.mailbox.to(person.email)[0]);
  world.clock.advance(24 * HOUR_MS);
  const answer = await verify(token);
  expect(answer.json()).toMatchObject({ code: "link_expired", message: "This link no longer works. Ask for a new one." });
  expect(await isVerified(person.token)).toBe(false);
});

test("the mail can be sent again, and both links work", async () => {
  const person = await world.signUp();
  const answer = await resend(person.token);
  expect(answer.statusCode).toBe(202);
  expect(answer.json()).toEqual({
    reason: "email_sent",
    params: { email: person.email },
    message: `We have sent an email to ${person.email}.`,
  });
  await world.deliver();
  const mails = world.mailbox.to(person.email);
  expect(mails).toHaveLength(2);
  expect(tokenIn(mails[0])).not.toBe(tokenIn(mails[1]));
  expect((await verify(tokenIn(mails[0]), person.cookie)).statusCode).toBe(200);
  const later = await resend(person.token);
  expect([later.statusCode, later.json().message]).toEqual([202, "Your email address is confirmed already."]);
  await world.deliver();
  expect(world.mailbox.to(person.email)).toHaveLength(2);
});

test("resending the mail requires a session", async () => {
  expect((await world.request("POST", "/api/email/verification")).statusCode).toBe(401);
});

test("the mail uses the chosen language, else the browser's", async () => {
  const chosen = await world.signUp({ language: "es" }, { headers: { "accept-language": "fr" } });
  const browsers = await world.signUp({}, { headers: { "accept-language": "de-CH, fr-CH;q=0.9, en;q=0.8" } });
  expect(world.mailbox.to(chosen.email)[0]?.subject).toBe("Confirma tu dirección de correo");
  expect(world.mailbox.to(browsers.email)[0]?.subject).toBe("Confirmez votre adresse e-mail");
});

test("a customer can switch to any supported language", async () => {
  const { token, email } = await world.signUp();
  const answer = await world.request("PATCH", "/api/user", { language: "hi" }, { token });
  expect(answer.json()).toMatchObject({ user: { language: "hi", email } });
  await resend(token);
  await world.deliver();
  expect(world.mailbox.to(email)[1]?.subject).toBe("अपने ईमेल पते की पुष्टि करें");
  const refused = await world.request("PATCH", "/api/user", { language: "de" }, { token });
  expect([refused.statusCode, refused.json().errors]).toEqual([
    422,
    { language: ["Choose one of the languages that Farline supports."] },
  ]);
});

test("a customer may request the mail three times an hour, and is told when no more goes on this day", async () => {
  const limited = await accountWorld(1);
  const person = await limited.signUp();
  for (let i = 0; i < 3; i++) {
    const answer = await resend(person.token, limited);
    expect([answer.statusCode, answer.json().reason]).toEqual([202, "email_sent"]);
  }
  const refused = await resend(person.token, limited);
  expect([refused.statusCode, refused.json().code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  await sql`delete from rate_limit where key like 'verify-hour%'`.execute(limited.database.handle.db);
  const dropped = await resend(person.token, limited);
  expect([dropped.statusCode, dropped.json().reason]).toEqual([429, "mails_used"]);
  await limited.deliver();
  expect(limited.mailbox.to(person.email)).toHaveLength(4);
  await limited.close();
});

test("strangers who fill a mailbox do not stop its owner's sign-up, and a page that got no link says so", async () => {
  const email = `crowded-${randomUUID()}@example.com`;
  const at = world.clock.now();
  const fill = (lane: string) =>
    sql`insert into mail (id, key, recipient, template, language, state, next_at, useful_until, created_at, done_at, lane)
      select gen_random_uuid(), 'fill ' || ${lane} || n, ${email}, 'newsletter_confirm', 'en', 'sent', ${at}, ${at}, ${at}, ${at},
        ${lane} from generate_series(1, 20) n`.execute(world.database.handle.db);
  for (const lane of ["invited", "change", "reset"]) await fill(lane);
  const { token } = await world.signUp({ email });
  const user = async (bearer: string) => (await world.request("GET", "/api/user", undefined, { token: bearer })).json().user;
  expect(world.mailbox.to(email)).toHaveLength(1);
  expect((await user(token)).link_mailed).toBe(true);

  await sql`update mail set recipient = 'elsewhere' where lower(recipient) = lower(${email})`.execute(world.database.handle.db);
  expect((await user(token)).link_mailed).toBe(false);
  await fill("holder");
  const refused = await resend(token);
  expect([refused.statusCode, refused.json().reason]).toEqual([429, "mails_used"]);
  expect((await user(token)).link_mailed).toBe(false);
});

test("an internationalised address has one account in any Unicode form, and gets its mail", async () => {
  const { email, token } = await world.signUp({ email: "Jose\u0301@mu\u0308nchen.example" });
  expect(email).toBe("José@xn--mnchen-3ya.example");
  expect(world.mailbox.to(email)).toHaveLength(1);
  const again = { name: "Ada", email: "josé@MÜNCHEN.example", password: PASSWORD, password_confirmation: PASSWORD };
  expect((await world.request("POST", "/api/register", again)).json()).toMatchObject({ code: "email_taken" });
  for (const typed of ["josé@münchen.example", "JOSE\u0301＠xn--mnchen-3ya。example"])
    expect((await world.signIn(typed, PASSWORD)).statusCode).toBe(200);
  expect(token).not.toBe("");
});

test("the customer is told that the mail server refuses their address, until a mail to it is delivered", async () => {
  const refused = async (token: string) =>
    ((await world.request("GET", "/api/user", undefined, { token })).json() as { user: { email_refused: boolean } }).user
      .email_refused;
  world.mailbox.refuse({ at: "recipient", code: 550 });
  const { token, email } = await world.signUp();
  expect(await refused(token)).toBe(true);
  world.mailbox.refuse(null);
  expect((await world.request("POST", "/api/email/verification", undefined, { token })).statusCode).toBe(202);
  expect(await refused(token)).toBe(true);
  await world.deliver();
  expect(world.mailbox.to(email)).toHaveLength(1);
  expect(await refused(token)).toBe(false);
});

const CODE = /\b(\d{6})\b/;
const codeIn = (mail: { text?: string } | undefined) => CODE.exec(mail?.text ?? "")?.[1] ?? "";
const typeCode = (token: string, code: string, to = world) => to.request("POST", "/api/email/verify/code", { code }, { token });
const resendLater = async (token: string) => {
  world.clock.advance(1000);
  await resend(token);
  await world.deliver();
};
/** Another code than the right one. */
const wrong = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, "0");

test("the code of the mail verifies the address in the session that signed up, in any digits and with spaces", async () => {
  const person = await world.signUp();
  const code = codeIn(world.mailbox.to(person.email)[0]);
  const typed = `${code.slice(0, 3)} ${code.slice(3)}`.replaceAll(/\d/g, (digit) =>
    String.fromCodePoint(0x06_60 + Number(digit)),
  );
  const answer = await typeCode(person.token, typed);
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { status: "verified", reason: "email_confirmed", message: "Your email address is confirmed.", email: person.email },
  ]);
  expect(await isVerified(person.token)).toBe(true);
});

test("a wrong code says how many attempts are left, and five use the mail up, in parallel too", async () => {
  const person = await world.signUp();
  const code = codeIn(world.mailbox.to(person.email)[0]);
  const first = await typeCode(person.token, wrong(code));
  expect([first.statusCode, first.json()]).toMatchObject([
    422,
    { code: "code_wrong", errors: { code: ["This code is wrong. Attempts left: 4."] } },
  ]);
  const rest = await Promise.all([2, 3, 4, 5, 6, 7].map((by) => typeCode(person.token, wrong(code, by))));
  expect(rest.map((answer): string => answer.json().code).toSorted()).toEqual([
    ...["code_wrong", "code_wrong", "code_wrong"],
    ...["link_expired", "link_expired", "link_expired"],
  ]);
  expect((await typeCode(person.token, code)).json().code).toBe("link_expired");
  expect(await isVerified(person.token)).toBe(false);
  await resendLater(person.token);
  expect((await typeCode(person.token, codeIn(world.mailbox.to(person.email)[1]))).statusCode).toBe(200);
});

test("only the newest mail's code works, for 15 minutes", async () => {
  const person = await world.signUp();
  const first = codeIn(world.mailbox.to(person.email)[0]);
  await resendLater(person.token);
  const second = codeIn(world.mailbox.to(person.email)[1]);
  expect((await typeCode(person.token, first)).json().code).toBe(first === second ? undefined : "code_wrong");
  world.clock.advance(HOUR_MS / 4);
  expect((await typeCode(person.token, second)).json().message).toBe("This code can no longer be used. Send a new one.");
});

test("a code works neither in another session of the account nor in another account", async () => {
  const person = await world.signUp();
  const code = codeIn(world.mailbox.to(person.email)[0]);
  const again = await world.request("POST", "/api/login", { email: person.email, password: PASSWORD });
  expect((await typeCode(again.json().token, code)).json().code).toBe("link_expired");
  const stranger = await world.signUp();
  expect((await typeCode(stranger.token, code)).json().code).toBe("code_wrong");
  expect((await world.request("POST", "/api/email/verify/code", { code })).statusCode).toBe(401);
  expect((await typeCode(person.token, code)).statusCode).toBe(200);
});

test("codes are limited per account and day, so that nobody guesses one with ever new mails", async () => {
  const limited = await accountWorld(1);
  const person = await limited.signUp();
  for (let tries = 0; tries < 20; tries++) await typeCode(person.token, "000000", limited);
  expect((await typeCode(person.token, "000000", limited)).statusCode).toBe(429);
  await limited.close();
});
