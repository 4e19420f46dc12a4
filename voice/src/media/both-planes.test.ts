import { setTimeout as pause } from "node:timers/promises";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import pino from "pino";
import { afterAll, beforeAll, describe, vi } from "vitest";
import {
  areSilent,
  audioOf,
  BOTH,
  converse,
  heard,
  openLeg,
  openPlane,
  openTrunk,
  SPEECH_HZ,
  talk,
} from "../../test/media-harness.ts";
import { test } from "../../test/test-with-cleanups.ts";
import { type RtpengineProcess, startRtpengine } from "../../test/rtpengine-process.ts";
import { openAnsweringBrowser, openTestBrowser } from "../../test/test-browser.ts";
import { share, toneFrames } from "../../test/tone.ts";
import type { HeardChange, MediaPlane } from "./media-plane.ts";
import type { ReceivedRtp } from "./rtp/rtp-header.ts";
import { createRtpenginePlane } from "../exchange.ts";
import { ulawToAlaw } from "./audio/g711.ts";
import { spokenCode } from "./audio/spoken-code.ts";

const SILENCE_MS = 400;

interface Silence {
  readonly silenceMs?: number;
  readonly farSilenceMs?: number;
}

let engine: RtpengineProcess;
beforeAll(async () => {
  engine = await startRtpengine({ first: 30_000, last: 30_999 });
});
afterAll(() => engine.kill());

const planes: Record<string, (silence: Silence) => Promise<MediaPlane>> = {
  "media processes": openPlane,
  rtpengine: (silence) => createRtpenginePlane({ engines: [engine.ng], log: pino({ level: "silent" }), ...silence }),
};

