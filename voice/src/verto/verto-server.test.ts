import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { pageOrigin, testExchange, type TestExchange } from "../../test/test-exchange.ts";
import { SdkClient } from "../../test/sdk-client.ts";

const destination = "+442079460000";

let bench: TestExchange;
beforeEach(async () => {
  bench = await testExchange();
});
afterEach(() => bench.close());

async function parked(client: SdkClient): Promise<{ callId: string; controlId: string }> {
  const callId = randomUUID();
  await client.invite(callId, "offer-sdp");
  const ringing = await client.next("ringing");
  await client.next("media");
  return { callId, controlId: String(ringing.params?.["telnyx_call_control_id"]) };
}

async function dialled(client: SdkClient): Promise<{ callId: string; controlId: string }> {
  const call = await parked(client);
  await bench.telnyx.calls.actions.transfer(call.controlId, { to: destination, time_limit_secs: 60 });
  await expect.poll(() => bench.network.calls.length).toBe(1);
  return call;
}

async function answered(client: SdkClient): Promise<{ callId: string; controlId: string }> {
  const call = await dialled(client);
  bench.network.last.answer();
  await client.next("answer");
  return call;
}

describe("the socket", () => {
  test("opens on any path, but only for allowed origins", async () => {
    const good = await SdkClient.open(`${bench.wsUrl}/a/b?voice_sdk_id=x&unknown=1`, pageOrigin);
    await good.close();
    for (const origin of ["http://evil.example", undefined]) {
      const bad = new WebSocket(bench.wsUrl, origin === undefined ? {} : { origin });
      const [error] = (await once(bad, "error")) as [Error];
      expect(error.message).toContain("403");
    }
  });

  test("answers every frame with an id, including unknown methods", async () => {
    const client = await bench.browser();
    expect((await client.request("telnyx_rtc.subscribe", { eventChannel: "x" })).result).toEqual({});
    client.send({ id: "debug-1", type: "debug_report_start", debug_report_id: "d", call_id: "c" });
    await expect.poll(() => client.received.find(({ id }) => id === "debug-1")?.result).toEqual({});
    expect((await client.request("telnyx_rtc.ping", {})).result).toEqual({ message: "pong" });
  });

  test("survives invalid frames", async () => {
    const client = await bench.browser();
    for (const rubbish of ["", "{", "[]", "null", "1", "#SPU 12", '{"id":{}}', '{"id":1,"params":[]}', '{"result":1}'])
      client.socket.send(rubbish);
    client.socket.send(Buffer.from([0, 1, 2]));
    for (const method of ["invite", "bye", "modify", "info"])
      expect((await client.request(`telnyx_rtc.${method}`, { dialogParams: { callID: 7 } })).error?.code).toBe(-32602);
    expect((await client.request("telnyx_rtc.ping", {})).result).toEqual({ message: "pong" });
  });

  test("is closed for oversized frames and for a flood", async () => {
    const large = await bench.browser();
    large.socket.send("x".repeat(70_000));
    expect((await once(large.socket, "close"))[0]).toBe(1009);
    const flood = await bench.browser();
    for (let count = 0; count < 400; count += 1) flood.send({ id: `p${count}`, method: "telnyx_rtc.ping", params: {} });
    expect((await once(flood.socket, "close"))[0]).toBe(1006);
  });
});

