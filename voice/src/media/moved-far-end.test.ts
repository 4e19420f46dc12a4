import type { Cleanups } from "@farline/sip/test/cleanups.ts";
import { setTimeout as pause } from "node:timers/promises";
import pino from "pino";
import { afterAll, beforeAll, describe } from "vitest";
import { BOTH, type Ends, heard, openLeg, openPlane, openTrunk, SPEECH_HZ, talk } from "../../test/media-harness.ts";
import { test } from "../../test/test-with-cleanups.ts";
import { type RtpengineProcess, startRtpengine } from "../../test/rtpengine-process.ts";
import type { TestTrunk } from "../../test/test-trunk.ts";
import { toneFrames } from "../../test/tone.ts";
import { createRtpenginePlane } from "../exchange.ts";
import type { MediaPlane } from "./media-plane.ts";

const STRANGER = "127.0.0.2";
const TRUNKS_OWN = "127.0.0.3";
const FAR_SILENCE_MS = 400;

let engine: RtpengineProcess;
beforeAll(async () => {
  engine = await startRtpengine({ first: 29_700, last: 29_999 });
});
afterAll(() => engine.kill());

const planes: Record<string, () => Promise<MediaPlane>> = {
  "media processes": () => openPlane({ farSilenceMs: FAR_SILENCE_MS }),
  rtpengine: () => createRtpenginePlane({ engines: [engine.ng], log: pino({ level: "silent" }), farSilenceMs: FAR_SILENCE_MS }),
};

/** Long enough to be found while they speak: each search through rtpengine that finds silence doubles the wait for the next. */
const SPEECH_SECONDS = 1;
const hears = (ends: Ends) => heard(ends, false, SPEECH_SECONDS);

const STRANGE = toneFrames(600, 0.2);

/** A stranger's tone, until the test ends. */
function flood(cleanups: Cleanups, from: TestTrunk, everyMs: number): void {
  let sent = 0;
  const timer = setInterval(() => from.send(STRANGE[sent++ % STRANGE.length] as Buffer), everyMs);
  cleanups.add(async () => clearInterval(timer));
}

describe.concurrent.each(Object.entries(planes))("a far end through %s", (_, open) => {
  let plane: MediaPlane;
  beforeAll(async () => {
    plane = await open();
  });
  afterAll(() => plane.close());

  test.concurrent.for([
    ["another port of the announced address", "127.0.0.1", false],
    ["another port, while a stranger sends more", "127.0.0.1", true],
    ["an address of the trunk's own", TRUNKS_OWN, false],
  ] as const)("is followed to %s", async ([, address, besieged], { cleanups, expect }) => {
    const { browser, leg } = await openLeg(plane, cleanups);
    const announced = await openTrunk(cleanups);
    const actual = await openTrunk(cleanups, address);
    const stranger = await openTrunk(cleanups, STRANGER);
    const { sdp } = await leg.openRtp();
    for (const one of [announced, actual, stranger]) one.aim(sdp);
    await leg.connectRtp(announced.sdp(), [TRUNKS_OWN]);
    if (besieged) flood(cleanups, stranger, 10);
    await expect.poll(() => hears({ browser, trunk: actual })).toEqual(BOTH);
    // A description with the same endpoint, such as a session refresh, changes nothing.
    await leg.connectRtp(announced.sdp(), [TRUNKS_OWN]);
    await expect.poll(() => hears({ browser, trunk: actual })).toEqual(BOTH);
    // The announced port takes the call back.
    await expect.poll(() => hears({ browser, trunk: announced })).toEqual(BOTH);
    expect(stranger.heard).toHaveLength(0);
  });

  test.concurrent("is followed from one port to the next, each after a description of the announced one", async ({
    cleanups,
    expect,
  }) => {
    const { browser, leg } = await openLeg(plane, cleanups);
    const [announced, first, second] = [await openTrunk(cleanups), await openTrunk(cleanups), await openTrunk(cleanups)];
    const { sdp } = await leg.openRtp();
    for (const one of [first, second]) one.aim(sdp);
    await leg.connectRtp(announced.sdp({ direction: "sendonly" }));
    await leg.connectRtp(announced.sdp({ audio: "0 8 101" }));
    await expect.poll(() => hears({ browser, trunk: first })).toEqual(BOTH);
    await leg.connectRtp(announced.sdp({ audio: "0" }));
    await expect.poll(() => hears({ browser, trunk: second })).toEqual(BOTH);
  });

  test.concurrent("that is silent lets no stranger in, and their packets do not count as heard", async ({ cleanups, expect }) => {
    const { browser, leg, trunk } = await talk(plane, cleanups);
    const stranger = await openTrunk(cleanups, STRANGER);
    stranger.aim((await leg.openRtp()).sdp);
    const { fromFar } = await leg.stats();
    const silentMs: number[] = [];
    leg.onFarSilent((ms) => silentMs.push(ms));
    flood(cleanups, stranger, 5);
    for (const frame of toneFrames(SPEECH_HZ, 4)) {
      await browser.send(frame);
      await pause(20);
    }
    const strange = new Set(STRANGE.map((frame) => frame.toString("hex")));
    expect(browser.heard.filter(({ payload }) => strange.has(payload.toString("hex")))).toHaveLength(0);
    expect(stranger.heard).toHaveLength(0);
    expect((await leg.stats()).fromFar.packets).toBe(fromFar.packets);
    expect(Math.max(...silentMs)).toBeGreaterThan(3_000);
    await expect.poll(() => hears({ browser, trunk })).toEqual(BOTH);
  });
});
