import { expect, test } from "vitest";
import { networksOf } from "./client-network.ts";

test.each([
  ["203.0.113.9", ["203.0.113.9", "203.0.113/24"]],
  ["::ffff:203.0.113.9", ["203.0.113.9", "203.0.113/24"]],
  ["2001:db8:1:2:3:4:5:6", ["2001:db8:1:2", "2001:db8:1:0/56", "2001:db8:1/48"]],
  ["2001:DB8:1:2ff::9", ["2001:db8:1:2ff", "2001:db8:1:200/56", "2001:db8:1/48"]],
  ["2001:0db8:0001:0002::6", ["2001:db8:1:2", "2001:db8:1:0/56", "2001:db8:1/48"]],
  ["2001:db8::6%eth0", ["2001:db8:0:0", "2001:db8:0:0/56", "2001:db8:0/48"]],
  // Some proxies forward the client's port too, which is another for each connection.
  ["203.0.113.9:54321", ["203.0.113.9", "203.0.113/24"]],
  ["[2001:db8:1:2::6]:54321", ["2001:db8:1:2", "2001:db8:1:0/56", "2001:db8:1/48"]],
  ["[::ffff:203.0.113.9]:54321", ["203.0.113.9", "203.0.113/24"]],
  ["[2001:db8:1:2::6]", ["2001:db8:1:2", "2001:db8:1:0/56", "2001:db8:1/48"]],
  ["::1", ["0:0:0:0", "0:0:0:0/56", "0:0:0/48"]],
])("%s belongs to its host and wider networks", (address, keys) => {
  expect(networksOf(address).map(({ key }) => key)).toEqual(keys);
});

test("a wider network has a higher limit than the networks in it", () => {
  expect(networksOf("2001:db8::1").map(({ times }) => times)).toEqual([1, 4, 16]);
  expect(networksOf("203.0.113.9").map(({ times }) => times)).toEqual([1, 16]);
});
