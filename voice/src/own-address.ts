import { networkInterfaces, type NetworkInterfaceInfo } from "node:os";

/** Networks of containers and virtual machines, which no other device is in. */
const VIRTUAL = /^(docker|br-|veth|virbr|vmnet|vboxnet|cni|flannel|utun|tun|tap|tailscale|wg)/;

/**
 * The IPv4 address of this machine in its network, or null without a network. Of several, that of the first real interface.
 * @param interfaces for tests
 */
export function ownAddress(
  interfaces: Readonly<Record<string, NetworkInterfaceInfo[] | undefined>> = networkInterfaces(),
): string | null {
  const outside = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => ({ name, address })),
  );
  return (outside.find(({ name }) => !VIRTUAL.test(name)) ?? outside[0])?.address ?? null;
}
