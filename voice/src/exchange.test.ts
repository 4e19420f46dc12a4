import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { BrowserPhone, FarPhone } from "../test/audio-ends.ts";
import { PCMU, sdp, type Step } from "../test/scenarios/carrier-script.ts";
import { ack, invite, ourBye, ringingCarrier } from "../test/scenarios/scenario.ts";
import { openPlane } from "../test/media-harness.ts";
import { SipBench, trunkTo } from "../test/sip-bench.ts";
import type { Trunks } from "./sip/trunk.ts";
import { testExchange, type TestExchange } from "../test/test-exchange.ts";

const destination = "+442079460000";
const browserSample = 0x2a;
const farSample = 0x5c;

const cleanups = new SipBench();
afterEach(() => cleanups.end());

/** Sends early media from the far phone, answers and waits for our BYE. */
function talkingCarrier(rtpPort: number): readonly Step[] {
  const early = { reply: "183 Session Progress", sdp: sdp([`m=audio ${rtpPort} RTP/AVP 0 101`, ...PCMU.slice(1)]) };
  return [invite, early, { reply: "200 OK" }, ack, ...ourBye];
}

/** An exchange with real media and SIP, with SIPp as the carrier and a far phone behind it. */
async function startWithCarrier(
  steps: (rtpPort: number) => readonly Step[],
): Promise<{ bench: TestExchange; far: FarPhone; trunks: Trunks; carrierDone: Promise<void> }> {
  const far = new FarPhone(farSample);
  cleanups.add(() => far.close());
  const carrier = await cleanups.carrier(steps(await far.bind()));
  const media = await openPlane();
  cleanups.add(() => media.close());
  const trunks = await cleanups.trunks([trunkTo(carrier.port)]);
  const bench = await testExchange({ media, network: trunks });
  cleanups.add(() => bench.close());
  return { bench, far, trunks, carrierDone: carrier.done };
}

async function callFrom(
  bench: TestExchange,
): Promise<{ phone: BrowserPhone; client: Awaited<ReturnType<TestExchange["browser"]>>; callId: string; controlId: string }> {
  const client = await bench.browser();
  const phone = new BrowserPhone(browserSample);
  cleanups.add(() => phone.close());
  const callId = randomUUID();
  await client.invite(callId, await phone.offer());
  const { payload } = await bench.webhooks.next("call.initiated");
  const media = await client.next("media");
  await phone.accept(String(media.params?.["sdp"]));
  return { phone, client, callId, controlId: String(payload["call_control_id"]) };
}

describe("a call through the whole exchange", () => {
  test("is parked, transferred and heard on both sides, until a command ends it", async () => {
    const { bench, far, carrierDone } = await startWithCarrier(talkingCarrier);
    const { phone, client, controlId } = await callFrom(bench);
    await bench.telnyx.calls.actions.transfer(controlId, { to: destination, time_limit_secs: 60 });
    await client.next("answer");
    await expect.poll(() => far.heard.of(browserSample)).toBeGreaterThan(10);
    await expect.poll(() => phone.heard.of(farSample)).toBeGreaterThan(10);
    expect(phone.heard.of(browserSample)).toBe(0);
    await bench.telnyx.calls.actions.hangup(controlId, {});
    const ended = await bench.webhooks.next("call.hangup");
    const { inbound } = ended.payload["call_quality_stats"] as { inbound: { packet_count: string } };
    expect(Number(inbound.packet_count)).toBeGreaterThan(10);
    await carrierDone;
  });

  test("ends at its time limit, counted from the answer, with a BYE to the carrier", async () => {
    const { bench, carrierDone } = await startWithCarrier(talkingCarrier);
    const { client, controlId } = await callFrom(bench);
    await bench.telnyx.calls.actions.transfer(controlId, { to: destination, time_limit_secs: 1 });
    const bridging = await bench.webhooks.next("call.initiated", ({ payload }) => payload["state"] === "bridging");
    const own = ({ payload }: { payload: Record<string, unknown> }): boolean =>
      payload["call_control_id"] === bridging.payload["call_control_id"];
    const answered = await bench.webhooks.next("call.answered", own);
    expect((await client.next("bye")).params).toMatchObject({ cause: "NORMAL_CLEARING" });
    const ended = await bench.webhooks.next("call.hangup", own);
    expect(ended.payload).toMatchObject({ hangup_cause: "time_limit", to: destination });
    // Timers and the wall clock may differ by some milliseconds.
    expect(ended.occurredAt.getTime() - answered.occurredAt.getTime()).toBeGreaterThanOrEqual(980);
    expect((await bench.telnyx.calls.retrieveStatus(controlId)).data?.is_alive).toBe(false);
    await carrierDone;
  });

  test("is cancelled at the carrier if the browser hangs up while it rings", async () => {
    const { bench, trunks, carrierDone } = await startWithCarrier(() => ringingCarrier);
    const { client, callId, controlId } = await callFrom(bench);
    await bench.telnyx.calls.actions.transfer(controlId, { to: destination, time_limit_secs: 60 });
    await expect.poll(() => trunks.activeCalls).toBe(1);
    await client.bye(callId);
    const ended = await bench.webhooks.next("call.hangup");
    expect(ended.payload).toMatchObject({ hangup_cause: "originator_cancel", hangup_source: "caller" });
    await carrierDone;
    expect(bench.webhooks.received.some(({ type }) => type === "call.answered")).toBe(false);
  });

  test("ends with a bye if the offer is not SDP", async () => {
    const { bench } = await startWithCarrier(() => ringingCarrier);
    const client = await bench.browser();
    await client.invite(randomUUID(), "v=0 rubbish");
    expect((await client.next("bye")).params).toMatchObject({ cause: "INCOMPATIBLE_DESTINATION", sipCode: 488 });
  });
});
