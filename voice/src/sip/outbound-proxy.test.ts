import { afterEach, expect, test } from "vitest";
import { PCMU, sdp } from "../../test/scenarios/carrier-script.ts";
import { ack, answer, invite, ourBye } from "../../test/scenarios/scenario.ts";
import { Kamailio, SipSender } from "../../test/proxies/kamailio.ts";
import { dial, SipBench, trunkTo } from "../../test/sip-bench.ts";
import { type Carrier, startCarrier } from "../../test/sipp.ts";

const CALLS = 20;
const bench = new SipBench();
afterEach(() => bench.end());

/** A carrier that answers any number of calls and names itself in its SDP. */
async function namedCarrier(name: string): Promise<Carrier> {
  const headers = ["[last_Record-Route:]"];
  const named = { ...answer, headers, sdp: sdp([...PCMU, `a=x-carrier:${name}`]) };
  const carrier = await startCarrier([invite, named, ack, ...ourBye], { calls: 2 * CALLS });
  bench.add(() => carrier.stop());
  return carrier;
}

test("the shipped proxy rotates calls among the carriers, and no call fails when a carrier is killed", async () => {
  const [one, other] = [await namedCarrier("one"), await namedCarrier("other")];
  const proxy = await Kamailio.start([`1 sip:127.0.0.1:${one.port}`, `1 sip:127.0.0.1:${other.port}`, "2 sip:127.0.0.1:9"]);
  bench.add(() => proxy.stop());
  const trunks = await bench.trunks([trunkTo(proxy.port)], { firstResponseTimeoutMs: 10_000 });
  /** Makes a call. @returns the carrier that answered */
  async function place(): Promise<string> {
    const { call, answered, ended } = dial(trunks);
    const answer = await Promise.race([answered, ended.then(({ sipStatus }) => `refused with ${sipStatus}`)]);
    await call.hangUp();
    await ended;
    return /a=x-carrier:(\w+)/.exec(answer)?.[1] ?? answer;
  }
  const before = await Promise.all(Array.from({ length: CALLS }, place));
  expect(new Set(before)).toEqual(new Set(["one", "other"]));
  await one.stop();
  const after = await Promise.all(Array.from({ length: CALLS }, place));
  expect(new Set(after)).toEqual(new Set(["other"]));
});

test("the shipped proxy accepts calls from exchanges only, and does not respond to others", async () => {
  const proxy = await Kamailio.start(["1 sip:127.0.0.5:9", "2 sip:127.0.0.1:9"]);
  bench.add(() => proxy.stop());
  const [stranger, carrier, exchange] = await Promise.all(
    ["127.0.0.9", "127.0.0.5", "127.0.0.1"].map((one) => SipSender.on(one)),
  );
  for (const sender of [stranger, carrier, exchange]) bench.add(async () => sender?.close());
  for (const method of ["OPTIONS", "INVITE", "BYE"]) stranger?.send(proxy.port, method);
  carrier?.send(proxy.port, "INVITE");
  await expect.poll(() => carrier?.heard).toEqual(["SIP/2.0 403 Forbidden"]);
  carrier?.send(proxy.port, "BYE", ";tag=unknown");
  await expect.poll(() => carrier?.heard.at(-1)).toBe("SIP/2.0 481 Call Does Not Exist");
  exchange?.send(proxy.port, "OPTIONS");
  await expect.poll(() => exchange?.heard).toEqual(["SIP/2.0 200 OK"]);
  expect(stranger?.heard).toEqual([]);
});
