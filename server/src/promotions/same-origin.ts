import type { Origins } from "../accounts/accounts.ts";

/** Networks that identify nobody: loopback and private ranges, IPv4 and IPv6. */
const PRIVATE_NETWORK = /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.|^(0:0:0:|fe80:|f[cd])/i;

/** A customer's known origins, without meaningless ones. */
export function tellingOrigins({ browsers, networks }: Origins): Origins {
  return { browsers, networks: networks.filter((network) => !PRIVATE_NETWORK.test(network)) };
}

/** What two people have in common. */
export function sharedOrigin(one: Origins, other: Origins): "same_browser" | "same_network" | null {
  if (one.browsers.some((browser) => other.browsers.includes(browser))) return "same_browser";
  return one.networks.some((network) => other.networks.includes(network)) ? "same_network" : null;
}
