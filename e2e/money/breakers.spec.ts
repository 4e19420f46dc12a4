import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { operate } from "../support/operate.ts";

test("an operator lists on the command line what blocks calls", async () => {
  const { code, said } = await operate("breakers");
  expect(code).toBe(0);
  expect(said).toMatch(/^Carriers have taken \$\d+\.\d\d since midnight UTC\.\nNo breaker is active\.\n$/);
  const unknown = await operate("breakers", "lift", "01a2010b-0000-7000-8000-000000000000", "--reason", "Ours");
  expect(unknown).toMatchObject({ code: 1, said: expect.stringContaining("is active") });
});
