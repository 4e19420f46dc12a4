import { statSync } from "node:fs";
import type { Logger } from "pino";
import type { TrunkConfig } from "./trunk.ts";
import { readTrunkFile } from "./trunk-file.ts";

/** Looked at instead of watched: editors and configuration tools replace files, and some file systems report nothing. */
const LOOK_EVERY_MS = 5_000;

export interface TrunkFileWatchOptions {
  readonly path: string;
  /** Puts the file's trunks into service. */
  readonly apply: (trunks: readonly TrunkConfig[]) => void;
  readonly log: Logger;
  readonly lookEveryMs?: number;
}

/** Reads the trunk file again when it has changed. A bad file changes nothing. */
export class TrunkFileWatch {
  readonly #options: TrunkFileWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #seen: string;

  constructor(options: TrunkFileWatchOptions) {
    this.#options = options;
    this.#seen = stateOf(options.path);
    this.#timer = setInterval(() => this.#look(), options.lookEveryMs ?? LOOK_EVERY_MS).unref();
  }

  /** Also reads the certificates that the file names, whose changes are not watched. */
  reload(): void {
    const { path, apply, log } = this.#options;
    this.#seen = stateOf(path);
    try {
      apply(readTrunkFile(path));
      log.info({ path }, "trunk file read again");
    } catch (error) {
      log.error({ path, problem: (error as Error).message }, "trunk file refused, the trunks stay as they are");
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (stateOf(this.#options.path) !== this.#seen) this.reload();
  }
}

/** What changes with every write and replacement; empty while there is no file. */
function stateOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? "" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}
