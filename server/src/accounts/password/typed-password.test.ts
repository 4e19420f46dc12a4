import { expect, test } from "vitest";
import type { ZodObject } from "zod";
import { passwordChangeRequest, passwordResetRequest } from "@farline/contract/account-access.ts";
import * as access from "@farline/contract/account-access.ts";
import * as accounts from "@farline/contract/accounts.ts";

const COMPOSED = "grüße aus köln 42".normalize("NFC");
const WRITINGS = [COMPOSED.normalize("NFD"), COMPOSED.replaceAll(" ", "\u00a0"), COMPOSED.replace("42", "４２")];

/** Every field of every request that holds a password. */
const fields = Object.values({ ...accounts, ...access }).flatMap((schema) =>
  Object.entries((schema as Partial<ZodObject>).shape ?? {}).filter(([name]) =>
    /^(?:current_)?password(?:_confirmation)?$/.test(name),
  ),
);

test.each(WRITINGS)("every request takes %j as the same password", (typed) => {
  expect(fields.length).toBeGreaterThan(6);
  for (const [, field] of fields) expect((field as { parse(value: unknown): unknown }).parse(typed)).toBe(COMPOSED);
});

test("its length is counted after that", () => {
  const short = { password: "é".normalize("NFD").repeat(5), password_confirmation: "" };
  expect(passwordResetRequest.safeParse({ token: "t".repeat(43), ...short }).success).toBe(false);
  expect(passwordChangeRequest.safeParse(short).success).toBe(false);
});
