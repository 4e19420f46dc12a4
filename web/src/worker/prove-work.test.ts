import { expect, test } from "vitest";
import { proveWork } from "./prove-work.ts";

test("the counters solve the challenge, verified with the browser's own SHA-256", async () => {
  const token = "a-token_of_the-service";
  const counters = proveWork({ token, proofs: 5, bits: 8 });
  expect(counters).toHaveLength(5);
  const seed = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token)));
  for (const [index, counter] of counters.entries()) {
    const message = new Uint8Array([
      ...seed,
      index,
      counter >>> 24,
      (counter >>> 16) & 255,
      (counter >>> 8) & 255,
      counter & 255,
    ]);
    expect(new Uint8Array(await crypto.subtle.digest("SHA-256", message))[0]).toBe(0);
  }
});
