import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { BrowserPhone } from "../../test/audio-ends.ts";
import { carrierScript, sdp } from "../../test/carrier-script.ts";
import { ExchangeProcess } from "../../test/exchange-process.ts";
import { type Carrier, startScript } from "../../test/sipp.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** An answered call over an exchange in its own process, with a carrier that expects a BYE. */
async function talking(): Promise<{ exchange: ExchangeProcess; carrier: Carrier; answeredAt: Date }> {
  const carrier = await startScript(
    carrierScript([
      { recv: "INVITE" },
      { reply: "200 OK", sdp: sdp() },
      { recv: "ACK" },
      { recv: "BYE", contains: "Exchange was restarted" },
      { reply: "200 OK" },
    ]),
  );
  cleanups.push(() => carrier.stop());
  const exchange = await ExchangeProcess.start(carrier.port);
  cleanups.push(() => exchange.close());
  const client = await exchange.browser();
  cleanups.push(() => client.drop());
  const phone = new BrowserPhone(0x2a);
  cleanups.push(() => phone.close());
  await client.invite(randomUUID(), await phone.offer());
  const { payload } = await exchange.webhooks.next("call.initiated");
  await phone.accept(String((await client.next("media")).params?.["sdp"]));
  await exchange.telnyx.calls.actions.transfer(String(payload["call_control_id"]), { to: "+442079460000", time_limit_secs: 60 });
  const { occurredAt } = await exchange.webhooks.next("call.answered");
  return { exchange, carrier, answeredAt: occurredAt };
}

describe("an exchange that is killed during a call", { timeout: 90_000 }, () => {
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
