import { HOUR_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountWorld, PASSWORD, PUBLIC_URL, type AccountWorld } from "../../../test/worlds/account-world.ts";
import { linkIn, tokenIn, type TestMail } from "../../../test/fakes/test-mailbox.ts";

let world: AccountWorld;
beforeAll(async () => {
  world = await accountWorld();
});
afterAll(() => world.close());

let made = 0;
const freshAddress = () => `new${(made += 1)}@example.org`;

const start = (token: string, email: string, password: string | undefined = PASSWORD, at = world) =>
  at.request("POST", "/api/email/change", { email, current_password: password }, { token });
const confirm = (mail: TestMail | undefined, { cookie }: { cookie: string }) =>
  world.request("POST", "/api/email/change/confirm", { token: tokenIn(mail) }, { headers: { cookie } });
const addressOf = async (token: string) =>
  ((await world.request("GET", "/api/user", undefined, { token })).json() as { user: { email: string } }).user.email;

async function verifiedPerson() {
  const person = await world.signUp();
  await world.request(
    "POST",
    "/api/email/verify",
    { token: tokenIn(world.mailbox.to(person.email)[0]) },
    { headers: { cookie: person.cookie } },
  );
  return person;
}

/** Starts a change and returns the mails to the new and the current address. */
async function started(person: { email: string; token: string }, email = freshAddress()) {
  const answer = await start(person.token, email);
  expect(answer.statusCode).toBe(202);
  await world.deliver();
  return {
    email,
    message: answer.json().message as string,
    mails: [world.mailbox.to(email).at(-1), world.mailbox.to(person.email).at(-1)],
  };
}

test.each([
  ["new", "old"],
  ["old", "new"],
])("an address changes once both are confirmed, the %s one first", async (first) => {
  const person = await verifiedPerson();
  const { email, message, mails } = await started(person);
  expect(message).toBe(`We have sent an email to ${email} and one to ${person.email}. Open the link in both.`);
  for (const mail of mails) expect(linkIn(mail)).toMatch(new RegExp(`^${PUBLIC_URL}/change-email#t=[\\w-]{64}$`));
  const [one, two] = first === "new" ? mails : mails.toReversed();
  const waiting = await confirm(one, person);
  expect(waiting.json()).toEqual({
    status: "waiting",
    reason: "email_change_waiting",
    message: "Thank you. Now open the link in the email to the other address, too.",
    email: person.email,
  });
  expect((await confirm(one, person)).json()).toMatchObject({ status: "waiting" });
  expect(await addressOf(person.token)).toBe(person.email);
  const changed = await confirm(two, person);
  expect(changed.json()).toEqual({
    status: "changed",
    reason: "email_change_done",
    message: "Your email address is changed.",
    email,
  });
  expect(await addressOf(person.token)).toBe(email);
  expect((await world.signIn(email, PASSWORD)).json()).toMatchObject({ user: { email_verified: true } });
  expect((await world.signIn(person.email, PASSWORD)).statusCode).toBe(422);
  await world.deliver();
  expect(world.mailbox.to(person.email).at(-1)?.subject).toBe("Your email address was changed");
  for (const mail of mails) expect((await confirm(mail, person)).json()).toMatchObject({ status: "changed" });
});

test("the new address can be confirmed only in the account's browser, the old one anywhere", async () => {
  const person = await verifiedPerson();
  const stranger = await world.signUp();
  const { email, mails } = await started(person);
  for (const elsewhere of [stranger, { cookie: "" }])
    expect((await confirm(mails[0], elsewhere)).json()).toMatchObject({ status: "sign_in", email: person.email });
  expect((await confirm(mails[1], { cookie: "" })).json()).toMatchObject({ status: "waiting", email: person.email });
  expect(await addressOf(person.token)).toBe(person.email);
  expect((await confirm(mails[0], person)).json()).toMatchObject({ status: "changed", email });
  expect((await confirm(mails[0], { cookie: "" })).json()).toMatchObject({ status: "changed", email });
  await world.deliver();
  const notices = world.mailbox.to(person.email).filter((mail) => mail.subject === "Your email address was changed");
  expect(notices).toHaveLength(1);
});

