import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { clientAddress } from "./client-address.ts";

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  return { socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } } as unknown as IncomingMessage;
}

test.each([
  ["nobody is trusted", 0, "198.51.100.7, 203.0.113.9", "10.0.0.1"],
  ["the proxy is trusted, not what its client claims", 1, "198.51.100.7, 203.0.113.9", "203.0.113.9"],
  ["two proxies are trusted", 2, "198.51.100.7, 203.0.113.9", "198.51.100.7"],
  ["the proxy adds the client's port", 1, "198.51.100.7, 203.0.113.9:54321", "203.0.113.9"],
  ["the proxy adds an IPv6 client's port", 1, "198.51.100.7, [2001:db8::6]:54321", "2001:db8::6"],
  ["the proxy hides its client behind a claim", 1, "198.51.100.7, unknown", "10.0.0.1"],
  ["fewer hops came than are trusted", 5, "203.0.113.9", "203.0.113.9"],
  ["the header is missing", 1, undefined, "10.0.0.1"],
  ["the header is rubbish", 1, "unknown, x", "10.0.0.1"],
])("clientAddress returns the sender's address when %s", (_when, proxies, forwarded, expected) => {
  expect(clientAddress(from("10.0.0.1", forwarded), proxies)).toBe(expected);
});
