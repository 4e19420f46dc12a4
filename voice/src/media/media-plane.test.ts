import { createSocket } from "node:dgram";
import { setImmediate } from "node:timers/promises";
import pino from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTestBrowser, type TestBrowser } from "../../test/test-browser.ts";
import { openTestTrunk, type TestTrunk } from "../../test/test-trunk.ts";
import { loudness, samplesOf, share, toneFrames } from "../../test/tone.ts";
import { createMediaPlane } from "./create-media-plane.ts";
import { alawToUlaw, ulawToAlaw } from "./g711.ts";
import type { BrowserLeg, LegEndReason, MediaPlane } from "./media-plane.ts";

const SPEECH_HZ = 880;
const FAR_HZ = 1_000;
const log = pino({ level: "silent" });
let plane: MediaPlane;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  plane = await createMediaPlane({ mediaAddress: "127.0.0.1", rtpAddress: "127.0.0.1", log });
});
afterAll(() => plane.close());
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function openLeg(from = plane): Promise<{ browser: TestBrowser; leg: BrowserLeg }> {
  const browser = await openTestBrowser();
  cleanups.push(() => browser.close());
  const leg = await from.openLeg(browser.offerSdp);
  cleanups.push(() => leg.close());
  await browser.connect(leg.answerSdp);
  return { browser, leg };
}

async function openTrunk(): Promise<TestTrunk> {
  const trunk = await openTestTrunk();
  cleanups.push(() => trunk.close());
  return trunk;
}

async function bridge(sdp: { audio?: string; direction?: string } = {}) {
  const { browser, leg } = await openLeg();
  const trunk = await openTrunk();
  trunk.aim((await leg.openRtp()).sdp);
  const { sdp: answer } = await leg.connectRtp(trunk.sdp(sdp));
  return { browser, leg, trunk, answer };
}

/** Paced by the event loop alone: on loopback that keeps order and loses nothing. */
async function speak(browser: TestBrowser, frames: Buffer[]): Promise<void> {
  for (const frame of frames) {
    await browser.send(frame);
    await setImmediate();
  }
}

async function play(trunk: TestTrunk, frames: Buffer[], payloadType = 0): Promise<void> {
  for (const frame of frames) {
    trunk.send(frame, { payloadType });
    await setImmediate();
  }
}

function audioOf(packets: { payload: Buffer }[]): number[] {
  return samplesOf(Buffer.concat(packets.map((packet) => packet.payload)));
}

