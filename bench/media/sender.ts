import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { BrowserKeys } from "@farline/voice/test/test-browser.ts";

const SOURCE = fileURLToPath(new URL("sender.c", import.meta.url));

/** Delays in milliseconds, from sending a packet here to receiving it here. */
export interface Direction {
  readonly sent: number;
  readonly received: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface Report {
  readonly calls: number;
  /** How late the sender itself was, in milliseconds. */
  readonly lateP99: number;
  readonly toTrunk: Direction;
  readonly toBrowser: Direction;
}

/** Both ends of a call whose audio goes through a media plane on this machine. */
export interface CallEnds {
  readonly browser: BrowserKeys;
  /** The plane's ports for the browser's packets and for the far end's. */
  readonly webrtcPort: number;
  readonly rtpPort: number;
  readonly farPort: number;
}

/** The C program that sends and receives the audio of every call. Needs gcc and Debian's libsrtp2-dev. */
export class Sender {
  readonly #folder = mkdtempSync(join(tmpdir(), "farline-bench-"));
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    const program = join(this.#folder, "sender");
    execFileSync("gcc", ["-O2", "-Wall", "-o", program, SOURCE, "-lsrtp2"], { stdio: "inherit" });
    this.#process = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    if (this.#process.stdout === null) throw new Error("The sender has no output.");
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  talk({ browser, webrtcPort, rtpPort, farPort }: CallEnds): void {
    const keys = [browser.sendKey, browser.receiveKey].map((key) => key.toString("hex"));
    this.#write(["add", browser.port, webrtcPort, browser.srtpProfile, ...keys, farPort, rtpPort].join(" "));
  }

  /** Packets sent from now on count. */
  mark(): void {
    this.#write("mark");
  }

  /** Packets sent from now on do not count. */
  stop(): void {
    this.#write("stop");
  }

  async report(): Promise<Report> {
    this.#write("report");
    return JSON.parse((await this.#lines.next()).value as string) as Report;
  }

  async close(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.stdin?.end();
    await ended;
    rmSync(this.#folder, { recursive: true });
  }

  #write(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }
}
