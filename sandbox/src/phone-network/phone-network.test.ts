import { PATIENCE } from "@farline/domain/test/patience.ts";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { goertzel, measure } from "./call-record.ts";
import { type PhoneNetwork, type PhoneNetworkOptions, startPhoneNetwork } from "./phone-network.ts";
import { TestCaller } from "../../test/test-caller.ts";
import { carrierNumbers } from "./carrier-numbers.ts";
import { testNumbers } from "./test-numbers.ts";

const ORDINARY = "+33612345678";
const TONE = "+442079460001";
const ECHO = "+442079460002";
/** For lines that do something after five or six seconds. */
const LINE_SPEED = 20;

let network: PhoneNetwork;
let caller: TestCaller;

async function restart(options: Partial<PhoneNetworkOptions> = {}): Promise<void> {
  await network?.close();
  caller?.close();
  network = await startPhoneNetwork({ log: pino({ level: "silent" }), sipPort: 0, ringMs: 60, ...options });
  caller = await TestCaller.open(network.sipPort);
}

beforeEach(() => restart());
afterEach(async () => {
  await network.close();
  caller.close();
});

const lastCall = () => network.calls()[0];
const settled = (check: () => void) => vi.waitFor(check, PATIENCE);

it("rejects calls that do not come from its trunk", async () => {
  await restart({ trunkPort: 9 });
  const call = caller.invite(ORDINARY);
  await call.response(403);
  expect(network.calls()).toEqual([]);
});

describe("an ordinary number", () => {
  it("plays the North American ringback tone before it answers", async () => {
    await restart({ ringMs: 600 });
    const call = caller.invite(ORDINARY);
    const progress = await call.response(183);
    expect(progress.body).toMatch(/m=audio \d+ RTP\/AVP 0 101\r\n/);
    const tone = Float64Array.from(await caller.listen(0.4));
    for (const hz of [440, 480]) expect(goertzel(tone, hz)).toBeGreaterThan(50 * goertzel(tone, 460));
    expect(call.responses(200)).toHaveLength(0);
    expect(lastCall()).toMatchObject({ state: "ringing", number: ORDINARY, from: "+12025550143", sipStatus: 183 });
  });

  it("answers with the SDP of its 183, plays a greeting, and echoes the caller's voice", async () => {
    const call = caller.invite(ORDINARY);
    const progress = await call.response(183);
    const ok = await call.answered();
    expect(ok.body).toBe(progress.body);
    expect(ok.header("Contact")).toContain(`:${network.sipPort}>`);
    expect(measure(await caller.listen(1)).levelDb).toBeGreaterThan(-35);
    caller.talk(620);
    await expect.poll(async () => Math.abs((measure(await caller.listen(0.5)).frequencyHz ?? 0) - 620)).toBeLessThan(3);
    const bye = await call.bye();
    expect(bye.startLine).toBe("SIP/2.0 200 OK");
    expect(lastCall()).toMatchObject({ state: "ended", endedBy: "caller", sipStatus: 200, codec: "PCMU" });
    expect(lastCall()?.rtp.received).toBeGreaterThan(20);
    expect(lastCall()?.rtp.lost).toBe(0);
  });

  it("accepts offers with a single codec and with several media", async () => {
    const single = await caller.invite(ECHO, { body: caller.offer({ formats: "0" }) }).answered();
    expect(single.body).toMatch(/m=audio \d+ RTP\/AVP 0\r\n/);
    const video = `${caller.offer()}m=video 4000 RTP/AVP 96 97\r\na=rtpmap:96 VP8/90000\r\n`;
    const refused = await caller.invite(ECHO, { body: video }).answered();
    expect(refused.body).toContain("m=video 0 RTP/AVP 96 97\r\n");
  });

  it("uses A-law with a caller who prefers it", async () => {
    const call = caller.invite(ECHO, { body: caller.offer({ formats: "8 0" }) });
    expect((await call.answered()).body).toMatch(/m=audio \d+ RTP\/AVP 8\r\na=rtpmap:8 PCMA\/8000\r\na=ptime/);
    caller.talk(700, "PCMA");
    await settled(() => expect(lastCall()?.heard.frequencyHz).toBe(700));
    const wave = network.recording(lastCall()?.id ?? "");
    expect(wave?.subarray(0, 4).toString()).toBe("RIFF");
    expect(measure(new Int16Array(new Uint8Array(wave?.subarray(-16_000) ?? []).buffer)).frequencyHz).toBe(700);
    expect(network.recording("another")).toBeNull();
    await expect.poll(async () => measure(await caller.listen(0.5, "PCMA")).frequencyHz).toBe(700);
  });
});

