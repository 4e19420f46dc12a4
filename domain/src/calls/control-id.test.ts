import { expect, test } from "vitest";
import { exchangeOfControlId } from "./call-state.ts";

test.each([
  ["v3:a-1.0123456789abcdef0123456789ABCDE_", "a-1"],
  ["v3:MdI91X4lWFEs7IgbBEOT9M4AigoY08M0WWZFISt1Yw2axZ_IiE4pqg", null],
  ["v3:a.short", null],
  ["", null],
])("the exchange of %j is %j", (id, exchange) => {
  expect(exchangeOfControlId(id)).toBe(exchange);
});
