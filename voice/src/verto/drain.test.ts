import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SdkClient } from "../../test/sdk-client.ts";
import { pageOrigin, testExchange, type TestExchange } from "../../test/test-exchange.ts";

let bench: TestExchange;
beforeEach(async () => {
  bench = await testExchange({ config: { drainMs: 60_000 } });
});
afterEach(() => bench.close());

async function talking(client: SdkClient): Promise<{ callId: string; controlId: string }> {
  const callId = randomUUID();
  await client.invite(callId, "offer-sdp");
  const ringing = await client.next("ringing");
  const controlId = String(ringing.params?.["telnyx_call_control_id"]);
  await bench.telnyx.calls.actions.transfer(controlId, { to: "+442079460000", time_limit_secs: 60 });
  await expect.poll(() => bench.network.calls.length).toBeGreaterThan(0);
  bench.network.last.answer();
  await client.next("answer");
  return { callId, controlId };
}

/** Resolves once the exchange refuses browsers without a call. */
async function beginDrain(): Promise<void> {
  const idle = await bench.browser();
  const closed = once(idle.socket, "close");
  void bench.exchange.drain();
  await closed;
}

function reconnect({ voiceSdkId }: SdkClient): Promise<SdkClient> {
  return SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${voiceSdkId}`, pageOrigin);
}

async function readiness(): Promise<number> {
  return (await fetch(`http://127.0.0.1:${bench.exchange.port}/readyz`)).status;
}

describe("a draining exchange", () => {
  test("lets live calls end, and takes no new browsers or calls", async () => {
    const client = await bench.browser();
    const idle = await bench.browser();
    const { controlId } = await talking(client);
    expect(await readiness()).toBe(200);
    let over = false;
    const closed = once(idle.socket, "close");
    const drained = bench.exchange.drain().then(() => (over = true));
    await closed;
    expect(await readiness()).toBe(503);
    expect((await fetch(`http://127.0.0.1:${bench.exchange.port}/healthz`)).status).toBe(200);
    await expect(SdkClient.open(bench.wsUrl, pageOrigin)).rejects.toThrow("503");
    const second = randomUUID();
    await client.invite(second, "offer-sdp");
    expect((await client.next("bye")).params).toMatchObject({ callID: second, sipCode: 503 });
    expect(over).toBe(false);
    await bench.telnyx.calls.actions.hangup(controlId, {});
    await drained;
    expect((await bench.webhooks.next("call.hangup")).payload).toMatchObject({ hangup_cause: "normal_clearing" });
  });

  test("lets a browser with a call reconnect", async () => {
    const { token } = await bench.token();
    const client = await bench.browser(token);
    const { callId } = await talking(client);
    await beginDrain();
    client.drop();
    const back = await reconnect(client);
    expect((await back.login(token)).reattached).toEqual([callId]);
  });

  test("lets a browser with a call sign in that had reconnected just before", async () => {
    const { token } = await bench.token();
    const client = await bench.browser(token);
    const { callId } = await talking(client);
    client.drop();
    const back = await reconnect(client);
    await beginDrain();
    expect((await back.login(token)).reattached).toEqual([callId]);
  });

  test("sends a browser on whose call ended before it had signed in again", async () => {
    const { token } = await bench.token();
    const client = await bench.browser(token);
    const { controlId } = await talking(client);
    await beginDrain();
    client.drop();
    const back = await reconnect(client);
    await bench.telnyx.calls.actions.hangup(controlId, {});
    await bench.webhooks.next("call.hangup");
    const closed = once(back.socket, "close");
    expect((await back.request("login", { login_token: token })).result).toMatchObject({ message: "logged in" });
    await closed;
  });

  test("sends a second browser on that claims the session of one with a call", async () => {
    const { token } = await bench.token();
    const client = await bench.browser(token);
    await talking(client);
    await beginDrain();
    const copy = await reconnect(client);
    const closed = once(copy.socket, "close");
    expect((await copy.request("login", { login_token: token })).result).toMatchObject({ message: "logged in" });
    await closed;
  });

  test("sends a browser to another exchange when its last call is over", async () => {
    const client = await bench.browser();
    const { callId } = await talking(client);
    void bench.exchange.drain();
    const closed = once(client.socket, "close");
    expect((await client.bye(callId)).result).toMatchObject({ message: "CALL ENDED" });
    await closed;
  });

  test("first tells a browser that its call is over", async () => {
    const client = await bench.browser();
    const { callId, controlId } = await talking(client);
    void bench.exchange.drain();
    const closed = once(client.socket, "close");
    await bench.telnyx.calls.actions.hangup(controlId, {});
    expect((await client.next("bye")).params).toMatchObject({ callID: callId });
    await closed;
  });

  test("is not ready while it still takes browsers and calls, for as long as balancers need to notice", async () => {
    await bench.close();
    bench = await testExchange({ config: { drainMs: 60_000, stopNoticeMs: 60_000 } });
    const idle = await bench.browser();
    void bench.exchange.drain();
    expect(await readiness()).toBe(503);
    await talking(idle);
    await talking(await bench.browser());
  });

  test("ends the remaining calls when its time is up", async () => {
    await bench.close();
    bench = await testExchange({ config: { drainMs: 50 } });
    await talking(await bench.browser());
    await bench.exchange.drain();
    await bench.exchange.close();
    expect((await bench.webhooks.next("call.hangup")).payload).toMatchObject({ sip_hangup_cause: "503" });
  });
});
