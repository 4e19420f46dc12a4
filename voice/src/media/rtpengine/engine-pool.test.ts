import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { createSocket } from "node:dgram";
import pino from "pino";
import { test as base } from "vitest";
import { type RtpengineProcess, startRtpengine } from "../../../test/rtpengine-process.ts";
import { openTestBrowser } from "../../../test/test-browser.ts";
import type { BrowserLeg, MediaPlane } from "../media-plane.ts";
import { createRtpenginePlane } from "../../exchange.ts";
import type { EngineSettings } from "./engine.ts";

/** Opens resources and closes them after the test. */
class Opened {
  readonly #cleanups: Cleanups;

  constructor(cleanups: Cleanups) {
    this.#cleanups = cleanups;
  }

  async engine(first: number, options: Parameters<typeof startRtpengine>[1] = {}): Promise<RtpengineProcess> {
    const engine = await startRtpengine({ first, last: first + 99 }, options);
    this.#cleanups.add(() => engine.kill());
    return engine;
  }

  async pool(...engines: EngineSettings[]): Promise<MediaPlane> {
    const plane = await createRtpenginePlane({ engines, log: pino({ level: "silent" }) });
    this.#cleanups.add(() => plane.close());
    return plane;
  }

  /** A port that receives commands and never responds. */
  async silence(): Promise<EngineSettings & { readonly heard: readonly string[] }> {
    const socket = createSocket("udp4");
    const heard: string[] = [];
    socket.on("message", (command) => heard.push(command.toString()));
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    this.#cleanups.add(() => new Promise<void>((resolve) => socket.close(() => resolve())));
    return { host: "127.0.0.1", port: socket.address().port, weight: 1, heard };
  }
}

const test = base.extend<{ opened: Opened }>({
  // oxlint-disable-next-line no-empty-pattern -- required by Vitest
  opened: async ({}, use) => {
    const cleanups = new Cleanups();
    await use(new Opened(cleanups));
    await cleanups.end();
  },
});

/** All legs share one offer, because none connects. */
const browser = await openTestBrowser();
const { offerSdp } = browser;
await browser.close();

function open(plane: MediaPlane): Promise<BrowserLeg> {
  return plane.openLeg(offerSdp);
}

async function carried(plane: MediaPlane): Promise<unknown[]> {
  return plane.health().map(({ legs }) => legs);
}

async function states(plane: MediaPlane): Promise<unknown[]> {
  return plane.health().map(({ state }) => state);
}

test.concurrent("calls are distributed by weight, and announcements count as calls", async ({ opened, expect }) => {
  const [one, other] = [await opened.engine(31_000), await opened.engine(31_100)];
  const plane = await opened.pool({ ...one.ng, weight: 2 }, other.ng);
  await open(plane);
  await plane.openAnnouncement();
  for (let calls = 2; calls < 6; calls += 1) await open(plane);
  expect(await carried(plane)).toEqual([4, 2]);
});

test.concurrent("a killed instance ends only its own calls, gets no new ones, and takes calls again when it is back", async ({
  opened,
  expect,
}) => {
  const [one, other] = [await opened.engine(31_200), await opened.engine(31_300)];
  const plane = await opened.pool(one.ng, other.ng);
  const legs = [await open(plane), await open(plane)];
  const failed: number[] = [];
  legs.forEach((leg, i) => leg.onEnded(() => void failed.push(i)));
  await one.kill();
  await expect.poll(() => failed).toEqual([0]);
  await expect(legs[0]?.stats()).rejects.toMatchObject({ code: "no_such_leg" });
  expect(await legs[0]?.close()).toBeNull();
  expect(await legs[1]?.stats()).toMatchObject({ fromFar: { packets: 0 } });
  await open(plane);
  expect(await carried(plane)).toEqual([0, 2]);
  await opened.engine(31_200, { ngPort: one.ng.port });
  await expect.poll(() => states(plane)).toEqual(["up", "up"]);
  await open(plane);
  expect(await carried(plane)).toEqual([1, 2]);
});

test.concurrent("a call that its instance no longer knows ends, as after an unnoticed restart", async ({ opened, expect }) => {
  const one = await opened.engine(31_400);
  const plane = await opened.pool(one.ng);
  const leg = await open(plane);
  let failures = 0;
  leg.onEnded(() => void (failures += 1));
  await one.control("terminate all");
  await expect.poll(() => failures).toBe(1);
});

test.concurrent("a drained instance keeps its calls and takes no new ones; if all are drained there is no capacity", async ({
  opened,
  expect,
}) => {
  const [one, other] = [await opened.engine(31_500), await opened.engine(31_600)];
  const plane = await opened.pool(one.ng, other.ng);
  const live = await open(plane);
  await one.control("set maxsessions 0");
  await open(plane);
  await open(plane);
  expect(await carried(plane)).toEqual([1, 2]);
  expect(await states(plane)).toEqual(["full", "up"]);
  expect(await live.stats()).toMatchObject({ fromFar: { packets: 0 } });
  expect(await live.restart(offerSdp)).toContain("a=ice-ufrag");
  await other.control("set maxsessions 0");
  await expect(open(plane)).rejects.toMatchObject({ code: "no_capacity" });
  await one.control("set maxsessions -1");
  await open(plane);
  expect(await carried(plane)).toEqual([2, 2]);
});

test.concurrent("an unresponsive instance gets no calls; one that stops responding only delays the next one", async ({
  opened,
  expect,
}) => {
  const [one, other] = [await opened.engine(31_700), await opened.engine(31_800)];
  const plane = await opened.pool(await opened.silence(), one.ng, other.ng);
  expect(await states(plane)).toEqual(["down", "up", "up"]);
  await one.freeze();
  await open(plane);
  expect(await carried(plane)).toEqual([0, 0, 1]);
});

test.concurrent("without a responding instance calls are refused as unavailable at once", async ({ opened, expect }) => {
  const silent = await opened.silence();
  const plane = await opened.pool(silent);
  await expect(open(plane)).rejects.toMatchObject({ code: "unavailable" });
  await expect(plane.openAnnouncement()).rejects.toMatchObject({ code: "unavailable" });
  expect(silent.heard.filter((command) => !command.includes("4:ping"))).toEqual([]);
});