describe("a call's audio", () => {
  it("is the 1000 Hz test tone in one direction, and measured to 1 Hz in the other", async () => {
    const call = caller.invite(TONE);
    await call.answered();
    caller.talk(443);
    expect(measure(await caller.listen(1)).frequencyHz).toBe(1000);
    await settled(() => expect(lastCall()?.heard.frequencyHz).toBe(443));
    expect(lastCall()?.heard.levelDb).toBeGreaterThan(-20);
  });

  it("is echoed after half a second", async () => {
    const call = caller.invite(ECHO);
    await call.answered();
    await settled(() => expect(caller.packets.length).toBeGreaterThan(5));
    const before = caller.packets.length;
    caller.talk(900);
    await settled(() =>
      expect(caller.packets.some((packet, i) => i >= before && packet.payload.some((byte) => byte !== 0xff))).toBe(true),
    );
    const firstLoud = caller.packets.findIndex((packet, i) => i >= before && packet.payload.some((byte) => byte !== 0xff));
    const delayMs = (firstLoud - before) * 20;
    expect(delayMs).toBeGreaterThanOrEqual(440);
    // A busy machine adds what its event loop was late.
    expect(delayMs).toBeLessThanOrEqual(1_500);
  });

  it("includes key presses, which are counted once and played back", async () => {
    const call = caller.invite(ECHO);
    await call.answered();
    for (const digit of ["1", "1", "#", "9"]) caller.press(digit);
    await settled(() => expect(lastCall()?.digits).toBe("11#9"));
    const tones = Float64Array.from(await caller.listen(0.2));
    expect(goertzel(tones, 1209)).toBeGreaterThan(10 * goertzel(tones, 1000));
  });

  it("has no measured frequency while the caller is silent", async () => {
    const call = caller.invite("+442079460003");
    await call.answered();
    const heardSoFar = caller.packets.length;
    for (let i = 0; i < 50; i++) caller.sendRtp(0, Buffer.alloc(160, 0xff));
    await settled(() => expect(lastCall()?.rtp.received).toBe(50));
    expect(lastCall()?.heard.frequencyHz).toBeNull();
    expect(caller.packets.length).toBe(heardSoFar);
  });

  it("loses packets on the poor line", async () => {
    const call = caller.invite("+442079460008");
    await call.answered();
    await caller.listen(3);
    const sequences = new Set(caller.packets.map((packet) => packet.sequence));
    const first = caller.packets[0]?.sequence ?? 0;
    const missing = Array.from({ length: caller.packets.length }, (_, i) => (first + i) & 0xffff).filter(
      (n) => !sequences.has(n),
    );
    expect(missing.length).toBeGreaterThan(0);
  });

  it("does not include packets from another sender", async () => {
    const call = caller.invite(TONE);
    await call.answered();
    caller.talk(500);
    await settled(() => expect(lastCall()?.heard.frequencyHz).toBe(500));
    const stranger = await TestCaller.open(network.sipPort);
    stranger.messages.push(...caller.messages); // so that it sends to the same audio port
    stranger.talk(2000);
    const heard = lastCall()?.rtp.received ?? 0;
    await settled(() => expect(lastCall()?.rtp.received).toBeGreaterThan(heard + 50));
    stranger.close();
    expect(lastCall()?.heard.frequencyHz).toBe(500);
  });
});

