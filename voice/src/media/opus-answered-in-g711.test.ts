import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { audioOf, FAR_HZ, openLeg, openPlane, openTrunk, play, speak, SPEECH_HZ, steps } from "../../test/media-harness.ts";
import { opusToneFrames } from "../../test/opus-tone.ts";
import { openAnsweringBrowser } from "../../test/test-browser.ts";
import type { TestTrunk } from "../../test/test-trunk.ts";
import { loudness, samplesOf, share, toneFrames } from "../../test/tone.ts";
import { alawToUlaw, ulawToAlaw } from "./audio/g711.ts";
import type { MediaPlane } from "./media-plane.ts";

const OPUS = { audio: "111 110", maps: ["111 opus/48000/2", "110 telephone-event/48000"] };
/** The smallest step of A-law. */
const QUIET = 10;
const [BROWSERS_PCMU, BROWSERS_OPUS] = [0, 109];

let plane: MediaPlane;
let tone: readonly Buffer[];
const cleanups = new Cleanups();

beforeAll(async () => {
  [plane, tone] = await Promise.all([openPlane(), opusToneFrames(SPEECH_HZ, 1)]);
});
afterAll(() => plane.close());
afterEach(() => cleanups.end());

/** The caller's speech in Opus. */
function speech(count = 50): Buffer[] {
  return tone.slice(0, count);
}

async function openCall() {
  const { browser, leg } = await openLeg(plane, cleanups, { wanted: "opus", hasOpus: true });
  const trunk = await openTrunk(cleanups);
  trunk.aim((await leg.openRtp()).sdp);
  return { browser, leg, trunk };
}

async function answeredIn(audio: string) {
  const call = await openCall();
  const { sdp: answer } = await call.leg.connectRtp(call.trunk.sdp({ audio }));
  return { ...call, answer };
}

/** How much of what the far end heard is the caller. */
function heardCaller(packets: TestTrunk["heard"], alaw = false): number {
  const payloads = packets.map(({ payload }) => Buffer.from(payload));
  if (alaw) payloads.forEach(alawToUlaw);
  return share(samplesOf(Buffer.concat(payloads)), SPEECH_HZ);
}

