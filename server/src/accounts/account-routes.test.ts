import { activityResponse } from "@farline/contract/account-activity.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountWorld, type AccountWorld } from "../../test/worlds/account-world.ts";

let world: AccountWorld;
beforeAll(async () => {
  world = await accountWorld();
});
afterAll(() => world.close());

const change = (token: string, body: object, at = world) => at.request("PATCH", "/api/user", body, { token });

async function history(token: string) {
  const answer = await world.request("GET", "/api/account/activity", undefined, { token });
  return activityResponse.parse(answer.json()).activity.data.map(({ kind, subject }) => [kind, subject]);
}

test("a customer corrects the name, and the account's history keeps the earlier one", async () => {
  const { token, email } = await world.signUp({ name: "Grase Mensah" });
  world.clock.advance(60_000);
  const answer = await change(token, { name: "  Grace \n Mensah " });
  expect([answer.statusCode, answer.json().user]).toMatchObject([200, { name: "Grace Mensah", email }]);
  const { user } = (await world.request("GET", "/api/user", undefined, { token })).json();
  expect(user).toMatchObject({ name: "Grace Mensah" });
  expect(await history(token)).toEqual([
    ["name_changed", "Grase Mensah"],
    ["signed_in", null],
  ]);
});

test("the same name again, and a change of the language, leave no trace in the account's history", async () => {
  const { token } = await world.signUp({ name: "Grace" });
  expect((await change(token, { name: "Grace", language: "fr" })).json()).toMatchObject({
    user: { name: "Grace", language: "fr" },
  });
  expect((await change(token, {})).json()).toMatchObject({ user: { name: "Grace", language: "fr" } });
  expect(await history(token)).toEqual([["signed_in", null]]);
});

test.each([
  ["", "Enter your name."],
  [" \u200b\n", "Enter your name."],
  ["\u3164\u2800\u200d", "Enter your name."],
  ["a".repeat(121), "The name is too long. Use at most 120 letters."],
])("the name %j is refused as at the sign-up", async (name, text) => {
  const { token } = await world.signUp({ name: "Grace" });
  const refused = await change(token, { name });
  expect([refused.statusCode, refused.json().errors]).toEqual([422, { name: [text] }]);
  expect((await world.request("GET", "/api/user", undefined, { token })).json()).toMatchObject({ user: { name: "Grace" } });
});

test("a customer may take ten new names a day", async () => {
  const limited = await accountWorld(1);
  try {
    const { token } = await limited.signUp();
    for (let i = 0; i < 10; i++) expect((await change(token, { name: `Name ${i}` }, limited)).statusCode).toBe(200);
    expect((await change(token, { name: "One more" }, limited)).statusCode).toBe(429);
    expect((await change(token, { language: "es" }, limited)).statusCode).toBe(200);
  } finally {
    await limited.close();
  }
});
