import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Message } from "werift";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { bridge, openLeg, openPlane } from "../../test/media-harness.ts";
import { SILENCE_PCMU } from "./audio/g711.ts";
import type { MediaPlane } from "./media-plane.ts";

const FRAME = Buffer.alloc(160, SILENCE_PCMU);
const FRAME_MS = 20;
const LEAST_FRAMES = 75;
const MOST_FRAMES = 1_000;
/** 2,000 a second to each port. `npm run bench -- flood` sends many more. */
const FLOOD_A_FRAME = 40;
const STRANGER = "127.0.0.7";
/** The limits for audio of the far end. */
const [BURST, PER_SECOND] = [500, 150];
/** A busy machine loses some of the flood in its sockets' buffers, so the flood lasts until this many packets were refused. */
const REFUSED = 1_000;
const BINDING = 1;

let plane: MediaPlane;
const cleanups = new Cleanups();
beforeAll(async () => {
  plane = await openPlane();
});
afterAll(() => plane.close());
afterEach(() => cleanups.end());

/** An unsigned check with the username of this answer: the most expensive packet that a stranger can send. */
function checkFor(answerSdp: string): Buffer {
  const user = /^a=ice-ufrag:(\S+)/m.exec(answerSdp)?.[1] ?? "";
  const attributes: [string, unknown][] = [["USERNAME", `${user}:theirs`]];
  return new Message(BINDING, 0, Buffer.alloc(12), attributes as never).addMessageIntegrity(Buffer.from("guessed")).bytes;
}

it.each(["audio", "checks"] as const)(
  "a flood of %s to a call's port is dropped beyond the limit, and another call loses no packets",
  async (kind) => {
    const other = await bridge(plane, cleanups);
    const flooded = await bridge(plane, cleanups);
    const { leg: named } = await openLeg(plane, cleanups);
    const webrtcPort = Number(/^a=candidate:\S+ 1 udp \d+ \S+ (\d+)/im.exec(named.answerSdp)?.[1]);
    const stranger = createSocket("udp4").bind(0, STRANGER);
    await once(stranger, "listening");
    cleanups.add(() => stranger.close());
    const check = checkFor(named.answerSdp);
    const send = { audio: () => flooded.trunk.send(FRAME), checks: () => stranger.send(check, webrtcPort, "127.0.0.1") }[kind];
    const began = performance.now();
    const readRefused = () => Number(plane.health()[0]?.["refused_packets"]);
    const before = readRefused();
    let frames = 0;
    while (frames < LEAST_FRAMES || (readRefused() - before < REFUSED && frames < MOST_FRAMES)) {
      frames += 1;
      for (let packet = 0; packet < FLOOD_A_FRAME; packet += 1) send();
      await other.browser.send(FRAME);
      other.trunk.send(FRAME);
      await setTimeout(Math.max(0, began + frames * FRAME_MS - performance.now()));
    }
    await expect
      .poll(() => other.leg.stats())
      .toMatchObject({ fromBrowser: { packets: frames, lost: 0 }, fromFar: { packets: frames, lost: 0 } });
    const seconds = (performance.now() - began) / 1_000;
    expect((await flooded.leg.stats()).fromFar.packets).toBeLessThanOrEqual(BURST + PER_SECOND * seconds);
    expect(readRefused() - before).toBeGreaterThanOrEqual(REFUSED);
  },
);