describe("an Opus call that the far end answers in G.711", () => {
  it.each([
    ["PCMU", 0],
    ["PCMA", 8],
  ])("has sound both ways in %s", async (codec, payloadType) => {
    const alaw = codec === "PCMA";
    const { browser, leg, trunk, answer } = await answeredIn(`${payloadType} 101`);
    expect(answer).toMatch(new RegExp(String.raw`^m=audio \d+ RTP/AVP ${payloadType} 101\r$`, "m"));
    const far = toneFrames(FAR_HZ, 1);
    if (alaw) far.forEach(ulawToAlaw);
    await speak(browser, speech());
    await play(trunk, far, payloadType);
    await Promise.all([trunk.untilHeard(50), browser.untilHeard(50)]);
    expect(heardCaller(trunk.heard, alaw)).toBeGreaterThan(0.95);
    expect(share(audioOf(browser.heard), FAR_HZ)).toBeGreaterThan(0.98);
    expect(new Set(trunk.heard.map((packet) => `${packet.payloadType} ${packet.payload.length} ${packet.ssrc}`)).size).toBe(1);
    expect(trunk.heard[0]).toMatchObject({ payloadType, payload: { length: 160 } });
    expect(new Set(browser.heard.map(({ header }) => header.payloadType))).toEqual(new Set([BROWSERS_PCMU]));
    for (const ticks of [trunk.heard.map(({ timestamp }) => timestamp), browser.heard.map(({ header }) => header.timestamp)])
      expect(new Set(steps(ticks, 32))).toEqual(new Set([160]));
    expect(await leg.stats()).toMatchObject({
      ...{ fromBrowser: { packets: 50, lost: 0 }, toFar: { packets: 50, bytes: 8_000 } },
      ...{ fromFar: { packets: 50, lost: 0 }, toBrowser: { packets: 50, bytes: 8_000 } },
    });
  });

  it("shows the far end what was lost, and drops a damaged packet", async () => {
    const { browser, leg, trunk } = await answeredIn("0 101");
    for (const [i, packet] of speech(20).entries()) await browser.send(i === 15 ? Buffer.from([0xff]) : packet, i === 10 ? 3 : 0);
    await trunk.untilHeard(19);
    const expected = Array.from({ length: 18 }, (_, i) => (i === 9 ? 4 : i === 14 ? 2 : 1));
    expect(steps(trunk.heard.map(({ sequence }) => sequence))).toEqual(expected);
    const ticks = trunk.heard.map(({ timestamp }) => timestamp);
    expect(steps(ticks, 32)).toEqual(expected.map((step) => step * 160));
    expect((await leg.stats()).fromBrowser).toMatchObject({ packets: 20, lost: 3 });
  });

  it("is silent both ways on hold", async () => {
    const { browser, leg, trunk } = await answeredIn("8 101");
    leg.hold(true);
    await speak(browser, speech(20));
    await play(trunk, toneFrames(FAR_HZ, 0.4), 8);
    await Promise.all([trunk.untilHeard(20), browser.untilHeard(20)]);
    trunk.heard.forEach(({ payload }) => alawToUlaw(payload));
    for (const packets of [browser.heard, trunk.heard]) expect(loudness(audioOf(packets))).toBeLessThan(QUIET);
  });

  it("sends digits as events with G.711's clock rate", async () => {
    const { browser, leg, trunk } = await answeredIn("0 101");
    await speak(browser, speech(5));
    await leg.sendDigits("7");
    await trunk.untilHeard(12);
    const events = trunk.heard.filter(({ payloadType }) => payloadType === 101).map(({ payload }) => payload);
    expect(events.map((payload) => payload.readUInt16BE(2))).toEqual([160, 320, 480, 640, 800, 800, 800]);
  });

  it("sends digits as tones to a far end without events", async () => {
    const { leg, trunk } = await answeredIn("0");
    await leg.sendDigits("5");
    await trunk.untilHeard(5);
    const heard = audioOf(trunk.heard);
    for (const hertz of [770, 1_336]) expect(share(heard, hertz)).toBeGreaterThan(0.45);
  });

  it("goes on from ringback in Opus to the far end's PCMU without a gap", async () => {
    const { browser, leg, trunk } = await openCall();
    leg.playRingback();
    await browser.untilHeard(10);
    await leg.connectRtp(trunk.sdp());
    await play(trunk, toneFrames(FAR_HZ, 0.4));
    await browser.untilHeard(10 + 20);
    await expect.poll(() => browser.heard.at(-1)?.header.payloadType).toBe(BROWSERS_PCMU);
    expect(browser.heard[0]?.header.payloadType).toBe(BROWSERS_OPUS);
    expect(new Set(steps(browser.heard.map(({ header }) => header.sequenceNumber)))).toEqual(new Set([1]));
    expect(new Set(browser.heard.map(({ header }) => header.ssrc)).size).toBe(1);
  });

  it("follows the far end from early media in PCMU to Opus, to PCMA and back", async () => {
    const { browser, leg, trunk } = await openCall();
    const sessions = [
      { sdp: trunk.sdp(), payloadType: 0, ticks: 160 },
      { sdp: trunk.sdp(OPUS), payloadType: 111, ticks: 960 },
      { sdp: trunk.sdp({ audio: "8 101" }), payloadType: 8, ticks: 160 },
      { sdp: trunk.sdp(OPUS), payloadType: 111, ticks: 960 },
    ];
    for (const { sdp, payloadType, ticks } of sessions) {
      await leg.connectRtp(sdp);
      const before = { trunk: trunk.heard.length, browser: browser.heard.length };
      const far = payloadType === 111 ? speech(20) : toneFrames(FAR_HZ, 0.4);
      await speak(browser, speech(20));
      await play(trunk, far, payloadType);
      await Promise.all([trunk.untilHeard(before.trunk + 20), browser.untilHeard(before.browser + 20)]);
      const heard = trunk.heard.slice(before.trunk);
      expect(new Set(heard.map((packet) => packet.payloadType))).toEqual(new Set([payloadType]));
      expect(
        new Set(
          steps(
            heard.map(({ timestamp }) => timestamp),
            32,
          ),
        ),
      ).toEqual(new Set([ticks]));
      if (payloadType === 111) expect(heard.map(({ payload }) => payload)).toEqual(speech(20));
      else expect(heardCaller(heard, payloadType === 8)).toBeGreaterThan(0.9);
      const played = new Set(browser.heard.slice(before.browser).map(({ header }) => header.payloadType));
      expect(played).toEqual(new Set([payloadType === 111 ? BROWSERS_OPUS : BROWSERS_PCMU]));
    }
    for (const numbers of [trunk.heard.map(({ sequence }) => sequence), browser.heard.map(({ header }) => header.sequenceNumber)])
      expect(new Set(steps(numbers))).toEqual(new Set([1]));
    expect((await leg.stats()).fromFar).toMatchObject({ packets: 80, lost: 0 });
  });

  it("plays each codec that the far end lists, whichever it sends", async () => {
    const { browser, leg, trunk } = await openCall();
    await leg.connectRtp(trunk.sdp({ audio: "0 111 101", maps: ["111 opus/48000/2"] }));
    await speak(browser, speech(1));
    await trunk.untilHeard(1);
    expect(trunk.heard[0]?.payloadType).toBe(111);
    for (const frame of toneFrames(FAR_HZ, 0.2)) {
      trunk.send(frame, { payloadType: 0 });
      trunk.send(tone[0] as Buffer, { payloadType: 111 });
    }
    await browser.untilHeard(20);
    const payloadTypes = browser.heard.map(({ header }) => header.payloadType);
    expect(payloadTypes).toEqual(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? BROWSERS_PCMU : BROWSERS_OPUS)));
  });

  it("stays as it is on a new transport", async () => {
    const { leg, trunk } = await answeredIn("0 101");
    const { offerSdp } = await leg.reofferMedia();
    const back = await openAnsweringBrowser(offerSdp, true);
    cleanups.add(() => back.close());
    await leg.acceptAnswer(back.answerSdp);
    await back.connected;
    await speak(back, speech());
    await play(trunk, toneFrames(FAR_HZ, 1));
    await Promise.all([trunk.untilHeard(50), back.untilHeard(50)]);
    expect(heardCaller(trunk.heard)).toBeGreaterThan(0.95);
    expect(share(audioOf(back.heard), FAR_HZ)).toBeGreaterThan(0.98);
  });
});