test("both links opened at once change the address once", async () => {
  const person = await verifiedPerson();
  const { email, mails } = await started(person);
  const answers = await Promise.all([...mails, ...mails].map((mail) => confirm(mail, person)));
  expect(answers.every((answer) => answer.statusCode === 200)).toBe(true);
  expect(await addressOf(person.token)).toBe(email);
  await world.deliver();
  const notices = world.mailbox.to(person.email).filter((mail) => mail.subject === "Your email address was changed");
  expect(notices).toHaveLength(1);
});

test("an unverified old address needs no confirmation", async () => {
  const person = await world.signUp();
  const before = world.mailbox.to(person.email).length;
  const { email, message } = await started(person);
  expect(message).toBe(`We have sent an email to ${email}. Open the link in it.`);
  expect(world.mailbox.to(person.email)).toHaveLength(before);
  expect((await confirm(world.mailbox.to(email)[0], person)).json()).toMatchObject({ status: "changed", email });
});

test("a new request replaces the previous one", async () => {
  const person = await world.signUp();
  const first = await started(person);
  const second = await started(person);
  expect((await confirm(first.mails[0], person)).json()).toMatchObject({ code: "link_expired" });
  expect((await confirm(second.mails[0], person)).json()).toMatchObject({ status: "changed", email: second.email });
});

test("the links expire after 24 hours", async () => {
  const person = await world.signUp();
  const { mails } = await started(person);
  world.clock.advance(24 * HOUR_MS);
  expect((await confirm(mails[0], person)).json()).toMatchObject({ code: "link_expired" });
});

test("verification and reset links of the old address are revoked by the change", async () => {
  const person = await world.signUp();
  const verification = tokenIn(world.mailbox.to(person.email)[0]);
  await world.request("POST", "/api/password/forgot", { email: person.email });
  await world.deliver();
  const reset = tokenIn(world.mailbox.to(person.email).at(-1));
  const { mails } = await started(person);
  await confirm(mails[0], person);
  const tries = [
    await world.request("POST", "/api/email/verify", { token: verification }),
    await world.request("POST", "/api/password/reset", {
      token: reset,
      password: "seven blue umbrellas",
      password_confirmation: "seven blue umbrellas",
    }),
  ];
  for (const answer of tries) expect(answer.json()).toMatchObject({ code: "link_expired" });
});

test("a taken address is refused at the request and at the confirmation", async () => {
  const [person, other] = [await world.signUp(), await world.signUp()];
  const refused = await start(person.token, other.email.toUpperCase());
  expect(refused.json()).toMatchObject({
    code: "email_taken",
    errors: { email: ["There is another account with this email address."] },
  });
  const { email, mails } = await started(person);
  await world.signUp({ email });
  expect((await confirm(mails[0], person)).json()).toMatchObject({ code: "email_taken" });
  expect(await addressOf(person.token)).toBe(person.email);
});

test.each([
  ["the current address", (own: string) => own.toUpperCase(), "This is your email address already."],
  ["no address", () => "nobody", "Enter an email address like name@example.com."],
])("%s is refused at the field", async (_what, address, message) => {
  const person = await world.signUp();
  const answer = await start(person.token, address(person.email));
  expect([answer.statusCode, answer.json().errors]).toEqual([422, { email: [message] }]);
});

test("requires the password or a sign-in within the last ten minutes", async () => {
  const person = await world.signUp();
  expect((await start(person.token, freshAddress(), "wrong horse battery")).json()).toMatchObject({ code: "credentials_wrong" });
  const without = () => world.request("POST", "/api/email/change", { email: freshAddress() }, { token: person.token });
  expect((await without()).statusCode).toBe(202);
  world.clock.advance(HOUR_MS);
  expect((await without()).json()).toMatchObject({ code: "reauth_required" });
});

test("a customer may request three changes an hour", async () => {
  const limited = await accountWorld(1);
  const { token } = await limited.signUp();
  for (let i = 0; i < 3; i++) expect((await start(token, freshAddress(), PASSWORD, limited)).statusCode).toBe(202);
  expect((await start(token, freshAddress(), PASSWORD, limited)).statusCode).toBe(429);
  await limited.close();
});
