import { statSync } from "node:fs";
import type { Logger } from "pino";
import type { TrunkConfig } from "./trunk.ts";
import { readTrunkFile } from "./trunk-file.ts";

/** Polled, not watched: editors and configuration tools replace files, and some file systems report nothing. */
const POLL_INTERVAL_MS = 5_000;

export interface TrunkFileWatchOptions {
  readonly path: string;
  readonly apply: (trunks: readonly TrunkConfig[]) => void;
  readonly log: Logger;
  readonly pollIntervalMs?: number;
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
