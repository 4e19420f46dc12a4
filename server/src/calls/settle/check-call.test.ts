import { expect, test } from "vitest";
import { SilentExchanges } from "./check-call.ts";

const leg = (exchange: string, call: number) => `v3:${exchange}.${String(call).padStart(32, "0")}`;

test("an exchange is silent after eight queries in a row without an answer, and others are not", () => {
  const exchanges = new SilentExchanges();
  for (let call = 0; call < 7; call++) exchanges.note(leg("a", call), { answered: false });
  expect(exchanges.isSilent(leg("a", 99))).toBe(false);
  exchanges.note(leg("a", 7), { answered: false });
  expect(exchanges.isSilent(leg("a", 99))).toBe(true);
  expect(exchanges.isSilent(leg("b", 99))).toBe(false);
  exchanges.note(leg("a", 8), { answered: true });
  expect(exchanges.isSilent(leg("a", 99))).toBe(false);
});

test("a provider whose ids name no exchange is never silent", () => {
  const exchanges = new SilentExchanges();
  for (let call = 0; call < 20; call++) exchanges.note(`v3:${call}`, { answered: false });
  expect(exchanges.isSilent("v3:1")).toBe(false);
});
