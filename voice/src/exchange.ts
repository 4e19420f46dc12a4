import { statSync } from "node:fs";
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { ExchangeConfig } from "./config.ts";
import { type ExchangeCore, startExchangeCore } from "./exchange-core.ts";
import type { CertificateAndKey } from "@farline/sip/transport/tls-identity.ts";
import { createMediaPlane } from "./media/create-media-plane.ts";
import { DEFAULT_SILENCE_MS, type MediaPlane } from "./media/media-plane.ts";
import { createTrunks } from "./sip/create-trunks.ts";
import type { TrunkConfig } from "./sip/trunk.ts";
import { readTrunkFile } from "./sip/trunk-file.ts";
import type { EngineSettings } from "./media/rtpengine/engine.ts";
import { EnginePool } from "./media/rtpengine/engine-pool.ts";
import { RtpengineAnnouncement } from "./media/rtpengine/rtpengine-announcement.ts";
import { RtpengineLeg } from "./media/rtpengine/rtpengine-leg.ts";

export interface Exchange extends ExchangeCore {
  readonly sipPort: number;
  /** Reads the trunk file and all certificates again. Live calls continue; invalid files are logged and ignored. */
  reload(): void;
}

/** Polled, not watched: editors and configuration tools replace files, and some file systems report nothing. */
const POLL_INTERVAL_MS = 5_000;

interface FileWatchOptions {
  readonly paths: readonly string[];
  /** What the files are for, in the log. */
  readonly what: string;
  /** Reads and uses the files. @throws Error if they are invalid; then nothing changes */
  readonly apply: () => void;
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
    tls: config.sipTls && { port: config.sipTls.port, ...config.sipTls.read() },
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
    certificates: () => trunks.certificates(),
    mediaHealth: () => media.health(),
    health: () => ({ sip_calls: trunks.activeCalls, sip_trunks: trunks.states(), media: media.health() }),
  });
  const watches = [
    watchTrunks(config, log, (now) => {
      trunks.reload(now);
      exchange.useTrunks(now);
    }),
    watchCertificate(config, log, (renewed) => trunks.useCertificate(renewed)),
  ].filter((watch) => watch !== null);
  return {
    ...exchange,
    sipPort: trunks.port,
    reload: () => {
      for (const watch of watches) watch.reload();
    },
    async close() {
      for (const watch of watches) watch.close();
      await exchange.close();
      await Promise.all([trunks.close(), media.close()]);
    },
  };
}

/** Certificates of trunks are not polled: they are read with the file. */
function watchTrunks(
  { trunkFile }: ExchangeConfig,
  log: Logger,
  use: (trunks: readonly TrunkConfig[]) => void,
): FileWatch | null {
  if (trunkFile === null) return null;
  return new FileWatch({ paths: [trunkFile], what: "trunk file", apply: () => use(readTrunkFile(trunkFile)), log });
}

function watchCertificate({ sipTls }: ExchangeConfig, log: Logger, use: (renewed: CertificateAndKey) => void): FileWatch | null {
  if (sipTls === null) return null;
  return new FileWatch({ paths: sipTls.files, what: "certificate", apply: () => use(sipTls.read()), log });
}

function createPlane(config: ExchangeConfig, log: Logger): Promise<MediaPlane> {
  const { rtpengines, mediaAddress, mediaPorts, rtpAddress, rtpPorts, mediaProcesses, maxCalls } = config;
  if (rtpengines.length > 0) return createRtpenginePlane({ engines: rtpengines, log });
  return createMediaPlane({
    ...{ mediaAddress, rtpAddress, rtpPorts, processes: mediaProcesses, maxLegs: maxCalls, log },
    ...(mediaPorts === null ? {} : { webrtcPorts: mediaPorts }),
  });
}

/** Reads files again when one of them changes. Invalid ones change nothing. */
export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #state: string;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#state = stateOf(options.paths);
    this.#timer = setInterval(() => this.#poll(), options.pollIntervalMs ?? POLL_INTERVAL_MS).unref();
  }

  reload(): void {
    const { paths, what, apply, log } = this.#options;
    this.#state = stateOf(paths);
    try {
      apply();
      log.info({ paths }, `${what} reloaded`);
    } catch (error) {
      log.error({ paths, problem: (error as Error).message }, `${what} invalid, nothing changed`);
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #poll(): void {
    if (stateOf(this.#options.paths) !== this.#state) this.reload();
  }
}

/** Changes with every write and replacement of a file. */
function stateOf(paths: readonly string[]): string {
  const stats = paths.map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }));
  return stats.map((stat) => (stat === undefined ? "none" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`)).join(", ");
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
    health: () =>
      pool.engines.map(({ name, state, legs }) => ({
        ...{ rtpengine: name, state, legs: legs.size },
        ...{ up: state !== "down", busy: null, died_at: null },
      })),
    close: async () => {
      clearInterval(timer);
      const legs = pool.engines.flatMap((engine) => [...engine.legs]);
      await Promise.all(legs.map((one) => one.release()));
      pool.close();
    },
  };
}
