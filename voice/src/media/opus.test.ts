import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openLeg, openPlane, openTrunk, play, speak, steps } from "../../test/media-harness.ts";
import { openAnsweringBrowser } from "../../test/test-browser.ts";
import type { MediaPlane } from "./media-plane.ts";

const FRAME_TICKS = 960;
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
const SOUND = { audio: "96 97", maps: ["96 opus/48000/2", "97 telephone-event/48000"] };

let plane: MediaPlane;
const cleanups = new Cleanups();

beforeAll(async () => {
  plane = await openPlane();
});
afterAll(() => plane.close());
afterEach(() => cleanups.end());

/** Distinguishable packets. */
function packets(first: number, count = 20): Buffer[] {
  return Array.from({ length: count }, (_, i) => Buffer.alloc(40 + i, first + i));
}

async function openCall(hasOpus = true) {
  const { browser, leg } = await openLeg(plane, cleanups, { wanted: "opus", hasOpus });
  const trunk = await openTrunk(cleanups);
  const { sdp } = await leg.openRtp();
  trunk.aim(sdp);
  return { browser, leg, trunk, offer: sdp };
}

async function connected(sound: Parameters<Awaited<ReturnType<typeof openTrunk>>["sdp"]>[0] = SOUND) {
  const call = await openCall();
  const { sdp: answer } = await call.leg.connectRtp(call.trunk.sdp(sound));
  return { ...call, answer };
}

describe("an Opus call", () => {
  it("forwards packets unchanged both ways, with each side's payload type", async () => {
    const { browser, leg, trunk, offer, answer } = await connected();
    expect(leg.codec).toBe("opus");
    expect(offer).toContain("a=rtpmap:111 opus/48000/2");
    expect(offer).toMatch(/^m=audio \d+ RTP\/AVP 111 0 8 110 101\r$/m);
    expect(answer).toMatch(/^m=audio \d+ RTP\/AVP 96 97\r$/m);
    await speak(browser, packets(1));
    await play(trunk, packets(101), 96);
    await Promise.all([trunk.untilHeard(20), browser.untilHeard(20)]);
    expect(trunk.heard.map(({ payload }) => payload)).toEqual(packets(1));
    expect(new Set(trunk.heard.map(({ payloadType }) => payloadType))).toEqual(new Set([96]));
    const ticks = trunk.heard.map(({ timestamp }) => timestamp);
    expect(new Set(steps(ticks, 32))).toEqual(new Set([FRAME_TICKS]));
    expect(browser.heard.map(({ payload }) => payload)).toEqual(packets(101));
    expect(new Set(browser.heard.map(({ header }) => header.payloadType))).toEqual(new Set([109]));
    expect(await leg.stats()).toMatchObject({ fromBrowser: { packets: 20, lost: 0 }, toFar: { packets: 20 } });
  });

  it("is silent both ways on hold", async () => {
    const { browser, leg, trunk } = await connected();
    leg.hold(true);
    await speak(browser, packets(1));
    await play(trunk, packets(101), 96);
    await Promise.all([trunk.untilHeard(20), browser.untilHeard(20)]);
    for (const { payload } of [...trunk.heard, ...browser.heard]) expect(payload).toEqual(SILENCE);
  });

  it("sends digits as events with Opus' clock rate", async () => {
    const { leg, trunk } = await connected();
    await leg.sendDigits("7");
    await trunk.untilHeard(7);
    const events = trunk.heard.filter(({ payloadType }) => payloadType === 97).map(({ payload }) => payload);
    expect(new Set(events.map(([code]) => code))).toEqual(new Set([7]));
    expect(events.map((payload) => payload.readUInt16BE(2) / FRAME_TICKS)).toEqual([1, 2, 3, 4, 5, 5, 5]);
  });

  it("sends digits as tones to a far end without events", async () => {
    const { leg, trunk } = await connected({ audio: "96", maps: ["96 opus/48000/2"] });
    await leg.sendDigits("7");
    await trunk.untilHeard(5);
    expect(trunk.heard).toHaveLength(5);
    for (const { payload, payloadType } of trunk.heard) {
      expect(payloadType).toBe(96);
      expect(payload.length).toBeGreaterThan(SILENCE.length);
    }
  });

  it("plays ringback with pauses until the far end is heard", async () => {
    const { browser, leg, trunk } = await connected();
    leg.playRingback();
    await browser.untilHeard(105);
    const lengths = browser.heard.map(({ payload }) => payload.length);
    expect(Math.min(...lengths.slice(0, 100))).toBeGreaterThan(SILENCE.length);
    expect(Math.max(...lengths.slice(100, 105))).toBe(SILENCE.length);
    await play(trunk, packets(101, 1), 96);
    await expect.poll(() => browser.heard.at(-1)?.payload).toEqual(packets(101)[0]);
  });

  it("stays in Opus on a new transport", async () => {
    const { browser, leg, trunk } = await connected();
    const { offerSdp } = await leg.reofferMedia();
    const back = await openAnsweringBrowser(offerSdp, true);
    cleanups.add(() => back.close());
    await leg.acceptAnswer(back.answerSdp);
    await back.connected;
    await speak(back, packets(1));
    await play(trunk, packets(101), 96);
    await Promise.all([trunk.untilHeard(20), back.untilHeard(20)]);
    expect(trunk.heard.map(({ payload }) => payload)).toEqual(packets(1));
    expect(back.heard.map(({ payload }) => payload)).toEqual(packets(101));
    expect(browser.heard).toEqual([]);
  });

  it("refuses a far end without a codec of ours, and stays unchanged", async () => {
    const { browser, leg, trunk } = await connected();
    await expect(leg.connectRtp(trunk.sdp({ audio: "18" }))).rejects.toMatchObject({ code: "bad_sdp" });
    await speak(browser, packets(1));
    await trunk.untilHeard(20);
    expect(trunk.heard[0]?.payloadType).toBe(96);
  });
});

it("a browser without Opus gets G.711 even if Opus is wanted", async () => {
  const { leg, offer } = await openCall(false);
  expect(leg.codec).toBe("g711");
  expect(offer).toMatch(/^m=audio \d+ RTP\/AVP 0 8 101\r$/m);
});
