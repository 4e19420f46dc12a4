import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../app-error.ts";
import { LIMITS, type LimitName } from "./limit-lanes.ts";
import { memoryRateLimit, sharedRateLimit, type RateLimit } from "./rate-limit.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** At which a limit admits this many. */
const scaleFor = (name: LimitName, points: number) => ({ limitsScale: points / LIMITS[name].points });

async function taken(limit: RateLimit, key: string, times: number): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: times }, () => limit.take(key)));
  const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  for (const reason of failed) expect(reason).toBeInstanceOf(AppError);
  return times - failed.length;
}

test.each(["memory", "shared"])("a %s limit admits exactly its points for each key", async (kind) => {
  const ctx = { handle: database.handle, config: scaleFor("initiate", 3) };
  const limit = kind === "memory" ? memoryRateLimit(ctx, "initiate") : sharedRateLimit(ctx, "initiate");
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
  const ctx = { handle: database.handle, config: scaleFor("call-refund", 3) };
  const [here, there] = [sharedRateLimit(ctx, "call-refund"), sharedRateLimit(ctx, "call-refund")];
  expect((await taken(here, "one", 2)) + (await taken(there, "one", 2))).toBe(3);
});

test("the scale multiplies a limit and 0 turns it off", async () => {
  const scaled = (limitsScale: number) => taken(memoryRateLimit({ config: { limitsScale } }, "data-export"), "one", 50);
  expect([await scaled(1), await scaled(2), await scaled(0.01), await scaled(0)]).toEqual([3, 6, 1, 50]);
});
