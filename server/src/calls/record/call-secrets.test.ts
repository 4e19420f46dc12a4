import { expect, test } from "vitest";
import { unwrittenCall } from "../../../test/draft-call.ts";
import { createCallSecrets } from "./call-secrets.ts";

const call = unwrittenCall();

test("a far leg is known as long as the API key that marked it is accepted", () => {
  const mark = createCallSecrets(["KEY1"]).farLegMark(call);
  expect(createCallSecrets(["KEY1", "KEY2"]).callOfFarLeg(mark)).toBe(call.id);
  expect(createCallSecrets(["KEY2", "KEY1"]).callOfFarLeg(mark)).toBe(call.id);
  expect(createCallSecrets(["KEY2"]).callOfFarLeg(mark)).toBeNull();
  expect(createCallSecrets(["KEY2"]).callOfFarLeg(createCallSecrets(["KEY2", "KEY1"]).farLegMark(call))).toBe(call.id);
});

test("a far leg's mark has the call's order, which nobody can change", () => {
  const secrets = createCallSecrets(["KEY1"]);
  const mark = secrets.farLegMark(call);
  const { customer_id, held_micros, created_at, ticket_hash } = call;
  expect(secrets.orderOfFarLeg(mark)).toMatchObject({ id: call.id, customer_id, held_micros, created_at, ticket_hash });
  const changed = JSON.parse(Buffer.from(mark, "base64").toString()) as { order: { held_micros: string } };
  changed.order.held_micros = "1";
  const forged = Buffer.from(JSON.stringify(changed)).toString("base64");
  expect(secrets.callOfFarLeg(forged)).toBe(call.id);
  expect(secrets.orderOfFarLeg(forged)).toBeNull();
  expect(createCallSecrets(["KEY2"]).orderOfFarLeg(mark)).toBeNull();
});

test("the mark of a release without orders is still known", () => {
  const secrets = createCallSecrets(["KEY1"]);
  const {
    order: _,
    order_proof: __,
    ...earlier
  } = JSON.parse(Buffer.from(secrets.farLegMark(call), "base64").toString()) as Record<string, unknown>;
  const mark = Buffer.from(JSON.stringify(earlier)).toString("base64");
  expect(secrets.callOfFarLeg(mark)).toBe(call.id);
  expect(secrets.orderOfFarLeg(mark)).toBeNull();
});
