import { expect, test } from "vitest";
import { ok, runChecks } from "./findings.ts";

test("a check that fails or hangs is a fault, and the others are still reported, in order", async () => {
  const findings = await runChecks(
    [
      { of: "the first", run: () => new Promise<never>(() => undefined) },
      { of: "the second", run: () => Promise.reject(Object.assign(new Error("x"), { code: "ECONNRESET" })) },
      { of: "the third", run: async () => [ok("Fine.")] },
    ],
    50,
  );
  expect(findings).toEqual([
    { level: "fault", text: "The check of the first did not end within 0.05 seconds." },
    { level: "fault", text: "The check of the second failed: ECONNRESET." },
    { level: "ok", text: "Fine." },
  ]);
});
