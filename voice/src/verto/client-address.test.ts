import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { clientAddress, neighbourhood } from "./client-address.ts";

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  return { socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } } as unknown as IncomingMessage;
}

test.each([
  ["nobody is trusted", 0, "198.51.100.7, 203.0.113.9", "10.0.0.1"],
  ["the proxy is trusted, not what its client claims", 1, "198.51.100.7, 203.0.113.9", "203.0.113.9"],
  ["two proxies are trusted", 2, "198.51.100.7, 203.0.113.9", "198.51.100.7"],
  ["fewer hops came than are trusted", 5, "203.0.113.9", "203.0.113.9"],
  ["the header is missing", 1, undefined, "10.0.0.1"],
  ["the header is rubbish", 1, "unknown, x", "10.0.0.1"],
])("an address is the sender's when %s", (_when, proxies, forwarded, expected) => {
  expect(clientAddress(from("10.0.0.1", forwarded), proxies)).toBe(expected);
});

test.each([
  ["203.0.113.9", "203.0.113.9", "203.0.113"],
  ["::ffff:203.0.113.9", "203.0.113.9", "203.0.113"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2", "2001:db8:1"],
  ["2001:0db8:0001:0002::6", "2001:db8:1:2", "2001:db8:1"],
  ["2001:db8::6", "2001:db8:0:0", "2001:db8:0"],
  ["::1", "0:0:0:0", "0:0:0"],
])("%s is counted with %s and %s", (address, host, network) => {
  expect(neighbourhood(address)).toEqual({ host, network });
});
