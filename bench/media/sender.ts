import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { BrowserKeys } from "@farline/voice/test/test-browser.ts";

const SOURCE = fileURLToPath(new URL("sender.c", import.meta.url));

/** Delays in milliseconds, between sending here and arriving here. */
export interface Direction {
  readonly sent: number;
  readonly received: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface Report {
  readonly calls: number;
  /** How late this program itself was, in milliseconds. */
  readonly lateP99: number;
  readonly toTrunk: Direction;
  readonly toBrowser: Direction;
}

/** Both ends of a call whose sound goes through a media plane on this machine. */
export interface CallEnds {
  readonly browser: BrowserKeys;
  /** Where the plane takes the browser's packets, and the far end's. */
  readonly webrtcPort: number;
  readonly rtpPort: number;
  readonly farPort: number;
}

/** The program in C that speaks and listens for every call. Needs gcc and Debian's libsrtp2-dev. */
export class Sender {
  readonly #folder = mkdtempSync(join(tmpdir(), "farline-bench-"));
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    const program = join(this.#folder, "sender");
    execFileSync("gcc", ["-O2", "-Wall", "-o", program, SOURCE, "-lsrtp2"], { stdio: "inherit" });
    this.#process = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    if (this.#process.stdout === null) throw new Error("The sender cannot be heard.");
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  talk({ browser, webrtcPort, rtpPort, farPort }: CallEnds): void {
    const keys = [browser.sendKey, browser.receiveKey].map((key) => key.toString("hex"));
    this.#tell(["add", browser.port, webrtcPort, browser.srtpProfile, ...keys, farPort, rtpPort].join(" "));
  }

  /** What is sent from now on counts. */
  mark(): void {
    this.#tell("mark");
  }

  /** What is sent from now on does not. */
  stop(): void {
    this.#tell("stop");
  }

  async report(): Promise<Report> {
    this.#tell("report");
    return JSON.parse((await this.#lines.next()).value as string) as Report;
  }

  async close(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.stdin?.end();
    await ended;
    rmSync(this.#folder, { recursive: true });
  }

  #tell(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }
}
