import type { Cleanups } from "@farline/sip/test/cleanups.ts";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import pino from "pino";
import { afterAll, beforeAll, vi } from "vitest";
import { areSilent, BOTH, heard, openLeg, openTrunk, talk } from "../../../test/media-harness.ts";
import { NgRelay } from "../../../test/ng-relay.ts";
import { type RtpengineProcess, startRtpengine } from "../../../test/rtpengine-process.ts";
import { test } from "../../../test/test-with-cleanups.ts";
import { createRtpenginePlane } from "../../exchange.ts";

const SILENCE_MS = 400;
/** A command and its repetitions. */
const COPIES = 4;
/** The tone is silent for most of it. */
const CADENCE_SECONDS = 6;

let engine: RtpengineProcess;
beforeAll(async () => {
  engine = await startRtpengine({ first: 29_200, last: 29_399 });
});
afterAll(() => engine.kill());

/** A plane to which commands can be lost. */
async function openLossy(cleanups: Cleanups, silenceMs = 60_000) {
  const relay = await NgRelay.to(engine.ng);
  cleanups.add(async () => relay.close());
  const plane = await createRtpenginePlane({ engines: [relay.settings], log: pino({ level: "silent" }), silenceMs });
  cleanups.add(() => plane.close());
  return { plane, relay };
}

/** Loses a command and its repetitions, so that it times out, while `meanwhile` is done. */
async function lose(relay: NgRelay, command: string, meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
  relay.loses = command;
  await vi.waitUntil(async () => {
    await meanwhile();
    return [...relay.lost.values()].some((copies) => copies === COPIES);
  }, PATIENCE);
  relay.lost.clear();
  relay.loses = null;
}

test.concurrent("a caller who returns from silence hears the far end, even if the command is lost at first", async ({
  cleanups,
  expect,
}) => {
  const { plane, relay } = await openLossy(cleanups, SILENCE_MS);
  const call = await talk(plane, cleanups);
  const silent = Promise.withResolvers<void>();
  call.leg.onHeardChange((change) => change.heard || silent.resolve());
  await silent.promise;
  await lose(relay, "unblock media", () => heard(call));
  await expect.poll(() => heard(call)).toEqual(BOTH);
});

test.concurrent("hold begins and ends, even if the command is lost at first", async ({ cleanups, expect }) => {
  const { plane, relay } = await openLossy(cleanups);
  const { browser, leg, trunk } = await talk(plane, cleanups);
  leg.hold(true);
  await lose(relay, "silence media");
  await expect.poll(() => areSilent({ browser, trunk })).toBe(true);
  leg.hold(false);
  await lose(relay, "unsilence media");
  await expect.poll(() => heard({ browser, trunk })).toEqual(BOTH);
});

test.concurrent("a far end that only sends is not sent to, even if the command is lost at first", async ({
  cleanups,
  expect,
}) => {
  const { plane, relay } = await openLossy(cleanups);
  const { browser, leg, trunk } = await talk(plane, cleanups);
  const described = leg.connectRtp(trunk.sdp({ direction: "sendonly" }));
  await lose(relay, "block media");
  await described;
  await expect.poll(() => heard({ browser, trunk })).toEqual({ ...BOTH, atTrunk: false });
});

test.concurrent.for(["query", "stop media"])(
  "ringback ends once the far end speaks, even if %s is lost at first",
  async (command, { cleanups, expect }) => {
    const { plane, relay } = await openLossy(cleanups);
    const { browser, leg } = await openLeg(plane, cleanups);
    leg.playRingback();
    await browser.untilHeard(5);
    const trunk = await openTrunk(cleanups);
    trunk.aim((await leg.openRtp()).sdp);
    await leg.connectRtp(trunk.sdp());
    await lose(relay, command, () => heard({ browser, trunk }));
    await expect.poll(() => heard({ browser, trunk }, false, CADENCE_SECONDS)).toEqual(BOTH);
  },
);
