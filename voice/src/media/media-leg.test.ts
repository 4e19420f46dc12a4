import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  audioOf,
  bridge,
  FAR_HZ,
  openLeg,
  openPlane,
  openTrunk,
  play,
  speak,
  SPEECH_HZ,
  steps,
} from "../../test/media-harness.ts";
import type { TestTrunk } from "../../test/test-trunk.ts";
import { loudness, share, toneFrames } from "../../test/tone.ts";
import { alawToUlaw, ulawToAlaw } from "./audio/g711.ts";
import type { MediaPlane } from "./media-plane.ts";

let plane: MediaPlane;
const cleanups = new Cleanups();

beforeAll(async () => {
  plane = await openPlane();
});
afterAll(() => plane.close());
afterEach(() => cleanups.end());

describe("the bridge between browser and trunk", () => {
  it("carries audio in both directions, and nothing else", async () => {
    const { browser, leg, trunk } = await bridge(plane, cleanups);
    await speak(browser, toneFrames(SPEECH_HZ, 1));
    await play(trunk, toneFrames(FAR_HZ, 1));
    await Promise.all([trunk.untilHeard(50), browser.untilHeard(50)]);
    expect(share(audioOf(trunk.heard), SPEECH_HZ)).toBeGreaterThan(0.98);
    expect(share(audioOf(browser.heard), FAR_HZ)).toBeGreaterThan(0.98);
    expect(await leg.stats()).toMatchObject({
      fromBrowser: { packets: 50, bytes: 8_000, lost: 0 },
      toFar: { packets: 50, bytes: 8_000 },
      fromFar: { packets: 50, lost: 0 },
      toBrowser: { packets: 50 },
    });
  });

  it("preserves gaps from packet loss in both directions, and counts them", async () => {
    const { browser, leg, trunk } = await bridge(plane, cleanups);
    const frames = toneFrames(SPEECH_HZ, 0.4);
    for (const [i, frame] of frames.entries()) {
      await browser.send(frame, i === 10 ? 3 : 0);
      trunk.send(frame, { skip: i === 5 ? 2 : 0 });
      await setImmediate();
    }
    await Promise.all([trunk.untilHeard(20), browser.untilHeard(20)]);
    expect(steps(trunk.heard.map((packet) => packet.sequence))).toEqual(frames.slice(1).map((_, i) => (i + 1 === 10 ? 4 : 1)));
    expect(
      steps(
        trunk.heard.map((packet) => packet.timestamp),
        32,
      ),
    ).toEqual(frames.slice(1).map((_, i) => (i + 1 === 10 ? 640 : 160)));
    expect(steps(browser.heard.map((packet) => packet.header.sequenceNumber))).toEqual(
      frames.slice(1).map((_, i) => (i + 1 === 5 ? 3 : 1)),
    );
    expect(await leg.stats()).toMatchObject({ fromBrowser: { lost: 3 }, fromFar: { lost: 2 } });
  });

  it("has no gap in sequence numbers after the far end was sendonly for a while", async () => {
    const { browser, leg, trunk } = await bridge(plane, cleanups);
    await speak(browser, toneFrames(SPEECH_HZ, 0.2));
    await trunk.untilHeard(10);
    await leg.connectRtp(trunk.sdp({ direction: "sendonly" }));
    await speak(browser, toneFrames(SPEECH_HZ, 0.4));
    await leg.connectRtp(trunk.sdp());
    await speak(browser, toneFrames(SPEECH_HZ, 0.2));
    await trunk.untilHeard(20);
    expect(new Set(steps(trunk.heard.map(({ sequence }) => sequence)))).toEqual(new Set([1]));
  });

  it("carries each codec that the far end's SDP lists, in its first choice and after a change in the call", async () => {
    const { browser, trunk } = await bridge(plane, cleanups, { audio: "0 8 101" });
    await play(trunk, toneFrames(FAR_HZ, 0.1));
    await browser.untilHeard(5);
    for (const frame of toneFrames(FAR_HZ, 0.2)) {
      ulawToAlaw(frame);
      trunk.send(frame, { payloadType: 8 });
    }
    await browser.untilHeard(15);
    expect(share(audioOf(browser.heard.slice(5)), FAR_HZ)).toBeGreaterThan(0.9);
  });

  it("does not forward the far end's comfort noise to the browser, and neither side counts it as lost", async () => {
    const { browser, leg, trunk } = await bridge(plane, cleanups);
    for (let burst = 0; burst < 2; burst += 1) {
      await play(trunk, toneFrames(FAR_HZ, 0.1));
      for (let packets = 0; packets < 4; packets += 1) trunk.send(Buffer.from([64]), { payloadType: 13 });
    }
    await play(trunk, toneFrames(FAR_HZ, 0.1));
    await browser.untilHeard(15);
    expect(new Set(browser.heard.map((packet) => packet.payload.length))).toEqual(new Set([160]));
    expect(new Set(steps(browser.heard.map((packet) => packet.header.sequenceNumber)))).toEqual(new Set([1]));
    expect((await leg.stats()).fromFar).toMatchObject({ packets: 15, lost: 0 });
  });
});