describe("numbers that do not answer", () => {
  it.each([
    ["+442079460486", 486, "Busy Here"],
    ["+442079460404", 404, "Not Found"],
    ["+442079460503", 503, "Service Unavailable"],
    ["+442079460603", 603, "Decline"],
  ])("include %s, which is rejected with %i", async (number, status, reason) => {
    const call = caller.invite(number);
    expect((await call.response(status)).startLine).toBe(`SIP/2.0 ${status} ${reason}`);
    call.ackRejection();
    expect(lastCall()).toMatchObject({ state: "ended", sipStatus: status, endedBy: "network", answeredAt: null });
  });

  it("include names, which are rejected with 404", async () => {
    const call = caller.invite("anna");
    await call.response(404);
    expect(network.calls()).toHaveLength(0);
  });

  it("retransmit a rejection until it is acknowledged", async () => {
    await restart({ timerSpeed: 16 });
    const call = caller.invite("+442079460486");
    await settled(() => expect(call.responses(486).length).toBeGreaterThan(2));
    call.ackRejection();
    caller.send(call.text("OPTIONS", { branch: "z9hG4bK-marker", tagged: false, cseq: 9 }));
    await caller.waitForMessage((message) => message.header("CSeq") === "9 OPTIONS");
    const heard = call.responses(486).length;
    const other = caller.invite("+442079460486"); // once this one has been retransmitted twice, the first would have been too
    await settled(() => expect(other.responses(486).length).toBeGreaterThan(2));
    expect(call.responses(486)).toHaveLength(heard);
  });

  it("include one that never responds, even to a retransmission", async () => {
    const call = caller.invite("+442079460504");
    call.repeatInvite();
    const other = caller.invite("+442079460486");
    await other.response(486);
    expect(caller.messages.filter((message) => message.header("Call-ID") === call.callId)).toHaveLength(0);
  });

  it("stop ringing when the caller cancels", async () => {
    const call = caller.invite("+442079460408");
    await call.response(183);
    call.cancel();
    await call.response(487);
    expect(call.responses(200, "CANCEL")).toHaveLength(1);
    expect(lastCall()).toMatchObject({ state: "ended", endedBy: "caller", sipStatus: 487 });
    expect(network.liveCalls).toBe(0);
  });
});

describe("numbers with special behaviour", () => {
  it("include one that rings with 180 and without audio", async () => {
    const call = caller.invite("+442079460006");
    expect((await call.response(180)).body).toBe("");
    expect(caller.packets).toHaveLength(0);
    expect((await call.answered()).body).toContain("m=audio");
  });

  it("include one that answers without signalling ringing", async () => {
    const call = caller.invite("+442079460007");
    await call.answered();
    expect([...call.responses(180), ...call.responses(183)]).toHaveLength(0);
  });

  it("include one that hangs up by itself, and one that rings after six seconds", async () => {
    await restart({ timerSpeed: LINE_SPEED });
    const began = performance.now();
    await caller.invite("+442079460005").response(183);
    // Node's timers may be a millisecond early.
    expect(performance.now() - began).toBeGreaterThanOrEqual(6_000 / LINE_SPEED - 1);
    const call = caller.invite("+442079460004");
    await call.answered();
    const bye = await caller.waitForMessage((message) => message.startLine.startsWith("BYE "));
    expect(bye.startLine).toBe(`BYE sip:caller@127.0.0.1:${caller.sip.address().port} SIP/2.0`);
    expect(bye.header("Call-ID")).toBe(call.callId);
    expect(network.calls({ number: "+442079460004" })[0]).toMatchObject({ state: "ended", endedBy: "network" });
  });

  it("are all in the range reserved for drama", () => {
    const all = [...testNumbers, ...carrierNumbers];
    for (const { number } of all) expect(number).toMatch(/^\+4420794600\d\d$|^\+442079460\d{3}$/);
    expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
  });
});

