import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testExchange, type TestExchange } from "../../test/test-exchange.ts";
import type { SdkClient } from "../../test/sdk-client.ts";

const destination = "+442079460000";

let bench: TestExchange;
beforeEach(async () => {
  bench = await testExchange();
});
afterEach(() => bench.close());

async function answered(client: SdkClient): Promise<{ callId: string; controlId: string }> {
  const callId = randomUUID();
  await client.invite(callId, "offer-sdp");
  const ringing = await client.next("ringing");
  await client.next("media");
  const controlId = String(ringing.params?.["telnyx_call_control_id"]);
  await bench.telnyx.calls.actions.transfer(controlId, { to: destination, time_limit_secs: 60 });
  await expect.poll(() => bench.network.calls.length).toBe(1);
  bench.network.last.answer();
  await client.next("answer");
  return { callId, controlId };
}

const move = (controlId: string, session: string | null) =>
  bench.telnyx.post(`/calls/${controlId}/actions/move`, { body: { session } });

test("a call moves to another browser of its account: the first is told so, the second is offered media at once", async () => {
  const { token } = await bench.token();
  const [first, second] = [await bench.browser(token), await bench.browser(token)];
  const { callId, controlId } = await answered(first);
  bench.media.last.hear({ heard: true, hasSpoken: true });
  await move(controlId, second.sessid);
  expect((await first.next("bye")).params).toMatchObject({ callID: callId, cause: "CALL_MOVED" });
  expect((await second.next("attach")).params).toMatchObject({ callID: callId, sdp: "new-offer-sdp" });
  const answer = { sessid: second.sessid, sdp: "page-answer", dialogParams: second.dialog(callId, { attach: true }) };
  expect((await second.request("telnyx_rtc.attach", answer)).result).toMatchObject({ callID: callId, message: "CALL ATTACHED" });
  // The first is no longer part of it: neither its hang-up nor the loss of its connection ends the call.
  await first.bye(callId);
  first.drop();
  expect(bench.network.last.ended).toBe(false);
  expect((await second.bye(callId)).result).toMatchObject({ message: "CALL ENDED" });
  expect(bench.network.last.ended).toBe(true);
});

test("a call on hold is resumed when it moves", async () => {
  const { token } = await bench.token();
  const [first, second] = [await bench.browser(token), await bench.browser(token)];
  const { callId, controlId } = await answered(first);
  await first.request("telnyx_rtc.modify", { action: "hold", sessid: first.sessid, dialogParams: first.dialog(callId) });
  expect(bench.media.last.commands).toContain("hold");
  await move(controlId, second.sessid);
  await second.next("attach");
  expect(bench.media.last.commands).toContain("unhold");
});

test("a call does not move to another account's browser, or to one that nobody knows", async () => {
  const { token } = await bench.token();
  const first = await bench.browser(token);
  const { callId, controlId } = await answered(first);
  const stranger = await bench.browser((await bench.token("another-customer")).token);
  for (const session of [stranger.sessid, randomUUID()])
    await expect(move(controlId, session)).rejects.toMatchObject({ status: 422 });
  expect(first.received.some(({ method }) => method === "telnyx_rtc.bye")).toBe(false);
  expect((await first.bye(callId)).result).toMatchObject({ message: "CALL ENDED" });
});