describe("login", () => {
  test("by token is followed by clientReady and the gateway state, both with the voice_sdk_id", async () => {
    const client = await bench.browser();
    expect(client.received.map(({ method, result }) => method ?? result)).toEqual([
      { message: "logged in", sessid: client.sessid },
      "telnyx_rtc.clientReady",
      { params: { state: "REGED" }, sessid: client.sessid },
    ]);
    for (const { voice_sdk_id } of client.received) expect(voice_sdk_id).toBe(client.voiceSdkId);
    expect(client.voiceSdkId).toMatch(/^VSDK/);
  });

  test("fails with -32001, never -32000, without a valid token, and the socket stays open", async () => {
    const { credentialId } = await bench.token();
    const forged = await new SignJWT()
      .setProtectedHeader({ alg: "HS256" })
      .setSubject(credentialId)
      .setIssuer("farline-exchange")
      .setExpirationTime("1h")
      .sign(Buffer.alloc(32));
    const client = await SdkClient.open(bench.wsUrl, pageOrigin);
    const tries: [string, Record<string, unknown>][] = [
      ["login", { login: "user", passwd: "secret" }],
      ["login", { login_token: forged }],
      ["login", { login_token: 5 }],
      ["anonymous_login", { target_type: "ai_assistant", target_id: "x" }],
      ["telnyx_rtc.invite", { sdp: "x", dialogParams: { callID: "c", destination_number: "1" } }],
    ];
    for (const [method, params] of tries) expect((await client.request(method, params)).error?.code).toBe(-32001);
    expect((await client.request("telnyx_rtc.gatewayState", {})).result).toEqual({ params: { state: "NOREG" } });
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
    await client.close();
  });

  test("closes the socket after repeated failures", async () => {
    const client = await SdkClient.open(bench.wsUrl, pageOrigin);
    const closed = once(client.socket, "close");
    for (let count = 0; count < 5; count += 1) client.send({ id: count, method: "login", params: { login_token: "x" } });
    expect((await closed)[0]).toBe(1000);
  });

  test("on the open socket renews the token and keeps the calls", async () => {
    const client = await bench.browser((await bench.token("ada")).token);
    const { callId } = await answered(client);
    const { token } = await bench.token("ada");
    expect((await client.login(token)).reattached).toEqual([callId]);
    expect((await client.bye(callId)).result).toMatchObject({ message: "CALL ENDED" });
  });

  test("does not give one account's session to another", async () => {
    const first = await bench.browser();
    const { sessid, voiceSdkId } = first;
    await first.close();
    const other = await SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${voiceSdkId}`, pageOrigin);
    await other.login((await bench.token()).token, sessid);
    expect(other.sessid).not.toBe(sessid);
    expect(other.voiceSdkId).not.toBe(voiceSdkId);
    await other.close();
  });

  test("with a deleted credential fails, and its browsers are signed out at once", async () => {
    const { credentialId, token } = await bench.token();
    const client = await bench.browser(token);
    await answered(client);
    const closed = once(client.socket, "close");
    await bench.telnyx.telephonyCredentials.delete(credentialId);
    await client.next("punt");
    await closed;
    expect(bench.network.last.ended).toBe(true);
    await expect(bench.browser(token)).rejects.toThrow("-32001");
  });

  test("beyond the socket limit of an account is refused", async () => {
    const { token } = await bench.token();
    for (let count = 0; count < 8; count += 1) await bench.browser(token);
    await expect(bench.browser(token)).rejects.toThrow("Too many connections");
  });
});

describe("an outbound call", () => {
  test("is created, then gets ringing and our media with the ids of the parked leg", async () => {
    const client = await bench.browser();
    const callId = randomUUID();
    await client.invite(callId, "offer-sdp");
    const [created, ringing, media] = [client.received.at(3), await client.next("ringing"), await client.next("media")];
    expect(created?.result).toEqual({ callID: callId, message: "CALL CREATED", sessid: client.sessid });
    expect(ringing.params).toMatchObject({
      callID: callId,
      callee_id_number: destination,
      caller_id_number: "+12025550143",
      dialogParams: { custom_headers: [] },
      far_end: "silent",
    });
    expect(media.params).toEqual({ callID: callId, sdp: "answer-sdp" });
    const { payload } = await bench.webhooks.next("call.initiated");
    expect(payload).toMatchObject({
      call_control_id: ringing.params?.["telnyx_call_control_id"],
      call_leg_id: ringing.params?.["telnyx_leg_id"],
      call_session_id: ringing.params?.["telnyx_session_id"],
      state: "parked",
      direction: "outgoing",
      connection_id: bench.config.connectionId,
      client_state: "eyJjYWxsIjoiYWJjIn0=",
      from: "+12025550143",
      to: destination,
      custom_headers: [{ name: "X-Call-Ref", value: "abc" }],
    });
  });

  test("reports that the far end rings", async () => {
    const client = await bench.browser();
    const { callId } = await dialled(client);
    bench.network.last.progress(null);
    expect((await client.next("ringing")).params).toMatchObject({ callID: callId, far_end: "ringing" });
  });

  test("becomes active when the far end answers, and ends when it hangs up", async () => {
    const client = await bench.browser();
    const { callId } = await answered(client);
    bench.network.last.end({ sipStatus: 200 });
    const bye = await client.next("bye");
    expect(bye.params).toMatchObject({ callID: callId, cause: "NORMAL_CLEARING", causeCode: 16, sipCode: 200 });
  });

  test.each([
    [486, "USER_BUSY", 17],
    [404, "UNALLOCATED_NUMBER", 1],
    [603, "CALL_REJECTED", 21],
    [480, "NO_ANSWER", 19],
    [503, "NORMAL_TEMPORARY_FAILURE", 41],
  ] as const)("that ends with %i sends the browser %s", async (sipStatus, cause, causeCode) => {
    const client = await bench.browser();
    await dialled(client);
    bench.network.last.end({ sipStatus, reason: "Because" });
    expect((await client.next("bye")).params).toMatchObject({ cause, causeCode, sipCode: sipStatus, sipReason: "Because" });
  });

  test("cancelled by the browser gets a response, is cancelled at the far end, and gets no bye", async () => {
    const client = await bench.browser();
    const { callId } = await dialled(client);
    expect((await client.bye(callId)).result).toEqual({
      callID: callId,
      cause: "USER_BUSY",
      causeCode: 17,
      message: "CALL ENDED",
      sessid: client.sessid,
    });
    expect(bench.network.last.ended).toBe(true);
    const { payload } = await bench.webhooks.next("call.hangup");
    expect(payload).toMatchObject({ hangup_cause: "originator_cancel", hangup_source: "caller", sip_hangup_cause: "487" });
    await client.request("telnyx_rtc.ping", {});
    expect(client.received.some(({ method }) => method === "telnyx_rtc.bye")).toBe(false);
  });

  test("never starts if its bye overtakes its invite", async () => {
    const client = await bench.browser();
    const callId = randomUUID();
    expect((await client.bye(callId)).result).toMatchObject({ message: "CALL ENDED" });
    expect((await client.invite(callId, "offer-sdp")).result).toMatchObject({ message: "CALL CREATED" });
    expect((await client.next("bye")).params).toMatchObject({ callID: callId, cause: "CALL_REJECTED" });
    expect(bench.webhooks.received).toHaveLength(0);
  });

  test("is created once for a repeated invite", async () => {
    const client = await bench.browser();
    const { callId } = await parked(client);
    expect((await client.invite(callId, "offer-sdp")).result).toMatchObject({ message: "CALL CREATED" });
    await client.request("telnyx_rtc.ping", {});
    expect(bench.media.legs).toHaveLength(1);
    expect(client.received.filter(({ method }) => method === "telnyx_rtc.bye")).toHaveLength(0);
  });

  test("beyond the account's limit is created and rejected at once", async () => {
    const client = await bench.browser();
    for (let count = 0; count < 4; count += 1) await parked(client);
    const callId = randomUUID();
    await client.invite(callId, "offer-sdp");
    expect((await client.next("bye")).params).toMatchObject({
      callID: callId,
      sipCode: 503,
      sipReason: "Too many calls of this account",
    });
  });

  test("with invalid parameters is created and rejected, and not parked", async () => {
    const client = await bench.browser();
    const callId = randomUUID();
    await client.invite(callId, "offer-sdp", { destination_number: "9".repeat(100) });
    expect((await client.next("bye")).params).toMatchObject({ callID: callId, cause: "CALL_REJECTED", sipCode: 403 });
    expect(bench.media.legs).toHaveLength(0);
  });

  test("forwards keypad digits, and refuses anything else", async () => {
    const client = await bench.browser();
    const { callId } = await answered(client);
    expect(
      (await client.request("telnyx_rtc.info", { sessid: client.sessid, dtmf: "5", dialogParams: client.dialog(callId) })).result,
    ).toBeDefined();
    expect((await client.request("telnyx_rtc.info", { dtmf: "5;BYE", dialogParams: client.dialog(callId) })).error).toBeDefined();
    expect(bench.media.last.commands.filter((command) => command.startsWith("digits"))).toEqual(["digits 5"]);
  });

  test("holds, resumes, and restarts its ICE", async () => {
    const client = await bench.browser();
    const { callId } = await answered(client);
    const modify = async (action: string, more = {}) =>
      (await client.request("telnyx_rtc.modify", { sessid: client.sessid, action, ...more, dialogParams: client.dialog(callId) }))
        .result;
    expect(await modify("hold")).toMatchObject({ action: "hold", callID: callId, holdState: "held" });
    expect(await modify("toggleHold")).toMatchObject({ holdState: "active" });
    expect(await modify("toggleHold")).toMatchObject({ holdState: "held" });
    expect(await modify("unhold")).toMatchObject({ holdState: "active" });
    expect(await modify("updateMedia", { callID: callId, sdp: "new-offer" })).toMatchObject({
      action: "updateMedia",
      sdp: "answer to new-offer",
    });
    const unknown = await client.request("telnyx_rtc.modify", { action: "hold", dialogParams: client.dialog("nobody") });
    expect(unknown.error?.code).toBe(-32002);
  });

  test("accepts trickled candidates", async () => {
    const client = await bench.browser();
    const { callId } = await parked(client);
    const dialogParams = client.dialog(callId);
    for (const params of [{ candidate: "candidate:1 1 udp 1 127.0.0.1 9 typ host", sdpMid: "0", sdpMLineIndex: 0, dialogParams }])
      expect((await client.request("telnyx_rtc.candidate", params)).result).toBeDefined();
    expect((await client.request("telnyx_rtc.endOfCandidates", { endOfCandidates: true, dialogParams })).result).toBeDefined();
  });
});

describe("a reconnected browser", () => {
  test("resumes its call, and gets the messages it missed", async () => {
    const { token } = await bench.token();
    const client = await bench.browser(token);
    const { callId } = await dialled(client);
    client.drop();
    bench.network.last.answer();
    await bench.webhooks.next("call.bridged");
    const back = await SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${client.voiceSdkId}`, pageOrigin);
    expect((await back.login(token, client.sessid)).reattached).toEqual([callId]);
    expect(back.sessid).toBe(client.sessid);
    expect((await back.next("answer")).params).toMatchObject({ callID: callId });
    expect((await back.bye(callId)).result).toMatchObject({ message: "CALL ENDED" });
    expect(bench.network.last.ended).toBe(true);
    await back.close();
  });

  test("learns that the far end began to ring meanwhile", async () => {
    const { token } = await bench.token();
    const client = await bench.browser(token);
    const { callId } = await dialled(client);
    client.drop();
    bench.network.last.progress(null);
    const back = await SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${client.voiceSdkId}`, pageOrigin);
    await back.login(token, client.sessid);
    expect((await back.next("ringing")).params).toMatchObject({ callID: callId, far_end: "ringing" });
    await back.bye(callId);
    await back.close();
  });

  test.each(["silent", "ringing"])("learns after a reload that the far end is %s", async (farEnd) => {
    const { token } = await bench.token();
    const client = await bench.browser(token);
    const { callId } = await dialled(client);
    client.drop();
    if (farEnd === "ringing") bench.network.last.progress(null);
    bench.media.last.hear({ heard: false, silentMs: 2_000 });
    const back = await SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${client.voiceSdkId}`, pageOrigin);
    await back.login(token, client.sessid);
    await back.next("attach");
    expect((await back.next("ringing")).params).toMatchObject({ callID: callId, far_end: farEnd });
    await back.bye(callId);
    await back.close();
  });

  test("whose audio is lost too, as after a reload, is offered new media", async () => {
    const { token } = await bench.token();
    const client = await bench.browser(token);
    const { callId, controlId } = await answered(client);
    client.drop();
    bench.media.last.hear({ heard: false, silentMs: 2_000 });
    const back = await SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${client.voiceSdkId}`, pageOrigin);
    expect((await back.login(token, client.sessid)).reattached).toEqual([callId]);
    const { params } = await back.next("attach");
    expect(params).toMatchObject({
      callID: callId,
      sdp: "new-offer-sdp",
      callee_id_number: destination,
      telnyx_call_control_id: controlId,
    });
    const answer = { sessid: back.sessid, sdp: "page-answer", dialogParams: back.dialog(callId, { attach: true }) };
    expect((await back.request("telnyx_rtc.attach", answer)).result).toMatchObject({ callID: callId, message: "CALL ATTACHED" });
    expect(bench.media.last.commands).toContain("take page-answer");
    expect((await back.request("telnyx_rtc.attach", { ...answer, dialogParams: back.dialog("nobody") })).error?.code).toBe(
      -32002,
    );
    expect((await back.bye(callId)).result).toMatchObject({ message: "CALL ENDED" });
    await back.close();
  });

  test("does not find a call that ended meanwhile", async () => {
    const { token } = await bench.token();
    const client = await bench.browser(token);
    const { controlId } = await answered(client);
    client.drop();
    await bench.telnyx.calls.actions.hangup(controlId, {});
    const back = await SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${client.voiceSdkId}`, pageOrigin);
    expect((await back.login(token, client.sessid)).reattached).toEqual([]);
    await back.close();
  });

  test("does not get the session of a live tab that it duplicates", async () => {
    const { token } = await bench.token();
    const client = await bench.browser(token);
    const { callId } = await dialled(client);
    const copy = await SdkClient.open(`${bench.wsUrl}?voice_sdk_id=${client.voiceSdkId}`, pageOrigin);
    expect((await copy.login(token, client.sessid)).reattached).toEqual([]);
    expect(copy.sessid).not.toBe(client.sessid);
    expect((await client.bye(callId)).result).toMatchObject({ message: "CALL ENDED" });
    await copy.close();
  });
});
