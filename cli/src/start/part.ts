import { type ChildProcess, fork } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { settleWithin } from "@farline/domain/durations.ts";

const READY_LIMIT_MS = 60_000;
/** From the end of its notice (`STOP_NOTICE_SECONDS`). */
const STOP_LIMIT_MS = 8_000;
const RESTARTS_PER_MINUTE = 5;
const RESTART_PAUSE_MS = 500;

export interface PartPlan {
  /** Shown in front of its log lines. */
  readonly name: string;
  readonly script: string;
  readonly env: Record<string, string>;
}

export type PrintLine = (part: string, line: string) => void;

/** In development, a program that dies stays down until `restart`. */
export interface DevelopedPart {
  /** Options of Node. */
  readonly execArgv: readonly string[];
}

/**
 * One program of the installation, run as a process that reports over IPC when it is ready. Like a process manager, it restarts the
 * program after a crash, at most a few times a minute.
 */
export class Part {
  readonly #plan: PartPlan;
  readonly #printLine: PrintLine;
  readonly #developed: DevelopedPart | null;
  /** Source files that the program has loaded; reported in development only. */
  readonly loaded = new Set<string>();
  #child: ChildProcess | null = null;
  #stopping = false;
  /** Stopped permanently: a restart in progress must not start the program again. */
  #closed = false;
  #deaths: number[] = [];
  /** Resolves after too many crashes. */
  readonly givenUp: Promise<void>;
  #giveUp: () => void = () => undefined;

  constructor(plan: PartPlan, printLine: PrintLine, developed: DevelopedPart | null = null) {
    this.#plan = plan;
    this.#printLine = printLine;
    this.#developed = developed;
    this.givenUp = new Promise((settle) => (this.#giveUp = settle));
  }

  get name(): string {
    return this.#plan.name;
  }

  get isDown(): boolean {
    return this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Restarts the program with its current code, and logs a failed start. */
  async restart(): Promise<void> {
    await this.#end();
    if (this.#closed) return;
    this.#stopping = false;
    try {
      await this.start();
      this.#printLine("farline", `The ${this.name} is ready.`);
    } catch (error) {
      this.#printLine("farline", (error as Error).message);
    }
  }

  /** @throws Error if it exits or times out before it is ready */
  async start(): Promise<void> {
    // In a separate process group, so that Ctrl-C reaches only this supervisor, which stops the programs in order.
    const child = fork(this.#plan.script, [], {
      env: this.#plan.env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      execArgv: [...(this.#developed?.execArgv ?? [])],
      detached: true,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", (line) => this.#printLine(this.#plan.name, line));
    }
    const exited = new Promise<string>((settle) => {
      child.once("error", (error) => settle(error.message));
      child.once("exit", (code, signal) => settle(signal ? `signal ${signal}` : `code ${code}`));
    });
    const ready = new Promise<"ready">((settle) => {
      child.on("message", (message) => {
        const { ready: isReady, loaded } = message as { ready?: boolean; loaded?: string };
        if (loaded !== undefined) this.loaded.add(loaded);
        if (isReady) settle("ready");
      });
    });
    const first = await settleWithin(Promise.race([ready, exited]), READY_LIMIT_MS, () => "no answer in time");
    if (first !== "ready") {
      child.kill("SIGKILL");
      throw new Error(`The ${this.#plan.name} did not start (${first}). Its last log lines, above, say why.`);
    }
    void exited.then((how) => this.#handleCrash(child, how));
  }

  /** Stops the program permanently. */
  async stop(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child === null || this.isDown) return;
    const exited = new Promise((settle) => child.once("exit", settle));
    child.kill("SIGTERM");
    const noticeMs = Number(this.#plan.env["STOP_NOTICE_SECONDS"] || 0) * 1_000;
    await settleWithin(exited, noticeMs + STOP_LIMIT_MS, () => undefined);
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  }

  async #handleCrash(child: ChildProcess, how: string): Promise<void> {
    if (this.#stopping || this.#child !== child) return;
    if (this.#developed !== null)
      return this.#printLine("farline", `The ${this.name} died (${how}). It is started again when a file changes.`);
    const now = performance.now();
    this.#deaths = [...this.#deaths.filter((at) => now - at < 60_000), now];
    if (this.#deaths.length > RESTARTS_PER_MINUTE) {
      this.#printLine(
        "farline",
        `The ${this.#plan.name} died again (${how}) and is not restarted: it died ${this.#deaths.length} times in a minute.`,
      );
      this.#giveUp();
      return;
    }
    this.#printLine("farline", `The ${this.#plan.name} died (${how}). It is started again.`);
    await pause(RESTART_PAUSE_MS * this.#deaths.length);
    if (this.#stopping) return;
    try {
      await this.start();
      this.#printLine("farline", `The ${this.#plan.name} is back.`);
    } catch (error) {
      this.#printLine("farline", (error as Error).message);
      await this.#handleCrash(this.#child ?? child, "failed start");
    }
  }
}
