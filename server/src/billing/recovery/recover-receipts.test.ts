import { DAY_MS } from "@farline/domain/durations.ts";
import { expect, test } from "vitest";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { recoverReceipts } from "./recover-receipts.ts";

test("the receipt of a payment that was ordered long before it was paid keeps its number", async () => {
  const world = await BillingWorld.start();
  const { clock, ctx, signUp } = world.service;
  const caller = await signUp();
  const { body } = await caller.post("top-up", { amount: 20 });
  world.stripe.promise(body.session_id);
  clock.advance(40 * DAY_MS);
  world.stripe.pay(body.session_id);
  await world.hear("checkout.session.async_payment_succeeded", { id: body.session_id });
  const issuedAt = clock.now();
  const receipt = `${issuedAt.getUTCFullYear()}-000007`;
  Object.assign(world.stripe.session(body.session_id).metadata, { receipt, receipt_issued_at: issuedAt.toISOString() });
  expect(await recoverReceipts(ctx, { from: new Date(issuedAt.getTime() - DAY_MS), above: null })).toMatchObject({
    recovered: 1,
  });
  await world.service.runJob("issue-receipts");
  const { receipts } = (await caller.get("receipts?limit=100")).body;
  expect(receipts.data).toMatchObject([{ number: receipt }]);
  await world.close();
});
