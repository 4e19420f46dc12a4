import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

test("work of one key runs in its order, one at a time, and beside that of others", async () => {
  const turns = new Turns();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await nextTick();
    log.push(`${name} ends`);
    return name;
  };
  const results = await Promise.all([turns.take("a", work("a1")), turns.take("a", work("a2")), turns.take("b", work("b1"))]);
  expect(results).toEqual(["a1", "a2", "b1"]);
  expect(log.filter((line) => line.startsWith("a"))).toEqual(["a1 begins", "a1 ends", "a2 begins", "a2 ends"]);
  expect(log.indexOf("b1 begins")).toBeLessThan(log.indexOf("a1 ends"));
  expect(turns.size).toBe(0);
});

test("failed work fails for its caller alone", async () => {
  const turns = new Turns();
  const failed = turns.take("a", () => Promise.reject(new Error("no")));
  const next = turns.take("a", async () => "yes");
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("yes");
});

test("too much for one key is refused, and others go on", async () => {
  const turns = new Turns();
  const { promise, resolve } = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 100 }, () => turns.take("a", () => promise));
  await expect(turns.take("a", () => promise)).rejects.toMatchObject({ code: "unavailable" });
  expect(await turns.take("b", async () => "b")).toBe("b");
  resolve();
  await Promise.all(waiting);
});
