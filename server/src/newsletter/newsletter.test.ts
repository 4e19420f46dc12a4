import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountWorld, PUBLIC_URL, type AccountWorld } from "../../test/worlds/account-world.ts";
import { linkIn, tokenIn } from "../../test/fakes/test-mailbox.ts";

let world: AccountWorld;
beforeAll(async () => {
  world = await accountWorld();
});
afterAll(() => world.close());

let made = 0;
const freshAddress = () => `Reader${(made += 1)}@example.com`;
const request = (email: string, more: object = {}, at = world) => at.request("POST", "/api/newsletter", { email, ...more });
const confirm = (token: string) => world.request("POST", "/api/newsletter/confirm", { token });
const unsubscribe = (token: string) => world.request("POST", "/api/newsletter/unsubscribe", { token });
const stateOf = async (email: string) =>
  (
    await sql<any>`select state from newsletter_subscription where email_key = ${email.toLowerCase()}`.execute(
      world.database.handle.db,
    )
  ).rows[0]?.state;

async function asked(email = freshAddress()) {
  expect((await request(email)).statusCode).toBe(202);
  await world.deliver();
  return { email, token: tokenIn(world.mailbox.to(email).at(-1)) };
}

test("a subscription starts when the mailed link is opened, and a mail then explains how to unsubscribe", async () => {
  const { email, token } = await asked();
  expect(await stateOf(email)).toBe("asked");
  expect(linkIn(world.mailbox.to(email)[0])).toMatch(new RegExp(`^${PUBLIC_URL}/newsletter/confirm#t=`));
  const answer = await confirm(token);
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { reason: "newsletter_confirmed", message: "Thank you. You will receive our newsletter by email." },
  ]);
  expect(await stateOf(email)).toBe("confirmed");
  expect((await confirm(token)).statusCode).toBe(200);
  await world.deliver();
  const mails = world.mailbox.to(email);
  expect(mails).toHaveLength(2);
  expect(linkIn(mails[1])).toMatch(new RegExp(`^${PUBLIC_URL}/newsletter/unsubscribe#t=`));
});

describe("a mail program's one click", () => {
  /** The address in List-Unsubscribe of a confirmed subscription's mail. */
  const subscribed = async () => {
    const { email, token } = await asked();
    await confirm(token);
    await world.deliver();
    const header = (key: string) =>
      world.mailbox
        .to(email)
        .at(-1)
        ?.headers.find((one) => one.key === key)?.value;
    expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const address = /^<(.+)>$/.exec(header("list-unsubscribe") ?? "")?.[1] ?? "";
    expect(address.startsWith(`${PUBLIC_URL}/api/`)).toBe(true);
    return { email, url: address.slice(PUBLIC_URL.length) };
  };
  const post = (url: string, type: string, payload: string) =>
    world.app.inject({ method: "POST", url, headers: { "content-type": type }, payload });
  const form = "List-Unsubscribe=One-Click";
  const parts = `--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n`;

  test.each([
    ["application/x-www-form-urlencoded", form],
    ["multipart/form-data; boundary=x", parts],
  ])("unsubscribes, in %s", async (type, body) => {
    const { email, url } = await subscribed();
    expect((await post(url, type, body)).statusCode).toBe(200);
    expect(await stateOf(email)).toBe("ended");
  });

  test("that is no such form, or only opens the address, changes nothing", async () => {
    const { email, url } = await subscribed();
    expect((await post(url, "application/x-www-form-urlencoded", "a=b")).statusCode).toBe(400);
    expect((await post(url, "text/plain", form)).statusCode).toBe(415);
    const opened = await world.app.inject({ method: "GET", url });
    expect([opened.statusCode, opened.headers.location]).toEqual([302, `/newsletter/unsubscribe#t=${url.split("token=")[1]}`]);
    expect(await stateOf(email)).toBe("confirmed");
  });

  test("with an unknown token is refused", async () => {
    const answer = await post(`/api/newsletter/one-click?token=${"A".repeat(64)}`, "application/x-www-form-urlencoded", form);
    expect(answer.statusCode).toBe(422);
  });
});

test("unsubscribing lasts until the address subscribes again", async () => {
  const { email, token } = await asked();
  await confirm(token);
  await world.deliver();
  const leave = tokenIn(world.mailbox.to(email).at(-1));
  for (let i = 0; i < 2; i++) {
    const answer = await unsubscribe(leave);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { reason: "newsletter_left", message: "You will no longer receive our newsletter." },
    ]);
  }
  expect(await stateOf(email)).toBe("ended");
  expect((await confirm(token)).json()).toMatchObject({ code: "link_expired" });
  await asked(email);
  expect(await stateOf(email)).toBe("asked");
});

test("the response is the same for every address, and subscribers get no second mail", async () => {
  const { email, token } = await asked();
  await confirm(token);
  await world.deliver();
  const before = world.mailbox.to(email).length;
  const [known, unknown] = [await request(email.toUpperCase()), await request(freshAddress())];
  expect(known.json()).toEqual({
    reason: "newsletter_asked",
    params: { max: 3 },
    message: expect.stringMatching(/^Almost done: if you are not subscribed yet, .* at most 3 a day\.$/),
  });
  expect([unknown.statusCode, unknown.json()]).toEqual([known.statusCode, known.json()]);
  await world.deliver();
  expect(world.mailbox.to(email)).toHaveLength(before);
  expect(await stateOf(email)).toBe("confirmed");
});

test("a confirmation link does not unsubscribe, an unsubscribe link does not confirm, and an invalid one does neither", async () => {
  const { email, token } = await asked();
  expect((await unsubscribe(token)).json()).toMatchObject({
    code: "link_expired",
    message: "This link no longer works. Ask for a new one.",
  });
  for (const nonsense of ["A".repeat(64), "x"]) expect((await confirm(nonsense)).statusCode).toBe(422);
  expect(await stateOf(email)).toBe("asked");
});

test("a subscription request that is not confirmed within seven days is deleted", async () => {
  const { email, token } = await asked();
  world.clock.advance(7 * DAY_MS);
  expect((await confirm(token)).json()).toMatchObject({ code: "link_expired" });
  world.clock.advance(1000);
  await world.deliver();
  expect(await stateOf(email)).toBeUndefined();
});

test("the confirmation mail is in the reader's language", async () => {
  const email = freshAddress();
  await request(email, { language: "ar" });
  await world.deliver();
  expect(world.mailbox.to(email)[0]?.subject).toBe("أكّد اشتراكك في أخبار الأسعار");
});

test("an invalid address is refused at its field", async () => {
  const answer = await request("nobody");
  expect([answer.statusCode, answer.json().errors]).toEqual([422, { email: ["Enter an email address like name@example.com."] }]);
});

test("one address gets at most three mails a day, and one network may send ten requests an hour", async () => {
  const limited = await accountWorld(1);
  const email = freshAddress();
  for (let i = 0; i < 10; i++) expect((await request(email, {}, limited)).statusCode).toBe(202);
  expect((await request(email, {}, limited)).statusCode).toBe(429);
  await limited.deliver();
  expect(limited.mailbox.to(email)).toHaveLength(3);
  await limited.close();
});
