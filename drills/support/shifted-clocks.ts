import { chmodSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Of the package libfaketime. */
const LIBRARY = "/usr/lib/*/faketime/libfaketime.so.1";
const SCRIPTS = { service: "server/src/main.ts", exchange: "voice/src/main.ts" } as const;
export type Shiftable = keyof typeof SCRIPTS;

/** Clocks of a product's programs that can be set while they run. */
export class ShiftedClocks {
  /** For the product's start. Its programs then run by a script that gives each its own clock. */
  readonly env: Readonly<Record<string, string>>;
  readonly #folder: string;

  private constructor(folder: string, library: string, preload: string) {
    this.#folder = folder;
    const starter = join(folder, "node");
    const clocks = Object.entries(SCRIPTS).map(
      ([name, script]) => `*${script}*) export LD_PRELOAD=${library} FAKETIME_TIMESTAMP_FILE=${join(folder, name)} ;;`,
    );
    const lines = [
      "#!/bin/sh",
      // The files are read again after a second. What measures durations stays as it is.
      "export FAKETIME_CACHE_DURATION=1 FAKETIME_DONT_FAKE_MONOTONIC=1",
      `case "$*" in ${clocks.join(" ")} esac`,
      // So that a drill can lead the service's requests elsewhere.
      `case "$*" in *${SCRIPTS.service}*) export NODE_OPTIONS="--import=${preload}" ;; esac`,
      `exec ${process.execPath} "$@"`,
    ];
    writeFileSync(starter, `${lines.join("\n")}\n`);
    chmodSync(starter, 0o755);
    for (const program of Object.keys(SCRIPTS)) this.shift(program as Shiftable, 0);
    this.env = { NODE_OPTIONS: `--import=data:text/javascript,process.execPath='${starter}'` };
  }

  /** Null if the library is not installed. @param preload a module that the service loads first */
  static prepare(folder: string, preload: string): ShiftedClocks | null {
    const [library] = globSync(LIBRARY);
    return library === undefined ? null : new ShiftedClocks(folder, library, preload);
  }

  /** Sets a program's clock ahead (or back), within a second. */
  shift(program: Shiftable, minutes: number): void {
    writeFileSync(join(this.#folder, program), `${minutes < 0 ? "-" : "+"}${Math.abs(minutes)}m\n`);
  }
}
