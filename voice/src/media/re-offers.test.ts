import { setTimeout as pause } from "node:timers/promises";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import pino from "pino";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { audioOf, converse, FAR_HZ, openPlane, SPEECH_HZ, steps, talk } from "../../test/media-harness.ts";
import { test } from "../../test/test-with-cleanups.ts";
import { type RtpengineProcess, startRtpengine } from "../../test/rtpengine-process.ts";
import type { TestBrowser } from "../../test/test-browser.ts";
import type { TestTrunk } from "../../test/test-trunk.ts";
import { samplesOf, share, toneFrames } from "../../test/tone.ts";
import { alawToUlaw, ulawToAlaw } from "./audio/g711.ts";
import { createRtpenginePlane } from "../exchange.ts";
import type { BrowserLeg, MediaPlane } from "./media-plane.ts";

/** What a far end may change in the call by a re-INVITE or UPDATE, or without a word. */

const SAMPLES_PER_MS = 8;
/** A length that packets of 20, 30 and 60 ms fill. */
const TALK_MS = 600;

let engine: RtpengineProcess;
beforeAll(async () => {
  engine = await startRtpengine({ first: 29_400, last: 29_699 });
});
afterAll(() => engine.kill());

const planes: Record<string, () => Promise<MediaPlane>> = {
  "media processes": () => openPlane(),
  rtpengine: () => createRtpenginePlane({ engines: [engine.ng], log: pino({ level: "silent" }) }),
};

interface Ends {
  readonly browser: TestBrowser;
  readonly trunk: TestTrunk;
}
type Described = Parameters<TestTrunk["sdp"]>[0] & { readonly ptime?: number; readonly maxptime?: number };

function described(trunk: TestTrunk, { ptime, maxptime, ...lines }: Described): string {
  const more = [ptime === undefined ? [] : [`a=ptime:${ptime}`], maxptime === undefined ? [] : [`a=maxptime:${maxptime}`]].flat();
  return trunk.sdp(lines).replace("a=sendrecv", [...more, "a=sendrecv"].join("\r\n"));
}

/** Both sides speak, the far end in packets of `packetMs`. */
async function speakIn({ browser, trunk }: Ends, packetMs: number, codec: 0 | 8): Promise<void> {
  const far = Buffer.concat(toneFrames(FAR_HZ, TALK_MS / 1_000));
  if (codec === 8) ulawToAlaw(far);
  const own = toneFrames(SPEECH_HZ, TALK_MS / 1_000);
  for (let atMs = 0; atMs < TALK_MS; atMs += 10) {
    if (atMs % 20 === 0) await browser.send(own[atMs / 20] as Buffer);
    const samples = packetMs * SAMPLES_PER_MS;
    if (atMs % packetMs === 0) {
      const packet = far.subarray(atMs * SAMPLES_PER_MS, atMs * SAMPLES_PER_MS + samples);
      trunk.send(packet, { payloadType: codec, samples });
    }
    await pause(10);
  }
}

interface Heard {
  readonly ssrc: number;
  readonly sequence: number;
  readonly timestamp: number;
  readonly payload: Buffer;
}
const atBrowser = ({ browser }: Ends): Heard[] =>
  browser.heard.map(({ header, payload }) => ({ ...header, sequence: header.sequenceNumber, payload }));
const atTrunk = ({ trunk }: Ends, codec: 0 | 8): Heard[] => trunk.heard.filter(({ payloadType }) => payloadType === codec);

/** Where a packet's timestamp is not that of the one before and its length. */
function breaks(heard: readonly Heard[]): number[] {
  const stepsOf = steps(
    heard.map(({ timestamp }) => timestamp),
    32,
  );
  return stepsOf.filter((step, index) => step !== heard[index]?.payload.length);
}

/** What is wrong with the sound that each side hears. */
async function wrongIn(ends: Ends, packetMs: number, codec: 0 | 8): Promise<string[]> {
  ends.browser.clear();
  ends.trunk.clear();
  await speakIn(ends, packetMs, codec);
  const [browser, trunk] = [atBrowser(ends), atTrunk(ends, codec)];
  const fromBrowser = Buffer.concat(trunk.map(({ payload }) => payload));
  if (codec === 8) alawToUlaw(fromBrowser);
  const wrong = {
    "caller hears nothing": share(audioOf(browser), FAR_HZ) < 0.9,
    "far end hears nothing": share(samplesOf(fromBrowser), SPEECH_HZ) < 0.9,
    "timestamps to the caller": breaks(browser).length > 0,
    "timestamps to the far end": breaks(trunk).length > 0,
    "sequence to the caller": steps(browser.map(({ sequence }) => sequence)).some((step) => step !== 1),
    "several streams to the caller": new Set(browser.map(({ ssrc }) => ssrc)).size !== 1,
  };
  return Object.entries(wrong).flatMap(([what, isWrong]) => (isWrong ? [what] : []));
}

