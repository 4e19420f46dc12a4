import { expect, test } from "vitest";
import type { ZodObject } from "zod";
import { passwordChangeRequest, passwordResetRequest } from "@farline/contract/account-access.ts";
import { api } from "@farline/contract/api/api.ts";
import type { Endpoint } from "@farline/contract/api/endpoint.ts";

const COMPOSED = "grüße aus köln 42".normalize("NFC");
const WRITINGS = [COMPOSED.normalize("NFD"), COMPOSED.replaceAll(" ", "\u00a0"), COMPOSED.replace("42", "４２")];

/** All password fields of all requests. */
const fields = Object.values<Endpoint>(api).flatMap(({ body }) =>
  Object.entries((body as Partial<ZodObject> | undefined)?.shape ?? {}).filter(([name]) =>
    /^(?:current_)?password(?:_confirmation)?$/.test(name),
  ),
);

test.each(WRITINGS)("all password fields normalise %j to the same password", (typed) => {
  expect(fields.length).toBeGreaterThan(6);
  for (const [, field] of fields) expect((field as { parse(value: unknown): unknown }).parse(typed)).toBe(COMPOSED);
});

test("a password's length is counted after normalisation", () => {
  const short = { password: "é".normalize("NFD").repeat(5), password_confirmation: "" };
  expect(passwordResetRequest.safeParse({ token: "t".repeat(43), ...short }).success).toBe(false);
  expect(passwordChangeRequest.safeParse(short).success).toBe(false);
});