describe("the SIP signalling", () => {
  it("answers a retransmitted INVITE with the last response and starts no second call", async () => {
    const call = caller.invite(ECHO);
    await call.response(200);
    const before = call.responses(200).length;
    call.repeatInvite();
    await settled(() => expect(call.responses(200).length).toBeGreaterThan(before));
    call.ack();
    expect(network.calls()).toHaveLength(1);
  });

  it("retransmits the answer until it is acknowledged", async () => {
    await restart({ timerSpeed: 25 });
    const call = caller.invite(ECHO);
    await settled(() => expect(call.responses(200).length).toBeGreaterThan(2));
    expect(lastCall()?.state).toBe("answered");
  });

  it("hangs up a call whose answer is never acknowledged", async () => {
    await restart({ timerSpeed: 50 });
    const call = caller.invite(ECHO);
    await call.response(200);
    await caller.waitForMessage((message) => message.startLine.startsWith("BYE "));
    expect(lastCall()).toMatchObject({ state: "ended", endedBy: "network" });
  });

  it("ignores a CANCEL that arrives after the answer", async () => {
    const call = caller.invite(ECHO);
    await call.answered();
    call.cancel();
    await settled(() => expect(call.responses(200, "CANCEL")).toHaveLength(1));
    expect(call.responses(487)).toHaveLength(0);
    expect(lastCall()?.state).toBe("answered");
  });

  it("ends a call once if a CANCEL follows the INVITE immediately", async () => {
    for (let i = 0; i < 20; i++) {
      const call = caller.invite(ORDINARY);
      call.cancel();
      await call.response(487);
      call.ackRejection();
      expect(call.responses(200)).toHaveLength(0);
    }
    await settled(() => expect(network.liveCalls).toBe(0));
  });

  it("stops sending audio while the call is on hold", async () => {
    const call = caller.invite(TONE);
    const first = await call.answered();
    const same = await call.reinvite(caller.offer());
    expect(same.body).toBe(first.body);
    const held = await call.reinvite(caller.offer({ direction: "sendonly" }));
    expect(held.body).toContain("a=recvonly");
    const sent = lastCall()?.rtp.sent ?? 0;
    caller.talk(600); // updates the record's counters
    await settled(() => expect(lastCall()?.rtp.received).toBeGreaterThan(10));
    expect((lastCall()?.rtp.sent ?? 0) - sent).toBeLessThanOrEqual(10);
    const resumed = await call.reinvite(caller.offer());
    expect(resumed.body).toContain("a=sendrecv");
    expect(measure(await caller.listen(0.5)).frequencyHz).toBe(1000);
  });

  it("records and follows routes", async () => {
    await restart({ timerSpeed: LINE_SPEED });
    const proxy = `<sip:127.0.0.1:${caller.sip.address().port};lr>`;
    const call = caller.invite("+442079460004", { extra: `Record-Route: ${proxy}, <sip:far.example;lr>\r\n` });
    expect((await call.answered()).header("Record-Route")).toBe(proxy);
    const bye = await caller.waitForMessage((message) => message.startLine.startsWith("BYE "));
    expect(bye.text).toContain(`Route: ${proxy}\r\nRoute: <sip:far.example;lr>\r\n`);
  });

  it("answers OPTIONS, and rejects unknown methods and extensions", async () => {
    const call = caller.invite(ECHO);
    await call.answered();
    caller.send(call.text("OPTIONS", { branch: "z9hG4bK-o1", tagged: false, cseq: 51 }));
    caller.send(call.text("SUBSCRIBE", { branch: "z9hG4bK-o2", tagged: false, cseq: 52 }));
    caller.send(call.text("OPTIONS", { branch: "z9hG4bK-o3", tagged: false, cseq: 53, extra: "Require: 100rel\r\n" }));
    const statusOf = async (cseq: string) =>
      (await caller.waitForMessage((message) => message.header("CSeq") === cseq)).startLine;
    expect(await statusOf("51 OPTIONS")).toBe("SIP/2.0 200 OK");
    expect(await statusOf("52 SUBSCRIBE")).toBe("SIP/2.0 405 Method Not Allowed");
    expect(await statusOf("53 OPTIONS")).toBe("SIP/2.0 420 Bad Extension");
  });

  it("rejects a request for an unknown call with 481", async () => {
    const call = caller.invite("+442079460486");
    await call.response(486);
    call.ackRejection();
    expect((await call.bye()).startLine).toBe("SIP/2.0 481 Call/Transaction Does Not Exist");
  });

  it("rejects an offer without G.711 over plain RTP", async () => {
    await caller.invite(ORDINARY, { body: caller.offer({ formats: "9 101" }) }).response(488);
    await caller.invite(ORDINARY, { body: caller.offer().replace("RTP/AVP", "RTP/SAVP") }).response(488);
    expect(network.liveCalls).toBe(0);
  });

  it("rejects calls beyond the limit and keeps the others", async () => {
    await restart({ maxCalls: 2 });
    const calls = [caller.invite(TONE), caller.invite(TONE)];
    for (const call of calls) await call.answered();
    const third = await caller.invite(TONE).response(503);
    expect(third.header("Retry-After")).toBe("5");
    expect(network.liveCalls).toBe(2);
  });

  it("hangs up all calls when the network closes", async () => {
    const call = caller.invite(TONE);
    await call.answered();
    const isBye = ({ startLine }: { startLine: string }) => startLine.startsWith("BYE ");
    const [, bye] = await Promise.all([network.close(), caller.waitForMessage(isBye)]);
    expect(bye.startLine).toMatch(/^BYE sip:/);
    await restart();
  });
});
