import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { classifySearch } from "./classify-search.ts";

const ID = "0190a5e2-7c11-7abc-8def-0123456789ab";

test.each([
  [ID, { kind: "id", id: ID }],
  [` {${ID.toUpperCase()}} `, { kind: "id", id: ID }],
  [`${ID}-0123456789abcdef`, { kind: "id", id: ID }],
  [`Call-ID: ${ID.toUpperCase()}-0123456789ABCDEF@192.0.2.7`, { kind: "id", id: ID }],
  ["Anna.Kovács@Example.COM", { kind: "email", start: "anna.kovács@example.com" }],
  ["mailto:anna@example.com", { kind: "email", start: "anna@example.com" }],
  ["anna@", { kind: "email", start: "anna@" }],
  ["anna1", { kind: "name", words: ["anna1"], start: "anna1" }],
  ["anna_k", { kind: "email", start: "anna_k" }],
  ["Kovács Anna", { kind: "name", words: ["kovacs", "anna"], start: null }],
  ["O’Brien-Smith, Zoë", { kind: "name", words: ["o", "brien", "smith", "zoe"], start: null }],
  ["प्रिया", { kind: "name", words: ["प्रिया"], start: "प्रिया" }],
  ["王伟", { kind: "name", words: ["王伟"], start: "王伟" }],
  ["anna.kovacs", { kind: "domain", domain: "anna.kovacs", start: "anna.kovacs" }],
  ["@Example.com", { kind: "domain", domain: "example.com", start: null }],
  ["bücher.example", { kind: "domain", domain: "xn--bcher-kva.example", start: "bücher.example" }],
  ["203.0.113.7", { kind: "network", network: "203.0.113.x" }],
  ["203.0.113.0/24", { kind: "network", network: "203.0.113.x" }],
  ["203.0.113.x", { kind: "network", network: "203.0.113.x" }],
  ["2001:DB8:1:2::7", { kind: "network", network: "2001:db8:1::x" }],
  ["2001:db8:1::/48", { kind: "network", network: "2001:db8:1::x" }],
  ["2001:db8:1::x", { kind: "network", network: "2001:db8:1::x" }],
  ["+44 (0) 7400 123-456", { kind: "number", start: "+447400123456" }],
  ["0044 7400 123456", { kind: "number", start: "+447400123456" }],
  ["011 44 7400 123456", { kind: "number", start: "+447400123456" }],
  ["0044 7400123456", { kind: "number", start: "+447400123456" }],
  ["tel:+44-7400-123456", { kind: "number", start: "+447400123456" }],
  ["<sip:+447400123456@carrier.example;user=phone>", { kind: "number", start: "+447400123456" }],
  ["447400123456", { kind: "number", start: "+447400123456" }],
  ["\u202a+٤٤٧٤٠٠١٢٣٤٥٦\u202c", { kind: "number", start: "+447400123456" }],
  ["4242", { kind: "card", last4: "4242", amountMicros: null, day: null }],
  ["•••• 4242", { kind: "card", last4: "4242", amountMicros: null, day: null }],
  ["4242 $25", { kind: "card", last4: "4242", amountMicros: 25_000_000n, day: null }],
  ["0042 25,50", { kind: "card", last4: "0042", amountMicros: 25_500_000n, day: null }],
  ["2026-000153", { kind: "receipt", year: 2026, sequence: 153 }],
  ["#1", { kind: "case", number: 1n }],
  ["#4242", { kind: "case", number: 4242n }],
  ["73", { kind: "case", number: 73n }],
  ["pi_3Qx", { kind: "provider_id", id: "pi_3Qx", behind: [] }],
  ["cs_test_a1", { kind: "provider_id", id: "cs_test_a1", behind: [] }],
  ["v3:a.0123", { kind: "leg", id: "v3:a.0123" }],
])("%s is understood", (text, term) => {
  expect(classifySearch(text)).toEqual(term);
});

test("a card may have an amount and a day", () => {
  expect(classifySearch("4242 25.00 2026-11-12")).toEqual({
    kind: "card",
    last4: "4242",
    amountMicros: 25_000_000n,
    day: { from: new Date("2026-11-12T00:00:00Z"), to: new Date("2026-11-13T00:00:00Z") },
  });
});

test.each([
  ["07400 123456", "national_number"],
  ["", "unclear"],
  ["  \u200b ", "unclear"],
  ["an", "unclear"],
  ["123456789012345678", "unclear"],
  ["4242 2026-13-45", "unclear"],
  ["why is my bill so high", "unclear"],
  ["203.0.0.0/8", "unclear"],
  ["a".repeat(256), "unclear"],
])("%j cannot be searched for", (text, because) => {
  expect(classifySearch(text)).toBe(because);
});

property.prop([fc.string({ unit: "binary", maxLength: 300 })])("no text is too odd to be classified", (text) => {
  const term = classifySearch(text);
  if (typeof term === "object" && term.kind === "number") expect(term.start).toMatch(/^\+[1-9]\d{6,14}$/);
});
