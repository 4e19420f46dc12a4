import { fork, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

const READY_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 8_000;
const RESTARTS_PER_MINUTE = 5;
const RESTART_PAUSE_MS = 500;

export interface PartPlan {
  /** Stands before each of its log lines. */
  readonly name: string;
  readonly script: string;
  readonly env: Record<string, string>;
}

export type Say = (part: string, line: string) => void;

/**
 * One program of the installation as a process of its own. It is ready when it says so over IPC. When it dies unasked
 * that is said, and it is started again after a pause, at most a few times a minute, as a process manager would in production.
 */
export class Part {
  readonly #plan: PartPlan;
  readonly #say: Say;
  #child: ChildProcess | null = null;
  #stopping = false;
  #deaths: number[] = [];
  /** Settles when the part is given up. */
  readonly givenUp: Promise<void>;
  #giveUp: () => void = () => undefined;

  constructor(plan: PartPlan, say: Say) {
    this.#plan = plan;
    this.#say = say;
    this.givenUp = new Promise((settle) => (this.#giveUp = settle));
  }

  /** @throws Error when it ends or stays silent before it is ready */
  async start(): Promise<void> {
    // In a process group of its own, so that Ctrl-C reaches only this supervisor, which stops the parts in order.
    const child = fork(this.#plan.script, [], {
      env: this.#plan.env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      execArgv: [],
      detached: true,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", (line) => this.#say(this.#plan.name, line));
    }
    const exited = new Promise<string>((settle) => {
      child.once("error", (error) => settle(error.message));
      child.once("exit", (code, signal) => settle(signal ? `signal ${signal}` : `code ${code}`));
    });
    const ready = new Promise<"ready">((settle) => {
      child.on("message", (message) => {
        if ((message as { ready?: boolean }).ready) settle("ready");
      });
    });
    const first = await Promise.race([ready, exited, pause(READY_LIMIT_MS, "no answer in time", { ref: false })]);
    if (first !== "ready") {
      child.kill("SIGKILL");
      throw new Error(`The ${this.#plan.name} did not start (${first}). Its last lines above say why.`);
    }
    void exited.then((how) => this.#diedUnasked(child, how));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((settle) => child.once("exit", settle));
    child.kill("SIGTERM");
    await Promise.race([exited, pause(STOP_LIMIT_MS, undefined, { ref: false })]);
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  }

  async #diedUnasked(child: ChildProcess, how: string): Promise<void> {
    if (this.#stopping || this.#child !== child) return;
    const now = performance.now();
    this.#deaths = [...this.#deaths.filter((at) => now - at < 60_000), now];
    if (this.#deaths.length > RESTARTS_PER_MINUTE) {
      this.#say(
        "farline",
        `The ${this.#plan.name} died again (${how}) and is left down: it died ${this.#deaths.length} times in a minute.`,
      );
      this.#giveUp();
      return;
    }
    this.#say("farline", `The ${this.#plan.name} died (${how}). It is started again.`);
    await pause(RESTART_PAUSE_MS * this.#deaths.length);
    if (this.#stopping) return;
    try {
      await this.start();
      this.#say("farline", `The ${this.#plan.name} is back.`);
    } catch (error) {
      this.#say("farline", (error as Error).message);
      await this.#diedUnasked(this.#child ?? child, "failed start");
    }
  }
}
