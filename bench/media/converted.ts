import { setTimeout as pause } from "node:timers/promises";
import { FrameClock } from "@farline/voice/media/audio/frame-clock.ts";
import type { MediaPlane } from "@farline/voice/media/media-plane.ts";
import { openPlane } from "@farline/voice/test/media-harness.ts";
import { opusToneFrames } from "@farline/voice/test/opus-tone.ts";
import { openTestBrowser } from "@farline/voice/test/test-browser.ts";
import { openTestTrunk } from "@farline/voice/test/test-trunk.ts";
import { toneFrames } from "@farline/voice/test/tone.ts";
import { round } from "@farline/drills/support/spread.ts";
import { pin } from "./media.ts";

const CALLS = 20;
const SECONDS = 10;
const SETTLE_MS = 3_000;
const FRAME_MS = 20;
/** The rest is dropped while the process is busy with other things. */
const HEARD_SHARE = 0.9;
const NOTHING = Buffer.alloc(0);
const TONE = { hertz: 700, seconds: 1 };
const OPUS = { audio: "111", maps: ["111 opus/48000/2"] };
const PCMU = { audio: "0", maps: [] };

/**
 * What an Opus call costs a media process if the far end answers in Opus, whose packets pass unchanged, and in PCMU, for which what the
 * caller sends is converted. Measured by packet, for 50 a second each way, because both ends send fewer on a busy machine. Needs taskset.
 */
export async function converted(): Promise<Record<string, unknown>> {
  const tone = await opusToneFrames(TONE.hertz, TONE.seconds);
  const inOpus = await cpuPercentPerCall(tone, { ...OPUS, payloadType: 111, frames: tone });
  const inPcmu = await cpuPercentPerCall(tone, { ...PCMU, payloadType: 0, frames: toneFrames(TONE.hertz, TONE.seconds) });
  return {
    ...{ calls: CALLS, secondsEach: SECONDS },
    ...{ answeredInOpusCpuPercentPerCall: round(inOpus), answeredInPcmuCpuPercentPerCall: round(inPcmu) },
    convertedComparedWithPassed: round(inPcmu / inOpus),
  };
}

interface FarEnd {
  readonly audio: string;
  readonly maps: readonly string[];
  readonly payloadType: number;
  readonly frames: readonly Buffer[];
}

/** The media process has the first core to itself; both ends of all calls run on the second. */
async function cpuPercentPerCall(tone: readonly Buffer[], far: FarEnd): Promise<number> {
  const plane = await openPlane();
  pin(plane.stats()[0]?.processId ?? 0, 0);
  pin(process.pid, 1);
  const calls: Awaited<ReturnType<typeof openCall>>[] = [];
  for (let opened = 0; opened < CALLS; opened += 1) calls.push(await openCall(plane, far));
  let sent = 0;
  const stop = new FrameClock().every(() => {
    for (const { browser, trunk } of calls) {
      void browser.send(tone.at(sent % tone.length) ?? NOTHING);
      trunk.send(far.frames.at(sent % far.frames.length) ?? NOTHING, { payloadType: far.payloadType });
    }
    sent += 1;
  });
  await pause(SETTLE_MS);
  const cpuMs = async (): Promise<number> => plane.stats()[0]?.cpuMs ?? Number.NaN;
  const heard = (): number => calls.reduce((sum, { trunk }) => sum + trunk.heard.length, 0);
  const [before, heardBefore, sentBefore] = [await cpuMs(), heard(), sent];
  await pause(SECONDS * 1_000);
  const [used, packets] = [(await cpuMs()) - before, (sent - sentBefore) * CALLS];
  stop();
  if (heard() - heardBefore < HEARD_SHARE * packets) throw new Error("The far ends did not hear the callers.");
  for (const { browser, trunk } of calls) await Promise.all([browser.close(), trunk.close()]);
  await plane.close();
  return (100 * used) / (packets * FRAME_MS);
}

async function openCall(plane: MediaPlane, far: FarEnd) {
  const [browser, trunk] = await Promise.all([openTestBrowser(true), openTestTrunk()]);
  const leg = await plane.openLeg(browser.offerSdp, "opus");
  await browser.connect(leg.answerSdp);
  trunk.aim((await leg.openRtp()).sdp);
  await leg.connectRtp(trunk.sdp(far));
  return { browser, trunk };
}
