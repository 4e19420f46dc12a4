import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { audioOf, FAR_HZ, openPlane, openTrunk, play, speak, SPEECH_HZ } from "../../test/media-harness.ts";
import { forwardPort } from "../../test/network/nat.ts";
import { openTestBrowser } from "../../test/test-browser.ts";
import { share, toneFrames } from "../../test/tone.ts";
import type { MediaPlane } from "./media-plane.ts";
import { ownAddress } from "../own-address.ts";

const BOUND = "127.0.0.1";
const PUBLIC = "127.0.0.9";
const PORTS = { first: 31_200, last: 31_239 };

let plane: MediaPlane;
const cleanups = new Cleanups();
beforeAll(async () => {
  plane = await openPlane({
    mediaAddress: { bound: BOUND, announced: PUBLIC },
    rtpAddress: { bound: BOUND, announced: PUBLIC },
    webrtcPorts: PORTS,
  });
});
afterAll(() => plane.close());
afterEach(() => cleanups.end());

it("an exchange behind 1:1 NAT announces only its public address, and carries audio through it", async () => {
  const browser = await openTestBrowser();
  cleanups.add(() => browser.close());
  const leg = await plane.openLeg(browser.offerSdp);
  cleanups.add(() => leg.close());
  const candidates = [...leg.answerSdp.matchAll(/^a=candidate:\S+ 1 udp \d+ (\S+) (\d+) typ host/gm)];
  expect(candidates.map(([, address]) => address)).toEqual([PUBLIC]);
  expect(leg.answerSdp).not.toContain(BOUND);
  const port = Number(candidates[0]?.[2]);
  expect(port).toBeGreaterThanOrEqual(PORTS.first);
  expect(port).toBeLessThanOrEqual(PORTS.last);
  cleanups.add(await forwardPort(port, { from: PUBLIC, to: BOUND }));
  await browser.connect(leg.answerSdp);

  const trunk = await openTrunk(cleanups);
  const { sdp } = await leg.openRtp();
  expect(sdp.match(/^[co]=.*$/gm)).toEqual([expect.stringMatching(/IN IP4 127\.0\.0\.9$/), `c=IN IP4 ${PUBLIC}`]);
  trunk.aim(sdp);
  await leg.connectRtp(trunk.sdp());
  await speak(browser, toneFrames(SPEECH_HZ, 0.6));
  await play(trunk, toneFrames(FAR_HZ, 0.6));
  await Promise.all([trunk.untilHeard(30), browser.untilHeard(30)]);
  expect(share(audioOf(trunk.heard), SPEECH_HZ)).toBeGreaterThan(0.95);
  expect(share(audioOf(browser.heard), FAR_HZ)).toBeGreaterThan(0.95);
});

it.runIf(ownAddress() !== null)("a machine's own address is offered before the loopback one, by the same socket", async () => {
  const both = await openPlane({ mediaAddress: { bound: "0.0.0.0", announced: BOUND, announcesOwn: true } });
  cleanups.add(() => both.close());
  const browser = await openTestBrowser();
  cleanups.add(() => browser.close());
  const leg = await both.openLeg(browser.offerSdp);
  cleanups.add(() => leg.close());
  const candidates = [...leg.answerSdp.matchAll(/^a=candidate:(\S+) 1 udp (\d+) (\S+) (\d+) typ host/gm)];
  expect(candidates.map(([, , , address]) => address)).toEqual([ownAddress(), BOUND]);
  expect(new Set(candidates.map(([, , , , port]) => port)).size).toBe(1);
  expect(new Set(candidates.map(([, foundation]) => foundation)).size).toBe(2);
  expect(Number(candidates[0]?.[2])).toBeGreaterThan(Number(candidates[1]?.[2]));
  await browser.connect(leg.answerSdp);
});
