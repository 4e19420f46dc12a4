import { expect, test } from "vitest";
import { ownAddress } from "./own-address.ts";

const on = (address: string, family: "IPv4" | "IPv6" = "IPv4", internal = false) => [
  { address, family, internal, netmask: "", mac: "", cidr: null, scopeid: 0 } as never,
];

test("is the address of a real interface, not of a container's network, IPv6 or this machine alone", () => {
  const lo = on("127.0.0.1", "IPv4", true);
  expect(ownAddress({ lo, docker0: on("172.17.0.1"), wlan0: on("192.168.1.20"), eth1: on("fe80::1", "IPv6") })).toBe(
    "192.168.1.20",
  );
  expect(ownAddress({ lo, docker0: on("172.17.0.1") })).toBe("172.17.0.1");
  expect(ownAddress({ lo })).toBeNull();
});