describe("the bridge", () => {
  it("carries the caller's tone to the trunk and the far end's to the caller, and nothing else", async () => {
    const { browser, leg, trunk } = await bridge();
    await speak(browser, toneFrames(SPEECH_HZ, 1));
    await play(trunk, toneFrames(FAR_HZ, 1));
    await Promise.all([trunk.untilHeard(50), browser.untilHeard(50)]);
    expect(share(audioOf(trunk.heard), SPEECH_HZ)).toBeGreaterThan(0.98);
    expect(share(audioOf(browser.heard), FAR_HZ)).toBeGreaterThan(0.98);
    expect(await leg.stats()).toMatchObject({
      fromBrowser: { packets: 50, bytes: 8_000, lost: 0 },
      toTrunk: { packets: 50, bytes: 8_000 },
      fromTrunk: { packets: 50, lost: 0 },
      toBrowser: { packets: 50 },
    });
  });

  it("speaks A-law to a trunk that prefers it", async () => {
    const { browser, trunk, answer } = await bridge({ audio: "8 0" });
    expect(answer).toMatch(/^m=audio \d+ RTP\/AVP 8\r$/m);
    const alaw = toneFrames(FAR_HZ, 1);
    alaw.forEach(ulawToAlaw);
    await speak(browser, toneFrames(SPEECH_HZ, 1));
    await play(trunk, alaw, 8);
    await Promise.all([trunk.untilHeard(50), browser.untilHeard(50)]);
    expect(new Set(trunk.heard.map((packet) => packet.payloadType))).toEqual(new Set([8]));
    trunk.heard.forEach((packet) => alawToUlaw(packet.payload));
    expect(share(audioOf(trunk.heard), SPEECH_HZ)).toBeGreaterThan(0.98);
    expect(share(audioOf(browser.heard), FAR_HZ)).toBeGreaterThan(0.98);
  });

  it("leaves the holes that loss made, in both directions, and counts them", async () => {
    const { browser, leg, trunk } = await bridge();
    const frames = toneFrames(SPEECH_HZ, 0.4);
    for (const [i, frame] of frames.entries()) {
      await browser.send(frame, i === 10 ? 3 : 0);
      trunk.send(frame, { skip: i === 5 ? 2 : 0 });
      await setImmediate();
    }
    await Promise.all([trunk.untilHeard(20), browser.untilHeard(20)]);
    expect(steps(trunk.heard.map((packet) => packet.sequence))).toEqual(frames.slice(1).map((_, i) => (i + 1 === 10 ? 4 : 1)));
    expect(steps(trunk.heard.map((packet) => packet.timestamp), 32)).toEqual(frames.slice(1).map((_, i) => (i + 1 === 10 ? 640 : 160)));
    expect(steps(browser.heard.map((packet) => packet.header.sequenceNumber))).toEqual(frames.slice(1).map((_, i) => (i + 1 === 5 ? 3 : 1)));
    expect(await leg.stats()).toMatchObject({ fromBrowser: { lost: 3 }, fromTrunk: { lost: 2 } });
  });

  it("ignores RTP from anybody but the address in the SDP", async () => {
    const { browser, leg, trunk } = await bridge();
    const stranger = await openTrunk();
    stranger.aim((await leg.openRtp()).sdp);
    for (const frame of toneFrames(FAR_HZ, 0.2)) {
      trunk.send(frame);
      stranger.send(Buffer.alloc(160, 0x20));
      await setImmediate();
    }
    await browser.untilHeard(10);
    await speak(browser, toneFrames(SPEECH_HZ, 0.2));
    await trunk.untilHeard(10);
    expect(share(audioOf(browser.heard), FAR_HZ)).toBeGreaterThan(0.95);
    expect(stranger.heard).toHaveLength(0);
    expect((await leg.stats()).fromTrunk.packets).toBe(10);
  });

  it("keeps packets flowing on hold, without a sound in either direction", async () => {
    const { browser, leg, trunk } = await bridge();
    leg.hold(true);
    await leg.stats();
    await speak(browser, toneFrames(SPEECH_HZ, 0.4));
    await play(trunk, toneFrames(FAR_HZ, 0.4));
    await Promise.all([trunk.untilHeard(20), browser.untilHeard(20)]);
    expect(loudness(audioOf(trunk.heard))).toBe(0);
    expect(loudness(audioOf(browser.heard))).toBe(0);
    leg.hold(false);
    await leg.stats();
    trunk.clear();
    await speak(browser, toneFrames(SPEECH_HZ, 0.4));
    await trunk.untilHeard(20);
    expect(share(audioOf(trunk.heard), SPEECH_HZ)).toBeGreaterThan(0.95);
  });

  it("sends nothing to a far end that does not listen, and follows it to another address", async () => {
    const { browser, leg, trunk } = await bridge();
    const { sdp } = await leg.connectRtp(trunk.sdp({ direction: "sendonly" }));
    expect(sdp).toContain("a=recvonly");
    await speak(browser, toneFrames(SPEECH_HZ, 0.2));
    const moved = await openTrunk();
    await leg.connectRtp(moved.sdp());
    await speak(browser, toneFrames(SPEECH_HZ, 0.2));
    await moved.untilHeard(10);
    expect(trunk.heard).toHaveLength(0);
  });

  it("does not pass the far end's telephone-events to the browser", async () => {
    const { browser, leg, trunk } = await bridge();
    trunk.send(Buffer.from([1, 10, 0, 160]), { payloadType: 101 });
    await play(trunk, toneFrames(FAR_HZ, 0.1));
    await browser.untilHeard(5);
    expect(browser.heard.map((packet) => packet.payload.length)).toEqual([160, 160, 160, 160, 160]);
    expect((await leg.stats()).fromTrunk.packets).toBe(5);
  });
});

