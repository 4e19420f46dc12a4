import { expect, test } from "vitest";
import { clientHost, clientNetwork } from "./client-network.ts";

test.each([
  ["203.0.113.9", "203.0.113.9", "203.0.113"],
  ["::ffff:203.0.113.9", "203.0.113.9", "203.0.113"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2", "2001:db8:1"],
  ["2001:DB8:1:2::9", "2001:db8:1:2", "2001:db8:1"],
  ["2001:0db8:0001:0002::6", "2001:db8:1:2", "2001:db8:1"],
  ["2001:db8::6%eth0", "2001:db8:0:0", "2001:db8:0"],
  ["::1", "0:0:0:0", "0:0:0"],
])("%s is counted with %s and %s", (address, host, network) => {
  expect([clientHost(address), clientNetwork(address)]).toEqual([host, network]);
});
