import { Stripe } from "stripe";
import { describe, expect, test } from "vitest";
import type { AppError } from "../../platform/app-error.ts";
import { readStripeEvent } from "./read-stripe-event.ts";

const stripe = new Stripe("sk_test_unused");
const NOW = new Date("2026-11-23T12:00:00Z");
const [OLD_SECRET, NEW_SECRET] = ["whsec_old", "whsec_new"];

function read(event: object, { secret = NEW_SECRET, ageSeconds = 0 } = {}): unknown {
  const payload = JSON.stringify({ object: "event", ...event });
  const timestamp = NOW.getTime() / 1000 - ageSeconds;
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const delivery = { body: Buffer.from(payload), signature, secrets: [NEW_SECRET, OLD_SECRET], now: NOW };
  try {
    return readStripeEvent(stripe, delivery).id;
  } catch (error) {
    return (error as AppError).code;
  }
}

const EVENT = { id: "evt_1", type: "charge.refunded" };

describe("the signature of an event", () => {
  test.each([
    ["created now", {}, "evt_1"],
    ["by the previous secret", { secret: OLD_SECRET }, "evt_1"],
    ["by another secret", { secret: "whsec_forged" }, "bad_signature"],
    ["five minutes old", { ageSeconds: 300 }, "evt_1"],
    ["older", { ageSeconds: 301 }, "bad_signature"],
    ["five minutes ahead", { ageSeconds: -300 }, "evt_1"],
    ["further ahead", { ageSeconds: -301 }, "bad_signature"],
  ])("%s", (_what, signed, outcome) => {
    expect(read(EVENT, signed)).toBe(outcome);
  });
});

describe("a signed event", () => {
  const longest = "e".repeat(255);
  test.each([
    ["with the longest id", { ...EVENT, id: longest }, longest],
    ["with too long an id", { ...EVENT, id: `${longest}e` }, "malformed_request"],
    ["with too long a type", { ...EVENT, type: `${longest}e` }, "malformed_request"],
    ["without an id", { type: EVENT.type }, "malformed_request"],
    ["whose id is a number", { ...EVENT, id: 1 }, "malformed_request"],
    ["with text that cannot be stored", { ...EVENT, data: { object: { note: "\0" } } }, "malformed_request"],
  ])("%s", (_what, event, outcome) => {
    expect(read(event)).toBe(outcome);
  });
});