describe("digits", () => {
  /** A key in packets of 50 ms, as gateways send it. @param packets of which the last three are its end */
  const press = async (trunk: TestTrunk, code: number, packets = 5): Promise<void> => {
    for (let sent = 0; sent < packets; sent += 1) {
      const end = sent >= packets - 3 ? 0x80 : 0;
      trunk.send(Buffer.from([code, end | 10, 1, 144]), { payloadType: 101, follows: sent > 0 });
      await pause(50);
    }
  };

  it("of the far end are heard by the caller as tones, each once, and nothing looks lost", async () => {
    const { browser, leg, trunk } = await bridge(plane, cleanups);
    await play(trunk, toneFrames(FAR_HZ, 0.1));
    await press(trunk, 5);
    await press(trunk, 10);
    trunk.send(Buffer.from([99, 10, 1, 144]), { payloadType: 101 }); // not a key
    await play(trunk, toneFrames(FAR_HZ, 0.2));
    await browser.untilHeard(25);
    const keyOf = (sound: number[]): string => {
      if (share(sound, 770) > 0.4 && share(sound, 1_336) > 0.4) return "5";
      if (share(sound, 941) > 0.4 && share(sound, 1_209) > 0.4) return "*";
      return share(sound, FAR_HZ) > 0.9 ? "-" : "?";
    };
    const keys = browser.heard.map((packet) => keyOf(audioOf([packet]))).join("");
    expect(keys).toMatch(/^-{5}5{5,8}\*{5,8}-{10}$/);
    expect(new Set(steps(browser.heard.map(({ header }) => header.sequenceNumber)))).toEqual(new Set([1]));
    expect(
      steps(
        browser.heard.map(({ header }) => header.timestamp),
        32,
      ).every((step) => step > 0 && step % 160 === 0),
    ).toBe(true);
    expect((await leg.stats()).fromFar).toMatchObject({ packets: 15, lost: 0 });
  });

  it("of the far end are not heard by a caller who holds, and a key without an end falls silent", async () => {
    const { browser, leg, trunk } = await bridge(plane, cleanups);
    leg.hold(true);
    await leg.connectRtp(trunk.sdp()); // commands are executed in order
    await press(trunk, 5);
    expect(browser.heard).toHaveLength(0);
    leg.hold(false);
    await leg.connectRtp(trunk.sdp());
    trunk.send(Buffer.from([5, 10, 1, 144]), { payloadType: 101 });
    await pause(500);
    const tones = browser.heard.length;
    trunk.send(Buffer.from([5, 0x80 | 10, 30, 0]), { payloadType: 101, follows: true }); // its end, long after
    expect(tones).toBeLessThanOrEqual(9);
    expect(tones).toBeGreaterThan(0);
    await play(trunk, toneFrames(FAR_HZ, 0.2));
    await browser.untilHeard(tones + 10);
  });

  it("arrive as RFC 4733 events in order, while audio pauses", async () => {
    const { browser, leg, trunk } = await bridge(plane, cleanups);
    await speak(browser, toneFrames(SPEECH_HZ, 0.1));
    const sent = leg.sendDigits("5#");
    const events = (packet: { payloadType: number }): boolean => packet.payloadType === 101;
    await trunk.untilHeard(1, events);
    await speak(browser, toneFrames(SPEECH_HZ, 0.04));
    await sent;
    await trunk.untilHeard(14, events);
    const heard = trunk.heard.filter(events);
    expect(heard).toHaveLength(14); // five per digit, and the last of them three times
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

  it.each([
    ["PCMU", "0"],
    ["PCMA", "8"],
  ])("are sent as DTMF tones to a far end without events, in %s", async (codec, audio) => {
    const { leg, trunk } = await bridge(plane, cleanups, { audio });
    await leg.sendDigits("5#");
    await trunk.untilHeard(10);
    if (codec === "PCMA") trunk.heard.forEach((packet) => alawToUlaw(packet.payload));
    const five = audioOf(trunk.heard.slice(0, 5));
    const hash = audioOf(trunk.heard.slice(5));
    for (const [sound, low, high] of [
      [five, 770, 1_336],
      [hash, 941, 1_477],
    ] as const) {
      expect(share(sound, low)).toBeGreaterThan(0.45);
      expect(share(sound, high)).toBeGreaterThan(0.45);
    }
    expect(
      new Set(
        steps(
          trunk.heard.slice(0, 5).map(({ timestamp }) => timestamp),
          32,
        ),
      ),
    ).toEqual(new Set([160]));
    expect(trunk.heard.map(({ payloadType }) => payloadType)).toEqual(Array(10).fill(Number(audio)));
  });
});

describe("ringback", () => {
  it("plays 440 and 480 Hz until the far end is heard, even after early SDP, and not again", async () => {
    const { browser, leg } = await openLeg(plane, cleanups);
    leg.playRingback();
    await browser.untilHeard(50);
    const ringing = audioOf(browser.heard.slice(0, 50));
    expect(share(ringing, 440)).toBeGreaterThan(0.45);
    expect(share(ringing, 480)).toBeGreaterThan(0.45);
    const trunk = await openTrunk(cleanups);
    trunk.aim((await leg.openRtp()).sdp);
    await leg.connectRtp(trunk.sdp());
    browser.clear();
    await browser.untilHeard(20);
    expect(loudness(audioOf(browser.heard))).toBeGreaterThan(0);
    await play(trunk, toneFrames(FAR_HZ, 0.8));
    await browser.untilHeard(60);
    leg.playRingback();
    await leg.stats();
    expect(share(audioOf(browser.heard.slice(-20)), FAR_HZ)).toBeGreaterThan(0.95);
    expect(new Set(steps(browser.heard.map((packet) => packet.header.sequenceNumber)))).toEqual(new Set([1]));
  });
});
