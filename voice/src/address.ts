import { BlockList, isIPv6 } from "node:net";

/** Where a socket is bound, and the address that we announce. They differ behind 1:1 NAT. */
export interface Address {
  readonly bound: string;
  readonly announced: string;
  /** Browsers are told the machine's address in its network as well, whatever it is at the time. */
  readonly announcesOwn?: boolean;
}

/** Unspecified, link-local, multicast and reserved addresses. */
const unusable = blockList("0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "::/128", "fe80::/10", "ff00::/8");
const loopback = blockList("127.0.0.0/8", "::1/128");
const internal = blockList("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7");

/**
 * Whether we send to an address that a far end chose: to the machine itself only from there, into private networks only from one. The
 * far end could name any service inside otherwise.
 * @param from an address of ours, or one that the operator named
 */
export function mayReach(address: string, from: string): boolean {
  if (has(unusable, address)) return false;
  if (has(loopback, address)) return has(loopback, from);
  return !has(internal, address) || has(internal, from) || has(loopback, from);
}

/** An address of a private network. A far end behind NAT announces its own, and sends from another. */
export function isPrivate(address: string): boolean {
  return has(internal, address);
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

function blockList(...networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return list;
}
