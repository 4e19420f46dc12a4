import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { BrowserPhone } from "../../test/audio-ends.ts";
import type { Step } from "../../test/scenarios/carrier-script.ts";
import { ack, answer, invite, ourBye } from "../../test/scenarios/scenario.ts";
import { ExchangeProcess } from "../../test/exchange-process.ts";
import { SdkClient } from "../../test/sdk-client.ts";
import { freePort } from "../../test/free-port.ts";
import { type Carrier, startCarrier } from "../../test/sipp.ts";
import { pageOrigin } from "../../test/test-exchange.ts";
import type { ReceivedWebhook } from "../../test/webhook-receiver.ts";
import { nodesConfig } from "../../test/test-nodes.ts";

const destination = "+442079460000";
const ANSWERED: readonly Step[] = [invite, answer, ack];
const HUNG_UP: readonly Step[] = [...ANSWERED, ...ourBye];

/** The exchanges run in separate processes. */
const CARRIER_LIMIT_SECONDS = 120;

let a: ExchangeProcess;
let b: ExchangeProcess;
let trunkPort: number;
const cleanups = new Cleanups();
beforeAll(async () => {
  trunkPort = await freePort();
  const { tokenKeys, nodes } = await nodesConfig(["a", "b"]);
  const start = (name: string): Promise<ExchangeProcess> =>
    ExchangeProcess.start(trunkPort, {
      env: {
        VOICE_NODE: name,
        VOICE_NODES: [...nodes].map(([one, url]) => `${one}=${url.origin}`).join(" "),
        VOICE_CONTROL_PORT: nodes.get(name)?.port ?? "",
        EXCHANGE_TOKEN_KEY: Buffer.from(tokenKeys[0]).toString("base64"),
      },
    });
  a = await start("a");
  b = await start("b");
});
afterEach(async () => {
  await cleanups.end();
  for (const { webhooks } of [a, b]) webhooks.received.length = 0;
});
afterAll(() => Promise.all([a?.close(), b?.close()]));

async function carrierOf(steps: readonly Step[]): Promise<Carrier> {
  const carrier = await startCarrier(steps, { port: trunkPort, timeoutSeconds: CARRIER_LIMIT_SECONDS });
  cleanups.add(() => carrier.stop());
  return carrier;
}

/** A call whose browser is on node a, transferred through node b. */
async function talking() {
  const token = await a.token();
  const client = await a.browser(token);
  const phone = new BrowserPhone(0x2a);
  cleanups.add(() => phone.close());
  const callId = randomUUID();
  await client.invite(callId, await phone.offer());
  const { payload } = await a.webhooks.next("call.initiated");
  await phone.accept(String((await client.next("media")).params?.["sdp"]));
  const controlId = String(payload["call_control_id"]);
  await b.telnyx.calls.actions.transfer(controlId, { to: destination, time_limit_secs: 60 });
  const { occurredAt } = await a.webhooks.next("call.answered");
  const far = await a.webhooks.next(
    "call.initiated",
    ({ payload: leg }) => leg["to"] === destination && leg["state"] === "bridging",
  );
  return { client, token, callId, controlId, farId: String(far.payload["call_control_id"]), answeredAt: occurredAt };
}

async function comesBackToB({ client, token }: { client: SdkClient; token: string }) {
  const back = await SdkClient.open(`${b.wsUrl}?voice_sdk_id=${client.voiceSdkId}`, pageOrigin);
  cleanups.add(() => back.drop());
  const { reattached } = await back.login(token, client.sessid);
  return { back, reattached };
}

function ended({ farId }: { farId: string }): Promise<ReceivedWebhook> {
  return a.webhooks.next("call.hangup", ({ payload }) => payload["call_control_id"] === farId);
}

describe("two exchanges behind one name", () => {
  test("carry a call whose browser, commands and reconnect reach different nodes", async () => {
    const carrier = await carrierOf(HUNG_UP);
    const call = await talking();
    call.client.drop();
    const { back, reattached } = await comesBackToB(call);
    expect(reattached).toEqual([call.callId]);
    await back.next("answer");
    expect((await b.telnyx.calls.retrieveStatus(call.farId)).data?.is_alive).toBe(true);
    await b.telnyx.calls.actions.hangup(call.controlId, {});
    await back.next("bye");
    await carrier.done;
    expect((await ended(call)).payload).toMatchObject({ hangup_cause: "normal_clearing" });
  });

  test("drain one node: its call continues through the other, and it stops when the call is over", async () => {
    const carrier = await carrierOf(HUNG_UP);
    await a.end("SIGKILL");
    await a.startAgain({ supervised: false });
    const call = await talking();
    const exited = a.end("SIGTERM");
    await expect.poll(() => a.readiness()).toBe(503);
    call.client.drop();
    const { back, reattached } = await comesBackToB(call);
    expect(reattached).toEqual([call.callId]);
    await b.telnyx.calls.actions.hangup(call.controlId, {});
    await back.next("bye");
    await exited;
    await a.startAgain({ supervised: true });
    await carrier.done;
    expect((await ended(call)).payload).toMatchObject({ hangup_cause: "normal_clearing" });
  });

  test("report the state of a killed node's call as unknown until the node is back and has ended it", async () => {
    const carrier = await carrierOf([...ANSWERED, { recv: "BYE", contains: "Exchange was restarted" }, { reply: "200 OK" }]);
    const call = await talking();
    await a.end("SIGKILL");
    const killedAt = Date.now();
    await expect(b.telnyx.calls.retrieveStatus(call.farId)).rejects.toMatchObject({ status: 503 });
    const listed = await b.telnyx.get<unknown>("/connections/1234567890/active_calls");
    expect(listed).toMatchObject({ data: [], meta: { missing_nodes: ["a"] } });
    expect((await comesBackToB(call)).reattached).toEqual([]);
    await a.startAgain();
    await carrier.done;
    const { payload } = await ended(call);
    const until = new Date(String(payload["heard_until"])).getTime();
    expect(until).toBeGreaterThanOrEqual(call.answeredAt.getTime());
    expect(until).toBeLessThanOrEqual(killedAt);
    await expect(b.telnyx.calls.retrieveStatus(call.farId)).rejects.toMatchObject({ status: 404 });
    expect((await b.telnyx.connections.listActiveCalls("1234567890")).data).toEqual([]);
  });
});
