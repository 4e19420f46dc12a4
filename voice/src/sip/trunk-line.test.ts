import { Resolver } from "@farline/sip/transport/resolver.ts";
import { SipEndpoint } from "@farline/sip/transport/sip-endpoint.ts";
import { afterEach, expect, it } from "vitest";
import { LOOPBACK } from "../../test/loopback.ts";
import { silentLog } from "../../test/scripted-ports.ts";
import { SipBench, trunkTo } from "../../test/sip-bench.ts";
import { fieldOf, replyTo, startSocketCarrier } from "../../test/socket-carrier.ts";
import { CallRegistry } from "./call-registry.ts";
import { IncomingMessages } from "./incoming-messages.ts";
import { TrunkLine } from "./trunk-line.ts";

const bench = new SipBench();
afterEach(() => bench.end());

/** A UDP trunk whose host name has addresses only while `isUp`. */
async function openLine(port: number, isUp: () => boolean): Promise<TrunkLine> {
  const registry = new CallRegistry(() => undefined);
  const endpoint: SipEndpoint = await SipEndpoint.open({
    address: LOOPBACK.bound,
    port: 0,
    maxTransactions: 10,
    user: new IncomingMessages(registry, (request, response) => endpoint.respond(request, response)),
    events: { admits: () => true, malformed: () => undefined, connectionLost: () => undefined, problem: () => undefined },
  });
  bench.add(() => endpoint.close());
  const addresses = async (): Promise<string[]> => (isUp() ? ["127.0.0.1"] : []);
  const resolver = new Resolver({ family: 4, dns: { srv: async () => [], addresses } });
  const trunk = trunkTo(port, { host: "sip.carrier.test", registrar: { host: "carrier.test", port }, username: "farline" });
  return new TrunkLine({ trunk, contactUser: "trunk0", address: LOOPBACK, endpoint, resolver, registry, log: silentLog });
}

it("a UDP trunk registers when the carrier responds to OPTIONS again, and both name the account", async () => {
  const carrier = await startSocketCarrier("udp", (message, send) => send(replyTo(message, "200 OK")));
  bench.add(() => carrier.close());
  const state = { isUp: false };
  const line = await openLine(carrier.port, () => state.isUp);
  expect(await line.ping()).toBe(false);
  await expect.poll(() => line.registration).toBe("silent");
  state.isUp = true;
  expect(await line.ping()).toBe(true);
  await expect.poll(() => line.registration).toBe("registered");
  await line.unregister();
  const senders = carrier.heard.map((message) => `${message.split(" ")[0]} ${fieldOf(message, "From").split(";")[0]}`);
  expect(new Set(senders)).toEqual(new Set(["OPTIONS <sip:farline@carrier.test>", "REGISTER <sip:farline@carrier.test>"]));
});