describe.concurrent.each(Object.entries(planes))("a call through %s", (_, open) => {
  let plane: MediaPlane;
  beforeAll(async () => {
    plane = await open({});
  });
  afterAll(() => plane.close());

  test.concurrent("carries audio both ways, and counts it", async ({ cleanups, expect }) => {
    const { browser, leg, trunk, answer } = await talk(plane, cleanups);
    expect(answer).toMatch(/^m=audio \d+ RTP\/AVP 0 101\r$/m);
    const before = await leg.stats();
    await converse({ browser, trunk }, 0.4);
    await vi.waitUntil(async () => (await leg.stats()).fromFar.packets >= before.fromFar.packets + 15, PATIENCE);
    const stats = await leg.stats();
    for (const side of ["fromBrowser", "fromFar"] as const) {
      const packets = stats[side].packets - before[side].packets;
      expect(packets).toBeGreaterThanOrEqual(15);
      // One of the planes also counts reports.
      expect((stats[side].bytes - before[side].bytes) / packets).toBeCloseTo(160, -1.5);
    }
    const [first, second] = await Promise.all([leg.close(), leg.close()]);
    expect(first?.fromBrowser.packets).toBeGreaterThanOrEqual(stats.fromBrowser.packets);
    expect(second).toEqual(first);
    await expect(leg.stats()).rejects.toMatchObject({ code: "no_such_leg" });
  });

  test.concurrent("uses A-law with a trunk that prefers it", async ({ cleanups, expect }) => {
    const { browser, trunk, answer } = await talk(plane, cleanups, { audio: "8 0" });
    expect(answer).toMatch(/^m=audio \d+ RTP\/AVP 8\r$/m);
    await expect.poll(() => heard({ browser, trunk }, true)).toEqual(BOTH);
    expect(new Set(trunk.heard.map(({ payloadType }) => payloadType))).toEqual(new Set([8]));
  });

  test.concurrent.for([
    ["nothing", ""],
    ["text", "hello"],
    ["no media", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"],
    ["too long", `v=0\r\n${"a=x\r\n".repeat(10_000)}`],
  ])("is refused for an offer that is %s", async ([, offer = ""], { expect }) => {
    await expect(plane.openLeg(offer)).rejects.toMatchObject({ code: "bad_sdp" });
  });

  test.concurrent("is refused with a clear error for a mutilated offer, and a valid one is then accepted", async ({
    cleanups,
    expect,
  }) => {
    const browser = await openTestBrowser();
    cleanups.add(() => browser.close());
    const lines = browser.offerSdp.split("\r\n");
    const mutilated = lines.flatMap((_line, i) => [
      lines.filter((_other, j) => j !== i).join("\r\n"),
      lines.map((line, j) => (i === j ? line.slice(0, line.length / 2) : line)).join("\r\n"),
    ]);
    for (const offer of mutilated) {
      const result = await plane.openLeg(offer).then(
        (leg) => leg.close().then(() => "answered"),
        (error: { code: string }) => error.code,
      );
      expect(["answered", "bad_sdp"]).toContain(result);
    }
    await openLeg(plane, cleanups);
  });

  test.concurrent("sends digits as RFC 4733 events, in order, with the far end's payload type", async ({ cleanups, expect }) => {
    const { browser, leg, trunk } = await talk(plane, cleanups, { audio: "0 101" });
    await leg.connectRtp(trunk.sdp().replaceAll("101", "96"));
    const isEnd = ({ payloadType, payload }: ReceivedRtp): boolean => payloadType === 96 && (payload[1] as number) >> 7 === 1;
    const sent = leg.sendDigits("5#,9");
    const began = Date.now();
    await Promise.all([sent.then(() => expect(Date.now() - began).toBeGreaterThan(2_000)), converse({ browser, trunk }, 4)]);
    await vi.waitUntil(() => trunk.heard.filter(isEnd).length >= 9, PATIENCE);
    const events = trunk.heard.filter(({ payloadType }) => payloadType === 96);
    const codes = events.map(({ payload }) => payload[0]);
    expect(codes.filter((code, i) => code !== codes[i - 1])).toEqual([5, 11, 9]);
    expect(events.filter(isEnd).map(({ payload }) => payload[0])).toEqual([5, 5, 5, 11, 11, 11, 9, 9, 9]);
  });

  test.concurrent("sends digits as tones to a far end without events", async ({ cleanups, expect }) => {
    const { browser, leg, trunk } = await talk(plane, cleanups, { audio: "0" });
    const sent = leg.sendDigits("5");
    await converse({ browser, trunk }, 0.6);
    await sent;
    const isFive = (sound: number[]): boolean => share(sound, 770) > 0.4 && share(sound, 1_336) > 0.4;
    expect(trunk.heard.filter((packet) => isFive(audioOf([packet]))).length).toBeGreaterThanOrEqual(3);
  });

  test.concurrent("refuses invalid digits, too many digits, and digits without a far end", async ({ cleanups, expect }) => {
    const { leg } = await talk(plane, cleanups);
    await expect(leg.sendDigits("12x")).rejects.toMatchObject({ code: "bad_digits" });
    await expect(leg.sendDigits("1".repeat(101))).rejects.toMatchObject({ code: "bad_digits" });
    const { leg: alone } = await openLeg(plane, cleanups);
    await expect(alone.sendDigits("1")).rejects.toMatchObject({ code: "no_far_end" });
    const sent = leg.sendDigits("1".repeat(50));
    await leg.stats();
    await Promise.all([expect(sent).rejects.toMatchObject({ code: "no_such_leg" }), leg.close()]);
  });

  test.concurrent("is silent both ways on hold, while packets still flow", async ({ cleanups, expect }) => {
    const { browser, leg, trunk } = await talk(plane, cleanups);
    leg.hold(true);
    await leg.connectRtp(trunk.sdp()); // commands are executed in order
    await expect.poll(() => areSilent({ browser, trunk })).toBe(true);
    leg.hold(false);
    await expect.poll(() => heard({ browser, trunk })).toEqual(BOTH);
  });

  test.concurrent("ignores RTP from any address but the one in the SDP, and sends nothing there", async ({
    cleanups,
    expect,
  }) => {
    const { browser, leg, trunk } = await talk(plane, cleanups);
    const stranger = await openTrunk(cleanups);
    stranger.aim((await leg.openRtp()).sdp);
    const speaking = async (): Promise<void> => {
      for (const frame of toneFrames(600, 0.4)) {
        stranger.send(frame);
        await pause(20);
      }
    };
    await Promise.all([speaking(), converse({ browser, trunk }, 0.4)]);
    await vi.waitUntil(() => browser.heard.length > 5, PATIENCE);
    expect(share(audioOf(browser.heard), 600)).toBeLessThan(0.01);
    expect(stranger.heard).toHaveLength(0);
  });

  test.concurrent("sends nothing to a sendonly far end, and follows it to another address", async ({ cleanups, expect }) => {
    const { browser, leg, trunk } = await talk(plane, cleanups);
    const { sdp } = await leg.connectRtp(trunk.sdp({ direction: "sendonly" }));
    expect(sdp).toContain("a=recvonly");
    await expect.poll(() => heard({ browser, trunk })).toEqual({ atTrunk: false, atBrowser: true });
    expect(trunk.heard).toHaveLength(0);
    const moved = await openTrunk(cleanups);
    moved.aim((await leg.openRtp()).sdp);
    await leg.connectRtp(moved.sdp().replaceAll("127.0.0.1", "localhost"));
    await expect.poll(() => heard({ browser, trunk: moved })).toEqual(BOTH);
    expect(trunk.heard).toHaveLength(0);
  });

  test.concurrent("stays where it is if the far end takes back its move before it was read", async ({ cleanups, expect }) => {
    const { browser, leg, trunk } = await talk(plane, cleanups);
    const elsewhere = await openTrunk(cleanups);
    const move = leg.connectRtp(elsewhere.sdp().replaceAll("127.0.0.1", "localhost"));
    await Promise.all([move, leg.connectRtp(trunk.sdp())]);
    await expect.poll(() => heard({ browser, trunk })).toEqual(BOTH);
    expect(elsewhere.heard).toHaveLength(0);
  });

  test.concurrent("refuses a far end without a common codec, and stays unchanged", async ({ cleanups, expect }) => {
    const { browser, leg, trunk } = await talk(plane, cleanups);
    await expect(leg.connectRtp(trunk.sdp({ audio: "18" }))).rejects.toMatchObject({ code: "bad_sdp" });
    await expect.poll(() => heard({ browser, trunk })).toEqual(BOTH);
  });

  test.concurrent("plays ringback until the far end is heard, even after early SDP, and not again", async ({
    cleanups,
    expect,
  }) => {
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
    await browser.untilHeard(10); // the tone continues
    await expect.poll(() => heard({ browser, trunk })).toEqual(BOTH);
    leg.playRingback();
    await converse({ browser, trunk }, 0.2);
    expect(await heard({ browser, trunk })).toEqual(BOTH);
  });

  test.concurrent("stops ringback on request", async ({ cleanups, expect }) => {
    const { browser, leg } = await openLeg(plane, cleanups);
    leg.playRingback();
    await browser.untilHeard(5);
    leg.stopTone();
    await expect
      .poll(async () => {
        browser.clear();
        await pause(100);
        return browser.heard.length;
      })
      .toBe(0);
  });

  test.concurrent("plays the caller's audio back in an echo call", async ({ cleanups, expect }) => {
    const { leg, browser } = await openLeg(plane, cleanups);
    leg.echo();
    await expect
      .poll(async () => {
        browser.clear();
        for (const frame of toneFrames(SPEECH_HZ, 0.2)) {
          await browser.send(frame);
          await pause(20);
        }
        return share(audioOf(browser.heard), SPEECH_HZ);
      })
      .toBeGreaterThan(0.9);
  });

  test.concurrent("continues after an ICE restart", async ({ cleanups, expect }) => {
    const { browser, leg, trunk } = await talk(plane, cleanups);
    const before = /^a=ice-ufrag:(.*)$/m.exec(leg.answerSdp)?.[1];
    const answer = await leg.restart(await browser.restartOffer());
    expect(/^a=ice-ufrag:(.*)$/m.exec(answer)?.[1]).not.toBe(before);
    await browser.restart(answer);
    await expect.poll(() => heard({ browser, trunk })).toEqual(BOTH);
  });

  test.concurrent("moves to a new transport of the browser without affecting the far end", async ({ cleanups, expect }) => {
    const { browser, leg, trunk } = await talk(plane, cleanups);
    await browser.close(); // like a page reload
    await expect.poll(() => leg.isHeard()).toBe(false);
    await expect(leg.acceptAnswer("v=0")).rejects.toMatchObject({ code: "no_offer" });
    const again = await openAnsweringBrowser((await leg.reofferMedia()).offerSdp);
    cleanups.add(() => again.close());
    await vi.waitUntil(again.isChecked, PATIENCE); // Its answer may arrive later.
    await leg.acceptAnswer(again.answerSdp);
    await again.connected;
    await expect(leg.acceptAnswer(again.answerSdp)).rejects.toMatchObject({ code: "no_offer" });
    await expect.poll(() => heard({ browser: again, trunk })).toEqual(BOTH);
    expect(await Promise.all([leg.isHeard(), converse({ browser: again, trunk }, 0.5)])).toEqual([true, undefined]);
  });

  test.concurrent("can read a code to the far end, in its codec", async ({ cleanups, expect }) => {
    const trunk = await openTrunk(cleanups);
    const announcement = await plane.openAnnouncement();
    cleanups.add(() => announcement.close());
    await announcement.connect(trunk.sdp({ audio: "8" }));
    const read = announcement.readCode("407", "en");
    const ended = expect(read).rejects.toMatchObject({ code: "no_such_leg" });
    await trunk.untilHeard(150);
    const heard = Buffer.concat(trunk.heard.map(({ payload }) => payload));
    const expected = Buffer.from(spokenCode("407", "en").subarray(0, heard.length));
    ulawToAlaw(expected);
    // Two implementations of the table differ by one step at most.
    const alike = heard.filter((byte, i) => Math.abs(byte - (expected[i] as number)) <= 1).length;
    expect(alike / heard.length).toBeGreaterThan(0.98);
    expect(new Set(trunk.heard.map(({ payloadType }) => payloadType))).toEqual(new Set([8]));
    await announcement.close();
    await ended;
  });
});

test.concurrent("rtpengine refuses a far end that gives G.711 a non-standard payload type", async ({ cleanups, expect }) => {
  const plane = await planes.rtpengine?.({});
  if (plane === undefined) throw new Error("There is no such plane.");
  cleanups.add(() => plane.close());
  const browser = await openTestBrowser();
  cleanups.add(() => browser.close());
  const leg = await plane.openLeg(browser.offerSdp);
  const far = (await openTrunk(cleanups)).sdp({ audio: "97" }).replace("a=sendrecv", "a=rtpmap:97 PCMU/8000\r\na=sendrecv");
  await expect(leg.connectRtp(far)).rejects.toMatchObject({ code: "bad_sdp" });
});

test.concurrent("a silent caller hears nothing through rtpengine", async ({ cleanups, expect }) => {
  const plane = await planes.rtpengine?.({ silenceMs: SILENCE_MS });
  if (plane === undefined) throw new Error("There is no such plane.");
  cleanups.add(() => plane.close());
  const { leg, browser, trunk } = await talk(plane, cleanups);
  const silent = Promise.withResolvers<void>();
  leg.onHeardChange((change) => change.heard || silent.resolve());
  await silent.promise;
  const heardOfFarEnd = async (): Promise<number> => {
    browser.clear();
    for (let packets = 0; packets < 5; packets += 1) trunk.send(Buffer.alloc(160, 0x20));
    await pause(100);
    return browser.heard.length;
  };
  await expect.poll(heardOfFarEnd).toBe(0);
});

describe.concurrent.each(Object.entries(planes))("silence in a call through %s", (_, open) => {
  let plane: MediaPlane;
  beforeAll(async () => {
    plane = await open({ silenceMs: SILENCE_MS, farSilenceMs: SILENCE_MS });
  });
  afterAll(() => plane.close());

  test.concurrent("ends with the caller's first packet, before there is a far end", async ({ cleanups, expect }) => {
    const { leg, browser } = await openLeg(plane, cleanups);
    const heard = Promise.withResolvers<void>();
    leg.onHeardChange((change) => change.heard && heard.resolve());
    await browser.send(Buffer.alloc(160, 0xff));
    await expect(heard.promise).resolves.toBeUndefined();
  });

  test.concurrent("of the caller is reported, and so is their return, after which they hear again", async ({
    cleanups,
    expect,
  }) => {
    const { leg, browser, trunk } = await talk(plane, cleanups);
    const reported: HeardChange[] = [];
    leg.onHeardChange((change) => reported.push(change));
    await expect.poll(() => reported.at(-1)).toMatchObject({ heard: false, silentMs: expect.any(Number) });
    await expect.poll(async () => [await heard({ browser, trunk }), reported.some((one) => one.heard)]).toEqual([BOTH, true]);
  });

  test.concurrent("of the far end is reported, unless it holds", async ({ cleanups, expect }) => {
    const { leg, trunk } = await talk(plane, cleanups);
    const reported: number[] = [];
    leg.onFarSilent((silentMs) => reported.push(silentMs));
    await expect.poll(() => reported.length).toBeGreaterThan(1);
    expect(reported[0]).toBeGreaterThan(SILENCE_MS);
    await leg.connectRtp(trunk.sdp({ direction: "recvonly" }));
    reported.length = 0;
    await pause(2 * SILENCE_MS);
    expect(reported).toEqual([]);
  });
});