const codecsOf = (sdp: string): string => /^m=audio \d+ RTP\/AVP (.*)\r$/m.exec(sdp)?.[1] ?? "";

describe.concurrent.each(Object.entries(planes))("a call through %s", (_, open) => {
  let plane: MediaPlane;
  beforeAll(async () => {
    plane = await open();
  });
  afterAll(() => plane.close());

  test.concurrent.for<[string, readonly { readonly packetMs: number; readonly codec: 0 | 8; readonly said?: Described }[]]>([
    ["packets of 30 ms", [{ packetMs: 30, codec: 0, said: { ptime: 30, maxptime: 30 } }]],
    [
      "packets of 60 ms, and of 20 again",
      [
        { packetMs: 60, codec: 0, said: { ptime: 60 } },
        { packetMs: 20, codec: 0, said: { ptime: 20, maxptime: 20 } },
      ],
    ],
    [
      "packets of 60 ms without a word, and of 20 again",
      [
        { packetMs: 60, codec: 0 },
        { packetMs: 20, codec: 0 },
      ],
    ],
    ["A-law in packets of 30 ms", [{ packetMs: 30, codec: 8, said: { audio: "8 101", ptime: 30, maxptime: 30 } }]],
    [
      "A-law first, and mu-law first again",
      [
        { packetMs: 20, codec: 8, said: { audio: "8 0 101" } },
        { packetMs: 20, codec: 0, said: { audio: "0 8 101" } },
      ],
    ],
    [
      "A-law alone, mu-law alone, and A-law again",
      [
        { packetMs: 20, codec: 8, said: { audio: "8" } },
        { packetMs: 20, codec: 0, said: { audio: "0" } },
        { packetMs: 20, codec: 8, said: { audio: "8 101" } },
      ],
    ],
  ])("goes on when its far end changes to %s", async ([, changes], { cleanups, expect }) => {
    const ends = await talk(plane, cleanups, { audio: "0 101" });
    for (const { packetMs, codec, said } of changes) {
      if (said !== undefined) {
        const { sdp } = await ends.leg.connectRtp(described(ends.trunk, said));
        expect(codecsOf(sdp).split(" ")[0]).toBe(String(codec));
        expect(sdp).toContain("a=ptime:20\r\n");
      }
      // The first packets after a change may be those of before.
      await expect.poll(() => wrongIn(ends, packetMs, codec)).toEqual([]);
    }
  });

  /** The presses that the far end hears, each as its payload type, key and number of timestamps. */
  async function pressed(
    { leg, ...ends }: Ends & { leg: BrowserLeg },
    digits: string,
    types: readonly number[],
  ): Promise<string[]> {
    ends.trunk.clear();
    await Promise.all([leg.sendDigits(digits), converse(ends, 0.5 * digits.length)]);
    const events = ends.trunk.heard.filter(({ payloadType }) => types.includes(payloadType));
    const keys = [...new Set(events.map(({ payloadType, payload }) => `${payloadType} ${payload[0]}`))];
    return keys.map((key) => {
      const own = events.filter(({ payloadType, payload }) => `${payloadType} ${payload[0]}` === key);
      return `${key} ${new Set(own.map(({ timestamp }) => timestamp)).size}`;
    });
  }

  test.concurrent("sends keys with the payload type that the far end named last, or as tones while it names none", async ({
    cleanups,
    expect,
  }) => {
    const call = await talk(plane, cleanups, { audio: "0" });
    const types = [96, 100, 101];
    for (const [audio, expected] of [
      ["0 101", "101 5 1"],
      ["0 96", "96 5 1"],
      ["0", null],
      ["0 100", "100 5 1"],
    ] as const) {
      const type = audio.split(" ")[1];
      const maps = type === undefined ? [] : [`${type} telephone-event/8000`];
      const { sdp } = await call.leg.connectRtp(call.trunk.sdp({ audio, maps }));
      expect(codecsOf(sdp)).toBe(audio);
      expect(await pressed(call, "5", types), audio).toEqual(expected === null ? [] : [expected]);
    }
  });

  test.concurrent("hears nothing of a refused change", async ({ cleanups, expect }) => {
    const call = await talk(plane, cleanups, { audio: "0 101" });
    for (const audio of ["18", "9 101"])
      await expect(call.leg.connectRtp(call.trunk.sdp({ audio }))).rejects.toMatchObject({ code: "bad_sdp" });
    await vi.waitFor(async () => expect(await wrongIn(call, 20, 0)).toEqual([]), PATIENCE);
    expect(await pressed(call, "5", [101])).toEqual(["101 5 1"]);
  });
});
