import { sql } from "kysely";
import { expect, test } from "vitest";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";

test("all due payments are checked in one run, four at once, however many there are", async () => {
  const world = await BillingWorld.start();
  const { db } = world.database.handle;
  const sessions: string[] = [];
  for (let count = 0; count < 60; count++) {
    const caller = await world.service.signUp();
    sessions.push((await caller.post("top-up", { amount: 10 })).body.session_id);
  }
  await sql`update payment set next_check_at = ${world.service.clock.now()}`.execute(db);
  world.stripe.asked.length = 0;
  let atOnce = 0;
  let most = 0;
  const four = Promise.withResolvers<void>();
  world.stripe.beforeAnswer = async () => {
    most = Math.max(most, ++atOnce);
    if (atOnce === 4) four.resolve();
    await four.promise;
    atOnce -= 1;
  };
  await world.service.poll();
  expect(world.stripe.asked.toSorted()).toEqual(sessions.toSorted());
  expect(most).toBe(4);
  await world.close();
});
