import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";

/** PostgreSQL and Patroni never run as root. */
const IDENTITY = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};

/** A program that can be killed and started again. Its output is appended to a file. */
export class Child {
  readonly #program: string;
  readonly #parameters: readonly string[];
  readonly #log: string;
  readonly #env: Readonly<Record<string, string>>;
  #process: ChildProcess | null = null;

  constructor(program: string, given: { parameters?: readonly string[]; log: string; env?: Readonly<Record<string, string>> }) {
    this.#program = program;
    this.#parameters = given.parameters ?? [];
    this.#log = given.log;
    this.#env = given.env ?? {};
  }

  start(): void {
    const log = openSync(this.#log, "a");
    const env = { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", ...this.#env };
    this.#process = spawn(this.#program, this.#parameters, { ...IDENTITY, env, stdio: ["ignore", log, log] });
    // A program that is not installed is noticed because the cluster does not come up.
    this.#process.on("error", () => {});
  }

  get runs(): boolean {
    const child = this.#process;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#process;
    if (child === null || !this.runs) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }
}

function idOf(flag: string): number {
  return Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
}
