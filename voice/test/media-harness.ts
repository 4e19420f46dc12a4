import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import type { Cleanups } from "@farline/sip/test/cleanups.ts";
import pino from "pino";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { createMediaPlane, type MediaPlaneOptions, type ProcessMediaPlane } from "../src/media/create-media-plane.ts";
import type { CallCodec } from "../src/call-codec.ts";
import type { BrowserLeg, MediaPlane } from "../src/media/media-plane.ts";
import { openTestBrowser, type AnsweringBrowser, type TestBrowser } from "./test-browser.ts";
import { openTestTrunk, type TestTrunk } from "./test-trunk.ts";
import { loudness, samplesOf, share, toneFrames } from "./tone.ts";
import { alawToUlaw, ulawToAlaw } from "../src/media/audio/g711.ts";
import { LOOPBACK } from "./loopback.ts";

const FRAME_MS = 20;

/** The tones of caller and far end. */
export const SPEECH_HZ = 880;
export const FAR_HZ = 1_000;

export function openPlane(options: Partial<MediaPlaneOptions> = {}): Promise<ProcessMediaPlane> {
  return createMediaPlane({ mediaAddress: LOOPBACK, rtpAddress: LOOPBACK, log: pino({ level: "silent" }), ...options });
}

/** A connected browser with a leg of `plane`. */
export async function openLeg(
  plane: MediaPlane,
  cleanups: Cleanups,
  { wanted = "g711", hasOpus = false }: { wanted?: CallCodec; hasOpus?: boolean } = {},
): Promise<{ browser: TestBrowser; leg: BrowserLeg }> {
  const browser = await openTestBrowser(hasOpus);
  cleanups.add(() => browser.close());
  const leg = await plane.openLeg(browser.offerSdp, wanted);
  cleanups.add(() => leg.close());
  await browser.connect(leg.answerSdp);
  return { browser, leg };
}

export async function openTrunk(cleanups: Cleanups, address?: string): Promise<TestTrunk> {
  const trunk = await openTestTrunk(address);
  cleanups.add(() => trunk.close());
  return trunk;
}

/** A browser bridged to a trunk. */
export async function bridge(plane: MediaPlane, cleanups: Cleanups, sdp: { audio?: string; direction?: string } = {}) {
  const { browser, leg } = await openLeg(plane, cleanups);
  const trunk = await openTrunk(cleanups);
  trunk.aim((await leg.openRtp()).sdp);
  const { sdp: answer } = await leg.connectRtp(trunk.sdp(sdp));
  return { browser, leg, trunk, answer };
}

/** Sends one frame per turn of the event loop, which on loopback keeps order and loses nothing. */
export async function speak(browser: TestBrowser | AnsweringBrowser, frames: Buffer[]): Promise<void> {
  for (const frame of frames) {
    await browser.send(frame);
    await setImmediate();
  }
}

export async function play(trunk: TestTrunk, frames: Buffer[], payloadType = 0): Promise<void> {
  for (const frame of frames) {
    trunk.send(frame, { payloadType });
    await setImmediate();
  }
}

/** Both sides send audio in real time. */
export async function converse(
  { browser, trunk }: { browser: TestBrowser | AnsweringBrowser; trunk: TestTrunk },
  seconds: number,
  payload: { type: number; encode: (frame: Buffer) => void } = { type: 0, encode: () => undefined },
): Promise<void> {
  const far = toneFrames(FAR_HZ, seconds);
  far.forEach(payload.encode);
  for (const [i, frame] of toneFrames(SPEECH_HZ, seconds).entries()) {
    await browser.send(frame);
    trunk.send(far[i] as Buffer, { payloadType: payload.type });
    await pause(FRAME_MS);
  }
}

export function audioOf(packets: { payload: Buffer }[]): number[] {
  return samplesOf(Buffer.concat(packets.map((packet) => packet.payload)));
}

/** Differences between consecutive numbers that wrap at `bits` bits. */
export function steps(numbers: number[], bits: 16 | 32 = 16): number[] {
  return numbers.slice(1).map((number, i) => {
    const difference = number - (numbers[i] as number);
    return bits === 16 ? (difference << 16) >> 16 : difference | 0;
  });
}

export const BOTH = { atTrunk: true, atBrowser: true };
const ALAW = { type: 8, encode: ulawToAlaw };

export interface Ends {
  readonly browser: TestBrowser | AnsweringBrowser;
  readonly trunk: TestTrunk;
}

/** Makes both sides speak, by default briefly. Returns whether each hears the other and nothing else. */
export async function heard(
  { browser, trunk }: Ends,
  alaw = false,
  seconds = 0.2,
): Promise<{ atTrunk: boolean; atBrowser: boolean }> {
  browser.clear();
  trunk.clear();
  await converse({ browser, trunk }, seconds, alaw ? ALAW : undefined);
  const fromBrowser = Buffer.concat(trunk.heard.map(({ payload }) => payload));
  if (alaw) alawToUlaw(fromBrowser);
  return {
    atTrunk: share(samplesOf(fromBrowser), SPEECH_HZ) > 0.9,
    atBrowser: share(audioOf(browser.heard), FAR_HZ) > 0.9,
  };
}

/** Whether both sides receive packets, but only silence. */
export async function areSilent(ends: Ends): Promise<boolean> {
  await heard(ends);
  const sounds = [audioOf(ends.trunk.heard), audioOf(ends.browser.heard)];
  return sounds.every((sound) => sound.length > 0 && loudness(sound) === 0);
}

/** Opens a call in which both sides hear each other. */
export async function talk(plane: MediaPlane, cleanups: Cleanups, sdp: { audio?: string } = {}) {
  const call = await bridge(plane, cleanups, sdp);
  const deadline = performance.now() + PATIENCE_MS;
  while (!Object.values(await heard(call, sdp.audio?.startsWith("8"))).every(Boolean)) {
    if (performance.now() > deadline) throw new Error("The two sides do not hear each other.");
  }
  call.browser.clear();
  call.trunk.clear();
  return call;
}
