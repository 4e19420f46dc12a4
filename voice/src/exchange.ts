import { statSync } from "node:fs";
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { ExchangeConfig } from "./config.ts";
import { type ExchangeCore, startExchangeCore } from "./exchange-core.ts";
import { createMediaPlane } from "./media/create-media-plane.ts";
import type { MediaPlane } from "./media/media-plane.ts";
import { createTrunks } from "./sip/create-trunks.ts";
import type { TrunkConfig } from "./sip/trunk.ts";
import { readTrunkFile } from "./sip/trunk-file.ts";
import { DEFAULT_SILENCE_MS } from "./media/leg-limits.ts";
import type { EngineSettings } from "./media/rtpengine/engine.ts";
import { EnginePool } from "./media/rtpengine/engine-pool.ts";
import { RtpengineAnnouncement } from "./media/rtpengine/rtpengine-announcement.ts";
import { RtpengineLeg } from "./media/rtpengine/rtpengine-leg.ts";

export interface Exchange extends ExchangeCore {
  readonly sipPort: number;
  /** Reloads the trunk file. Live calls continue; an invalid file is logged and ignored. */
  reloadTrunks(): void;
}

/** Polled, not watched: editors and configuration tools replace files, and some file systems report nothing. */
const POLL_INTERVAL_MS = 5_000;

interface TrunkFileWatchOptions {
  readonly path: string;
  readonly apply: (trunks: readonly TrunkConfig[]) => void;
  readonly log: Logger;
  readonly pollIntervalMs?: number;
}

interface RtpenginePlaneOptions {
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

export async function startExchange(config: ExchangeConfig, log: Logger): Promise<Exchange> {
  const { rtpAddress, maxCalls } = config;
  const media = await createPlane(config, log);
  const trunks = await createTrunks(config.trunks, {
    address: rtpAddress,
    port: config.sipPort,
    tls: config.sipTls,
    exchangeNumber: config.callerNumber,
    maxCalls,
    log,
  });
  const exchange = await startExchangeCore({
    config,
    media,
    network: trunks,
    log,
    trunkStates: () => trunks.states(),
    mediaBusy: async () => (await media.health()).flatMap(({ busy }) => (typeof busy === "number" ? [busy] : [])),
    health: async () => ({ sip_calls: trunks.activeCalls, sip_trunks: trunks.states(), media: await media.health() }),
  });
  const watch =
    config.trunkFile === null
      ? null
      : new TrunkFileWatch({
          path: config.trunkFile,
          log,
          apply: (now) => {
            trunks.reload(now);
            exchange.useTrunks(now);
          },
        });
  return {
    ...exchange,
    sipPort: trunks.port,
    reloadTrunks: () => watch?.reload(),
    async close() {
      watch?.close();
      await exchange.close();
      await Promise.all([trunks.close(), media.close()]);
    },
  };
}

function createPlane(config: ExchangeConfig, log: Logger): Promise<MediaPlane> {
  const { rtpengines, mediaAddress, mediaPorts, rtpAddress, rtpPorts, mediaProcesses, maxCalls } = config;
  if (rtpengines.length > 0) return createRtpenginePlane({ engines: rtpengines, log });
  return createMediaPlane({
    ...{ mediaAddress, rtpAddress, rtpPorts, processes: mediaProcesses, maxLegs: maxCalls, log },
    ...(mediaPorts === null ? {} : { webrtcPorts: mediaPorts }),
  });
}

/** Reloads the trunk file when it changes. An invalid file changes nothing. */
export class TrunkFileWatch {
  readonly #options: TrunkFileWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #fileState: string;

  constructor(options: TrunkFileWatchOptions) {
    this.#options = options;
    this.#fileState = fileStateOf(options.path);
    this.#timer = setInterval(() => this.#poll(), options.pollIntervalMs ?? POLL_INTERVAL_MS).unref();
  }

  /** Also rereads the certificates, which are not polled. */
  reload(): void {
    const { path, apply, log } = this.#options;
    this.#fileState = fileStateOf(path);
    try {
      apply(readTrunkFile(path));
      log.info({ path }, "trunk file reloaded");
    } catch (error) {
      log.error({ path, problem: (error as Error).message }, "trunk file invalid, trunks unchanged");
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #poll(): void {
    if (fileStateOf(this.#options.path) !== this.#fileState) this.reload();
  }
}

/** Changes with every write and replacement; empty if there is no file. */
function fileStateOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? "" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}

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
