import { BlockList } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);

/** RFC 1918, RFC 3927, RFC 6598 and "this network". */
const unrouted = new BlockList();
unrouted.addSubnet("0.0.0.0", 8);
unrouted.addSubnet("10.0.0.0", 8);
unrouted.addSubnet("100.64.0.0", 10);
unrouted.addSubnet("169.254.0.0", 16);
unrouted.addSubnet("172.16.0.0", 12);
unrouted.addSubnet("192.168.0.0", 16);

/** How far an IPv4 address reaches: this machine, its own network, or everywhere. */
export function reachOf(address: string): "machine" | "network" | "world" {
  if (loopback.check(address)) return "machine";
  return unrouted.check(address) ? "network" : "world";
}
