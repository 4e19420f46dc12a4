import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createCallSecrets } from "./call-secrets.ts";

test("a far leg is known as long as the API key that marked it is accepted", () => {
  const call = randomUUID();
  const mark = createCallSecrets(["KEY1"]).farLegMark(call);
  expect(createCallSecrets(["KEY1", "KEY2"]).callOfFarLeg(mark)).toBe(call);
  expect(createCallSecrets(["KEY2", "KEY1"]).callOfFarLeg(mark)).toBe(call);
  expect(createCallSecrets(["KEY2"]).callOfFarLeg(mark)).toBeNull();
  expect(createCallSecrets(["KEY2"]).callOfFarLeg(createCallSecrets(["KEY2", "KEY1"]).farLegMark(call))).toBe(call);
});
