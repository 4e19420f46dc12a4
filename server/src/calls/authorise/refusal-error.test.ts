import { refuse } from "@farline/domain/calls/call-refusal.ts";
import { expect, test } from "vitest";
import { refusalError } from "./refusal-error.ts";

test("a refusal says when to try again only where waiting helps", () => {
  const frozen = refusalError(refuse("frozen"));
  expect([frozen.code, frozen.retryAfterSeconds]).toEqual(["account_frozen", undefined]);
  const breaker = refusalError(refuse("breaker", {}, { waitSeconds: 90 }));
  expect([breaker.code, breaker.retryAfterSeconds, breaker.message]).toEqual([
    "destination_paused",
    90,
    "Calls to this destination are paused for now. Try again later.",
  ]);
  const busy = refusalError(refuse("same_number", {}, { waitSeconds: 90 }));
  expect([busy.retryAfterSeconds, busy.message]).toEqual([90, expect.stringContaining("90 seconds")]);
});
