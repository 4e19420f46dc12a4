import pino from "pino";
import { afterEach, expect, test, vi } from "vitest";
import { createTestApp } from "../../../test/create-test-app.ts";
import { testContext } from "../../../test/test-context.ts";
import { testSession } from "../../../test/test-session.ts";
import { takeTurns } from "./customer-turns.ts";
import { sessionGuards } from "./session-guards.ts";

afterEach(() => void vi.useRealTimers());

/** An application whose requests end when the test says so. */
async function heldApp() {
  const running: { customer: string; finish: () => void }[] = [];
  const ctx = testContext({
    handle: { db: undefined } as never,
    authenticate: async ({ headers }) => {
      const [id = "", payerId = null] = String(headers.authorization).split(" of ");
      const payer = {
        id,
        payerId,
        email: "a@example.com",
        status: "active",
        emailVerified: true,
        createdAt: new Date(),
      } as const;
      return testSession(payer, new Date());
    },
  });
  const app = createTestApp({ log: pino({ level: "silent" }), trustedProxies: 0, guards: sessionGuards(ctx) });
  takeTurns(app, 2);
  app.get("/api/held", { config: { access: "customer" } }, async ({ headers }) => {
    await new Promise<void>((finish) => running.push({ customer: String(headers.authorization), finish }));
    return {};
  });
  await app.ready();
  const send = (customer: string) => app.inject({ url: "/api/held", headers: { authorization: customer } });
  return { app, running, send };
}

test("a customer with many requests waits for their own, and others do not", async () => {
  const { app, running, send } = await heldApp();
  const hot = Array.from({ length: 5 }, () => send("hot"));
  await expect.poll(() => running.length).toBe(2);
  const other = send("other");
  await expect.poll(() => running.map(({ customer }) => customer)).toEqual(["hot", "hot", "other"]);
  for (let n = 0; n < 6; n++) {
    await expect.poll(() => running.length).toBeGreaterThan(0);
    running.shift()?.finish();
  }
  expect((await Promise.all([...hot, other])).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200, 200]);
  await app.close();
});

test("a family's members and its owner wait for each other, because they use one account", async () => {
  const { app, running, send } = await heldApp();
  const family = ["one of owner", "another of owner", "owner"].map((customer) => send(customer));
  await expect.poll(() => running.length).toBe(2);
  const other = send("other");
  await expect.poll(() => running.map(({ customer }) => customer)).toEqual(["one of owner", "another of owner", "other"]);
  for (let n = 0; n < 4; n++) {
    await expect.poll(() => running.length).toBeGreaterThan(0);
    running.shift()?.finish();
  }
  expect((await Promise.all([...family, other])).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  await app.close();
});

test("a request whose turn does not come within seconds is refused with a time to retry", async () => {
  const { app, running, send } = await heldApp();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const held = [send("hot"), send("hot")];
  await expect.poll(() => running).toHaveLength(2);
  const late = send("hot");
  await vi.advanceTimersByTimeAsync(6_000);
  const { statusCode, headers } = await late;
  expect([statusCode, headers["retry-after"]]).toEqual([503, "2"]);
  for (const { finish } of running) finish();
  await Promise.all(held);
  await app.close();
});
