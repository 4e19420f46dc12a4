import { expect, test } from "vitest";
import { detailText } from "./texts.ts";

test.each([
  [{ amount_micros: "100000000", reach: 50, key: "k", concerns: "beyond_alone" }, ["amount $100.00", "reaches 50 customers"]],
  [{ amount_micros: "unlimited", reach: "everyone" }, ["amount unlimited", "reaches everyone"]],
  [{ amount_micros: "0", reach: 0, email: "ada@example.com" }, ["email ada@example.com"]],
  [{ minMicros: "5000000", maxUses: "", force: false }, ["min $5.00"]],
  [{ deck: "A-Z", of_trunk: "eu" }, ["deck A-Z", "of trunk eu"]],
])("%j reads as %j", (detail, texts) => {
  expect(detailText(detail)).toEqual(texts);
});
