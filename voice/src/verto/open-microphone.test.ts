import { randomUUID } from "node:crypto";
import { MICROPHONE_OPEN } from "@farline/contract/constants.ts";
import { expect, onTestFinished, test } from "vitest";
import { testExchange } from "../../test/test-exchange.ts";

const destination = "+442079460000";

test("a page says that its microphone is open; texts that we don't know, and other calls, change nothing", async () => {
  const bench = await testExchange();
  onTestFinished(() => bench.close());
  bench.media.browsersHeard = false;
  const client = await bench.browser();
  const callId = randomUUID();
  await client.invite(callId, "offer-sdp");
  const controlId = String((await client.next("ringing")).params?.["telnyx_call_control_id"]);
  await client.next("media");
  await bench.telnyx.calls.actions.transfer(controlId, { to: destination, time_limit_secs: 60 });
  bench.media.last.hear({ heard: true, hasSpoken: false });
  const say = (callID: string, body: unknown) =>
    client.request("telnyx_rtc.info", { msg: { from: "user", to: destination, body }, dialogParams: { callID } });
  expect((await say(callId, "hello")).result).toMatchObject({ message: "SENT" });
  expect((await say(callId, 7)).error?.code).toBe(-32602);
  expect((await say(randomUUID(), MICROPHONE_OPEN)).result).toMatchObject({ message: "SENT" });
  expect(bench.network.calls).toEqual([]);
  expect((await say(callId, MICROPHONE_OPEN)).result).toMatchObject({ message: "SENT" });
  await expect.poll(() => bench.network.calls.length).toBe(1);
});
