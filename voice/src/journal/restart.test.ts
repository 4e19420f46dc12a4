import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { BrowserPhone } from "../../test/audio-ends.ts";
import { sdp, type Step } from "../../test/scenarios/carrier-script.ts";
import { ExchangeProcess } from "../../test/exchange-process.ts";
import type { SdkClient } from "../../test/sdk-client.ts";
import { type Carrier, startCarrier } from "../../test/sipp.ts";

const cleanups = new Cleanups();
afterEach(() => cleanups.end());

interface Dialled {
  readonly exchange: ExchangeProcess;
  readonly carrier: Carrier;
  readonly client: SdkClient;
}

/** A call over an exchange in its own process. */
async function dialled(steps: readonly Step[]): Promise<Dialled> {
  const carrier = await startCarrier(steps);
  cleanups.add(() => carrier.stop());
  const exchange = await ExchangeProcess.start(carrier.port);
  cleanups.add(() => exchange.close());
  const client = await exchange.browser();
  cleanups.add(() => client.drop());
  const phone = new BrowserPhone(0x2a);
  cleanups.add(() => phone.close());
  await client.invite(randomUUID(), await phone.offer());
  const { payload } = await exchange.webhooks.next("call.initiated");
  await phone.accept(String((await client.next("media")).params?.["sdp"]));
  await exchange.telnyx.calls.actions.transfer(String(payload["call_control_id"]), { to: "+442079460000", time_limit_secs: 60 });
  return { exchange, carrier, client };
}

/** An answered call, with a carrier that expects a BYE. */
async function talking(): Promise<Dialled & { answeredAt: Date }> {
  const call = await dialled([
    { recv: "INVITE" },
    { reply: "200 OK", sdp: sdp() },
    { recv: "ACK" },
    { recv: "BYE", contains: "Exchange was restarted" },
    { reply: "200 OK" },
  ]);
  const { occurredAt } = await call.exchange.webhooks.next("call.answered");
  return { ...call, answeredAt: occurredAt };
}

describe("an exchange that is killed during a call", () => {
  test("hangs up the far end after its restart, and reports its last sign of life and the carrier's cost", async () => {
    const { exchange, carrier, answeredAt } = await talking();
    await exchange.end("SIGKILL");
    const killedAt = Date.now();
    await exchange.startAgain();
    await carrier.done;
    const ended = await exchange.webhooks.next("call.hangup", ({ payload }) => payload["to"] === "+442079460000");
    expect(ended.payload).toMatchObject({ hangup_cause: "unspecified", sip_hangup_cause: "503" });
    const until = new Date(String(ended.payload["heard_until"])).getTime();
    expect(until).toBeGreaterThanOrEqual(answeredAt.getTime());
    expect(until).toBeLessThanOrEqual(killedAt);
    const cost = await exchange.webhooks.next("call.cost");
    expect(cost.payload).toMatchObject({ cost_parts: [{ rate: "0.0120" }] });
    expect(Number(cost.payload["total_cost"])).toBeGreaterThan(0);
    await expect(exchange.telnyx.calls.retrieveStatus(String(ended.payload["call_control_id"]))).rejects.toThrow("404");
  });

  test("cancels a call that rings after its restart", async () => {
    const { exchange, carrier, client } = await dialled([
      { recv: "INVITE" },
      { reply: "180 Ringing" },
      { recv: "CANCEL" },
      { reply: "200 OK" },
      { reply: "487 Request Terminated", to: "1 INVITE" },
      { recv: "ACK" },
    ]);
    // Parked, then at the far end.
    for (let times = 0; times < 2; times += 1) await client.next("ringing");
    await exchange.end("SIGKILL");
    await exchange.startAgain();
    await expect(carrier.done).resolves.not.toThrow();
  });

  test("delivers the undelivered events after its restart", async () => {
    const { exchange } = await talking();
    exchange.webhooks.answer = () => 503;
    await exchange.end("SIGKILL");
    await exchange.startAgain();
    const refused = await exchange.webhooks.next("call.hangup");
    await exchange.end("SIGKILL");
    exchange.webhooks.answer = () => 200;
    exchange.webhooks.received.length = 0;
    await exchange.startAgain();
    expect((await exchange.webhooks.next("call.hangup", ({ id }) => id === refused.id)).payload).toEqual(refused.payload);
  });
});