describe("digits", () => {
  it("arrive as RFC 4733 events in order, while the audio waits", async () => {
    const { browser, leg, trunk } = await bridge();
    await speak(browser, toneFrames(SPEECH_HZ, 0.1));
    const sent = leg.sendDigits("5#");
    const events = (packet: { payloadType: number }): boolean => packet.payloadType === 101;
    await trunk.untilHeard(1, events);
    await speak(browser, toneFrames(SPEECH_HZ, 0.04));
    await sent;
    await trunk.untilHeard(14, events);
    const heard = trunk.heard.filter(events);
    expect(heard).toHaveLength(14); // five of each, the last three times
    expect(heard.map((packet) => packet.payload[0])).toEqual([...Array(7).fill(5), ...Array(7).fill(11)]);
    for (const digit of [heard.slice(0, 7), heard.slice(7)]) {
      expect(digit.map((packet) => packet.payload.readUInt16BE(2))).toEqual([160, 320, 480, 640, 800, 800, 800]);
      expect(digit.map((packet) => (packet.payload[1] as number) >> 7)).toEqual([0, 0, 0, 0, 1, 1, 1]);
      expect(digit.map((packet) => packet.marker)).toEqual([true, false, false, false, false, false, false]);
      expect(new Set(digit.map((packet) => packet.timestamp)).size).toBe(1);
    }
    expect(((heard[7]?.timestamp ?? 0) - (heard[0]?.timestamp ?? 0)) >>> 0).toBeGreaterThanOrEqual(800 + 320);
    await speak(browser, toneFrames(SPEECH_HZ, 0.1));
    await trunk.untilHeard(5 + 14 + 5);
    expect(new Set(steps(trunk.heard.map((packet) => packet.sequence)))).toEqual(new Set([1]));
    expect(new Set(trunk.heard.map((packet) => packet.ssrc)).size).toBe(1);
  });

  it("are refused when they are no digits, too many, or the far end takes none", async () => {
    const { leg, trunk } = await bridge();
    await expect(leg.sendDigits("12x")).rejects.toMatchObject({ code: "bad_digits" });
    await expect(leg.sendDigits("1".repeat(101))).rejects.toMatchObject({ code: "bad_digits" });
    await leg.connectRtp(trunk.sdp({ audio: "0" }));
    await expect(leg.sendDigits("1")).rejects.toMatchObject({ code: "unsupported" });
    expect(trunk.heard).toHaveLength(0);
  });

  it("fail when the call ends before they are sent", async () => {
    const { leg } = await bridge();
    const sent = leg.sendDigits("1".repeat(50));
    await leg.stats();
    await Promise.all([expect(sent).rejects.toMatchObject({ code: "no_such_leg" }), leg.close()]);
  });
});

describe("ringback", () => {
  it("is heard as 440 and 480 Hz until the far end's media comes", async () => {
    const { browser, leg } = await openLeg();
    leg.playRingback("US");
    await browser.untilHeard(50);
    const ringing = audioOf(browser.heard.slice(0, 50));
    expect(share(ringing, 440)).toBeGreaterThan(0.45);
    expect(share(ringing, 480)).toBeGreaterThan(0.45);
    const trunk = await openTrunk();
    trunk.aim((await leg.openRtp()).sdp);
    await leg.connectRtp(trunk.sdp());
    browser.clear();
    await play(trunk, toneFrames(FAR_HZ, 0.4));
    await browser.untilHeard(20);
    expect(share(audioOf(browser.heard.slice(-20)), FAR_HZ)).toBeGreaterThan(0.95);
    expect(new Set(steps(browser.heard.map((packet) => packet.header.sequenceNumber)))).toEqual(new Set([1]));
  });
});

