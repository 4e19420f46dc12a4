import type { SipRequest } from "@farline/sip/message/message.ts";
import type { Destination } from "@farline/sip/transport/order-targets.ts";
import type { Target } from "@farline/sip/transport/target.ts";
import { describe, expect, it } from "vitest";
import { silentLog } from "../../../test/scripted-ports.ts";
import { trunkTo } from "../../../test/sip-bench.ts";
import { destinationFrom, TrunkWays } from "./trunk-ways.ts";

describe("the destination of a URI", () => {
  const udp: Destination = { host: "carrier.test", port: null, transport: "UDP" };
  const tcp: Destination = { ...udp, transport: "TCP" };
  const tls: Destination = { ...udp, transport: "TLS" };
  it.each([
    ["without a transport, over UDP", udp, "sip:a@far.test", "UDP far.test null"],
    ["without a transport, over TCP", tcp, "sip:a@far.test:5080", "TCP far.test 5080"],
    ["without a transport, over TLS", tls, "sip:a@far.test", "TLS far.test null"],
    ["that asks for TCP of a UDP trunk", udp, "sip:a@far.test;transport=TCP", "TCP far.test null"],
    ["that asks for UDP of a TCP trunk", tcp, "sip:a@far.test;transport=udp", "UDP far.test null"],
    ["that asks for TLS of a TCP trunk", tcp, "sip:a@far.test;transport=tls", "TLS far.test null"],
    ["of the scheme sips", udp, "sips:a@far.test", "TLS far.test null"],
    ["with maddr", tcp, "sip:a@far.test;maddr=192.0.2.7", "TCP 192.0.2.7 null"],
    ["of IPv6", tcp, "sip:a@[2001:db8::7]:5070;transport=tcp", "TCP 2001:db8::7 5070"],
    ["that would leave TLS", tls, "sip:a@far.test;transport=tcp", null],
    ["with a transport that we lack", udp, "sip:a@far.test;transport=sctp", null],
    ["that is a number", udp, "tel:+442079460018", null],
    ["that is none", udp, "carrier", null],
  ])("%s", (_, own, uri, expected) => {
    const found = destinationFrom(own, uri);
    expect(found === null ? null : `${found.transport} ${found.host} ${found.port}`).toBe(expected);
  });
});

describe("a far side's address", () => {
  const invite = { uri: "sip:+442079460018@trunk.test" } as SipRequest;

  /** A TCP trunk at one address, and what was connected to. */
  async function ways(trunkAddress: string) {
    const connected: string[] = [];
    const resolve = async ({ host, port, transport }: Destination): Promise<Target[]> => {
      const address = host === "trunk.test" ? trunkAddress : host;
      return [{ transport, address, port: port ?? 5060, domain: null }];
    };
    const connect = ({ address }: Target) => {
      connected.push(address);
      return { ready: Promise.resolve() } as never;
    };
    const trunk = new TrunkWays({
      trunk: trunkTo(5060, { host: "trunk.test", transport: "tcp" }),
      owner: { name: "trunk0", tls: {} },
      resolver: { resolve },
      transports: { connect, break: () => undefined, isConnected: () => true, isSilentSince: () => false },
      connectedTo: () => null,
      log: silentLog,
    });
    trunk.sent(invite, await trunk.toTrunk());
    const to = async (host: string): Promise<string> => (await trunk.of({ uri: `sip:a@${host}`, invite })).target.address;
    return { to, connected };
  }

  it.each(["127.0.0.1", "10.0.0.5", "192.168.1.1", "169.254.169.254", "224.0.0.1", "0.0.0.0"])(
    "%s is never connected to for a public trunk",
    async (inside) => {
      const { to, connected } = await ways("203.0.113.1");
      expect([await to(inside), connected]).toEqual(["203.0.113.1", []]);
    },
  );

  it("is connected to if it is public, or as private as the trunk's, but never our own machine", async () => {
    expect(await (await ways("203.0.113.1")).to("198.51.100.9")).toBe("198.51.100.9");
    const { to } = await ways("10.0.0.1");
    expect([await to("10.0.0.9"), await to("198.51.100.9"), await to("127.0.0.1")]).toEqual([
      "10.0.0.9",
      "198.51.100.9",
      "10.0.0.1",
    ]);
  });
});
