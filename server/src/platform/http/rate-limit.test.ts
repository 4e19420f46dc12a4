import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../app-error.ts";
import { memoryRateLimit, sharedRateLimit, type RateLimit } from "./rate-limit.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const rule = { points: 3, perSeconds: 600, scale: 1 };

async function taken(limit: RateLimit, key: string, times: number): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: times }, () => limit.take(key)));
  const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  for (const reason of failed) expect(reason).toBeInstanceOf(AppError);
  return times - failed.length;
}

test.each(["memory", "shared"])("a %s limit admits exactly its points for each key", async (kind) => {
  const limit =
    kind === "memory"
      ? memoryRateLimit({ ...rule, name: "initiate" })
      : sharedRateLimit(database.handle, { ...rule, name: "initiate" });
  expect(await taken(limit, "one", 10)).toBe(3);
  expect(await taken(limit, "two", 2)).toBe(2);
  await limit.clear("one");
  expect(await taken(limit, "one", 1)).toBe(1);
  await limit.giveBack("one");
  expect(await taken(limit, "one", 10)).toBe(3);
  const refusal = await limit.take("one").catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "rate_limited", retryAfterSeconds: expect.any(Number) });
});

test("two services on one database share a limit", async () => {
  const [here, there] = [1, 2].map(() => sharedRateLimit(database.handle, { ...rule, name: "lookup" })) as [RateLimit, RateLimit];
  expect((await taken(here, "one", 2)) + (await taken(there, "one", 2))).toBe(3);
});

test("the scale multiplies a limit and 0 turns it off", async () => {
  expect(await taken(memoryRateLimit({ ...rule, name: "document", scale: 2 }), "one", 10)).toBe(6);
  expect(await taken(memoryRateLimit({ ...rule, name: "caller-id", scale: 0.01 }), "one", 10)).toBe(1);
  expect(await taken(memoryRateLimit({ ...rule, name: "case-day", scale: 0 }), "one", 50)).toBe(50);
});

test("a limit that does not say who can use it up cannot be created", () => {
  expect(() => memoryRateLimit({ ...rule, name: "new" })).toThrow('LIMITS lacks the limit "new"');
});