describe("a leg", () => {
  it.each([
    ["nothing", ""],
    ["text", "hello"],
    ["no media", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"],
    ["too long", `v=0\r\n${"a=x\r\n".repeat(10_000)}`],
  ])("is refused for an offer that is %s, and the next one works", async (_, offer) => {
    await expect(plane.openLeg(offer)).rejects.toMatchObject({ code: "bad_sdp" });
    await openLeg();
  });

  it("is refused for every mutilated offer with a clear error, never with a crash", async () => {
    const browser = await openTestBrowser();
    cleanups.push(() => browser.close());
    const lines = browser.offerSdp.split("\r\n");
    const mutilated = [
      ...lines.map((_, i) => lines.filter((_line, j) => j !== i).join("\r\n")),
      ...lines.map((line, i) => lines.map((other, j) => (i === j ? line.slice(0, line.length / 2) : other)).join("\r\n")),
      browser.offerSdp.replace("m=audio 9", "m=audio 0").replace(/ 0\r\n/, " 111\r\n"),
      browser.offerSdp.replaceAll("PCMU", "opus"),
    ];
    for (const offer of mutilated) {
      const result = await plane.openLeg(offer).then(
        (leg) => leg.close().then(() => "answered"),
        (error: { code: string }) => error.code,
      );
      expect(["answered", "bad_sdp"]).toContain(result);
    }
    expect((await plane.stats()).restarts).toBe(0);
    await openLeg();
  });

  it("answers with the configured address only, passively, ICE-lite, PCMU, and without candidates of the browser's kind", async () => {
    const browser = await openTestBrowser();
    cleanups.push(() => browser.close());
    const offer = browser.offerSdp.replace(/(a=ice-ufrag)/, "a=candidate:1 1 udp 1 6b9c.local 5000 typ host\r\na=candidate:2 1 tcp 1 10.0.0.9 9 typ host tcptype active\r\n$1");
    const leg = await plane.openLeg(offer);
    cleanups.push(() => leg.close());
    const candidates = leg.answerSdp.split("\r\n").filter((line) => line.startsWith("a=candidate"));
    expect(candidates).toHaveLength(1);
    expect(candidates[0]).toMatch(/ udp \d+ 127\.0\.0\.1 \d+ typ host/);
    expect(leg.answerSdp).toContain("a=setup:passive");
    expect(leg.answerSdp.split("m=audio")[0]).toContain("a=ice-lite");
    expect(leg.answerSdp).toMatch(/^m=audio 9 UDP\/TLS\/RTP\/SAVPF 0\r$/m);
    await browser.connect(leg.answerSdp);
  });

  it("goes on after an ICE restart", async () => {
    const { browser, leg, trunk } = await bridge();
    const before = /^a=ice-ufrag:(.*)$/m.exec(leg.answerSdp)?.[1];
    const answer = await leg.restart(await browser.restartOffer());
    expect(/^a=ice-ufrag:(.*)$/m.exec(answer)?.[1]).not.toBe(before);
    await browser.restart(answer);
    await speak(browser, toneFrames(SPEECH_HZ, 0.4));
    await trunk.untilHeard(20);
    expect(share(audioOf(trunk.heard), SPEECH_HZ)).toBeGreaterThan(0.95);
    await play(trunk, toneFrames(FAR_HZ, 0.4));
    await browser.untilHeard(20);
    expect(share(audioOf(browser.heard), FAR_HZ)).toBeGreaterThan(0.95);
  });

  it("survives junk on its ports while audio goes on", async () => {
    const { browser, leg, trunk } = await bridge();
    const webrtcPort = Number(/ 127\.0\.0\.1 (\d+) typ host/.exec(leg.answerSdp)?.[1]);
    const rtpPort = Number(/^m=audio (\d+)/m.exec((await leg.openRtp()).sdp)?.[1]);
    const attacker = createSocket("udp4");
    cleanups.push(() => new Promise<void>((resolve) => attacker.close(() => resolve())));
    for (let i = 0; i < 600; i += 1) {
      const first = [0, 1, 20, 21, 22, 128, 144, 200][i % 8] as number;
      const junk = Buffer.from([first, ...Array.from({ length: i % 97 }, (_, j) => (i * 31 + j * 17) % 256)]);
      for (const port of [webrtcPort, rtpPort, rtpPort + 1]) attacker.send(junk, port, "127.0.0.1");
      await setImmediate();
    }
    attacker.send(Buffer.from([21, 254, 253, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 1, 0]), webrtcPort, "127.0.0.1"); // DTLS close_notify, forged
    await speak(browser, toneFrames(SPEECH_HZ, 1)); // the system may have dropped some of it together with the junk
    await trunk.untilHeard(20);
    expect(share(audioOf(trunk.heard), SPEECH_HZ)).toBeGreaterThan(0.9);
    expect((await plane.stats()).restarts).toBe(0);
  });

  it("gives its final counters when it is closed, and is unknown afterwards", async () => {
    const { browser, leg, trunk } = await bridge();
    await speak(browser, toneFrames(SPEECH_HZ, 0.2));
    await trunk.untilHeard(10);
    const [first, second] = await Promise.all([leg.close(), leg.close()]);
    expect(first).toMatchObject({ fromBrowser: { packets: 10 } });
    expect(second).toEqual(first);
    await expect(leg.stats()).rejects.toMatchObject({ code: "no_such_leg" });
  });
});

describe("a media plane of its own", () => {
  it("ends a leg whose browser has gone silent", async () => {
    const own = await createMediaPlane({ mediaAddress: "127.0.0.1", rtpAddress: "127.0.0.1", mediaTimeoutMs: 300, log });
    cleanups.push(() => own.close());
    const { leg } = await openLeg(own);
    expect(await new Promise<LegEndReason>((resolve) => leg.onEnded(resolve))).toBe("media-timeout");
    await expect(leg.stats()).rejects.toMatchObject({ code: "no_such_leg" });
  });

  it("ends its legs when its process dies, and comes back", async () => {
    const own = await createMediaPlane({ mediaAddress: "127.0.0.1", rtpAddress: "127.0.0.1", log });
    cleanups.push(() => own.close());
    const { leg } = await openLeg(own);
    const ended = new Promise<LegEndReason>((resolve) => leg.onEnded(resolve));
    const { processId } = await own.stats();
    process.kill(processId as number, "SIGKILL");
    expect(await ended).toBe("failed");
    await expect(own.openLeg("v=0")).rejects.toMatchObject({ code: "unavailable" });
    await expect.poll(async () => (await own.stats()).processId, { timeout: 10_000 }).not.toBeNull();
    await openLeg(own);
    expect((await own.stats()).restarts).toBe(1);
  });

  it("uses only the ports it is given, and refuses legs beyond its limit", async () => {
    const own = await createMediaPlane({
      mediaAddress: "127.0.0.1",
      rtpAddress: "127.0.0.1",
      webrtcPorts: { first: 41_000, last: 41_199 },
      rtpPorts: { first: 41_200, last: 41_399 },
      maxLegs: 2,
      log,
    });
    cleanups.push(() => own.close());
    const legs = [await openLeg(own), await openLeg(own)];
    for (const { leg } of legs) {
      const port = Number(/ 127\.0\.0\.1 (\d+) typ host/.exec(leg.answerSdp)?.[1]);
      expect(port).toBeGreaterThanOrEqual(41_000);
      expect(port).toBeLessThanOrEqual(41_199);
      const rtpPort = Number(/^m=audio (\d+)/m.exec((await leg.openRtp()).sdp)?.[1]);
      expect(rtpPort % 2).toBe(0);
      expect(rtpPort).toBeGreaterThanOrEqual(41_200);
      expect(rtpPort).toBeLessThanOrEqual(41_398);
    }
    await expect(openLeg(own)).rejects.toMatchObject({ code: "no_capacity" });
  });
});

/** Differences between neighbours, as signed numbers of `bits` bits that wrap. */
function steps(numbers: number[], bits: 16 | 32 = 16): number[] {
  return numbers.slice(1).map((number, i) => {
    const difference = number - (numbers[i] as number);
    return bits === 16 ? (difference << 16) >> 16 : difference | 0;
  });
}
