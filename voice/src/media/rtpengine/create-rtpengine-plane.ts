import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { DEFAULT_SILENCE_MS } from "../leg-limits.ts";
import type { MediaPlane } from "../media-plane.ts";
import type { EngineSettings } from "./engine.ts";
import { EnginePool } from "./engine-pool.ts";
import { RtpengineAnnouncement } from "./rtpengine-announcement.ts";
import { RtpengineLeg } from "./rtpengine-leg.ts";

export interface RtpenginePlaneOptions {
  readonly engines: readonly EngineSettings[];
  /** After this long without packets a browser is reported silent; default 5000. */
  readonly silenceMs?: number;
  /** After this long without packets a far end that does not hold is reported silent; default 5000. */
  readonly farSilenceMs?: number;
  readonly log: Logger;
}

const WATCH_MS = 100;
/** Concurrent queries: more would delay commands. */
const BATCH = 32;

/** A media plane over a pool of rtpengine instances. Resolves after the first ping of each; instances that are down may come up later. */
export async function createRtpenginePlane(options: RtpenginePlaneOptions): Promise<MediaPlane> {
  const { log } = options;
  const pool = await EnginePool.start(options.engines, log);
  const legOptions = {
    silenceMs: options.silenceMs ?? DEFAULT_SILENCE_MS,
    farSilenceMs: options.farSilenceMs ?? DEFAULT_SILENCE_MS,
    log,
  };
  let watching = false;
  const watch = async (): Promise<void> => {
    if (watching) return;
    watching = true;
    const nowMs = performance.now();
    const due = pool.engines.flatMap(({ legs }) => [...legs]).filter((one) => one instanceof RtpengineLeg);
    const legs = due.filter((leg) => leg.isDue(nowMs));
    for (let from = 0; from < legs.length; from += BATCH) {
      await Promise.all(legs.slice(from, from + BATCH).map((leg) => leg.check()));
    }
    watching = false;
  };
  // oxlint-disable-next-line farline/bounded-timers -- ends with `close`
  const timer = setInterval(() => void watch(), WATCH_MS);

  return {
    openLeg: (offerSdp, _wanted, id = randomUUID()) => pool.open((call) => RtpengineLeg.open(offerSdp, id, call, legOptions)),
    openAnnouncement: () => pool.open((call) => RtpengineAnnouncement.open(call)),
    health: async () => pool.engines.map(({ name, state, legs }) => ({ rtpengine: name, state, legs: legs.size })),
    close: async () => {
      clearInterval(timer);
      const legs = pool.engines.flatMap((engine) => [...engine.legs]);
      await Promise.all(legs.map((one) => one.release()));
      pool.close();
    },
  };
}
