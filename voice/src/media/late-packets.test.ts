import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { afterEach, describe, expect, it } from "vitest";
import { openTrunk, play, speak } from "../../test/media-harness.ts";
import { LOOPBACK } from "../../test/loopback.ts";
import { openTestBrowser } from "../../test/test-browser.ts";
import { FULL_AT } from "./load/process-load.ts";
import { MediaLeg } from "./media-leg.ts";
import { FrameClock } from "./audio/frame-clock.ts";
import { SILENCE_PCMU } from "./audio/g711.ts";

const SETTINGS = {
  ...{ mediaAddress: LOOPBACK, rtpAddress: LOOPBACK, webrtcPorts: null, rtpPorts: { first: 45_000, last: 45_999 } },
  ...{ maxLegs: 1, fullAt: FULL_AT, silenceMs: 60_000, farSilenceMs: 60_000, logLevel: "silent" },
};
const FRAME = Buffer.alloc(160, SILENCE_PCMU);
/** A packet 400 ms older than the newest one. */
const LATE_FRAMES = -20;

const cleanups = new Cleanups();
afterEach(() => cleanups.end());

/** A call in a process that delays packets for this long. */
async function callThatWaits(waitMs: number) {
  let dropped = 0;
  const browser = await openTestBrowser();
  cleanups.add(() => browser.close());
  const { leg, answerSdp } = await MediaLeg.open(browser.offerSdp, "g711", {
    ...{ id: "leg", settings: SETTINGS, clock: new FrameClock(), load: { longestWait: () => waitMs }, webrtcPort: null },
    ...{ failed: () => undefined, refused: () => undefined, heardChange: () => undefined, farSilent: () => undefined },
    dropped: () => {
      dropped += 1;
    },
  });
  cleanups.add(() => leg.close());
  await browser.connect(answerSdp);
  const trunk = await openTrunk(cleanups);
  trunk.aim((await leg.openRtp()).sdp);
  await leg.connectRtp(trunk.sdp());
  return { browser, trunk, leg, dropped: () => dropped };
}

describe("a packet that is 400 ms late", () => {
  it("is dropped and counted if the process delayed it", async () => {
    const { browser, trunk, leg, dropped } = await callThatWaits(400);
    await speak(browser, [FRAME, FRAME]);
    await browser.send(FRAME, LATE_FRAMES);
    await browser.send(FRAME, -LATE_FRAMES);
    await play(trunk, [FRAME, FRAME]);
    trunk.send(FRAME, { skip: LATE_FRAMES });
    trunk.send(FRAME, { skip: -LATE_FRAMES });
    await Promise.all([trunk.untilHeard(3), browser.untilHeard(3)]);
    expect(leg.stats()).toMatchObject({ toFar: { packets: 3 }, toBrowser: { packets: 3 }, fromFar: { packets: 4 } });
    expect(dropped()).toBe(2);
  });

  it("is forwarded if the network delayed it, because the receiver may still use it", async () => {
    const { browser, trunk, dropped } = await callThatWaits(100);
    await speak(browser, [FRAME, FRAME]);
    await browser.send(FRAME, LATE_FRAMES);
    await play(trunk, [FRAME, FRAME]);
    trunk.send(FRAME, { skip: LATE_FRAMES });
    await Promise.all([trunk.untilHeard(3), browser.untilHeard(3)]);
    expect(dropped()).toBe(0);
  });
});
