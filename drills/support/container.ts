import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parse } from "yaml";
import { commandOf, descendantsOf, SCRIPTS } from "./processes.ts";
import { atTheEnd } from "./run-drill.ts";
import { until } from "./readiness.ts";

type Name = "service" | "exchange";
const HEALTHY_WITHIN_MS = 60_000;
const STOPPED_WITHIN_MS = 30_000;
const COMPOSE = new URL("../../deploy/compose.yaml", import.meta.url);
/** Without a container engine. */
const ISOLATED = { ...process.env, BUILDAH_ISOLATION: "chroot" };

interface Compose {
  readonly services: Readonly<Record<Name, { readonly healthcheck: { readonly test: readonly string[] } }>>;
}

/** @returns what the command prints. @throws Error with its errors if it fails */
export function buildah(...parameters: readonly string[]): string {
  return execFileSync("buildah", parameters, { env: ISOLATED, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** What is in an image, with its user, its files and this machine's network. */
export class Container {
  readonly name: Name;
  readonly #container: string;
  readonly #volumes: readonly string[];
  readonly #env: readonly string[];
  #process: ChildProcess | null = null;

  /** @param given.volumes as in `buildah run --volume` */
  constructor(name: Name, given: { readonly env: Readonly<Record<string, string>>; readonly volumes: readonly string[] }) {
    this.name = name;
    this.#container = buildah("from", `localhost/farline-${name}`);
    atTheEnd(() => buildah("rm", this.#container));
    this.#volumes = given.volumes.flatMap((volume) => ["--volume", volume]);
    this.#env = Object.entries(given.env).flatMap(([key, value]) => ["--env", `${key}=${value}`]);
  }

  /** Runs a command without the settings to its end. @throws Error if it fails */
  run(...command: readonly string[]): void {
    buildah("run", ...this.#volumes, this.#container, "--", ...command);
  }

  start(): void {
    const child = spawn("buildah", ["run", ...this.#volumes, ...this.#env, this.#container, "--", "node", SCRIPTS[this.name]], {
      env: ISOLATED,
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#process = child;
    atTheEnd(() => this.#signal("SIGKILL"));
  }

  /** Waits for the health check of deploy/compose.yaml, on other ports. @returns after how many milliseconds it is passed */
  async healthy(ports: Readonly<Record<string, number>>): Promise<number> {
    const began = performance.now();
    const [, ...test] = compose().services[this.name].healthcheck.test.map((part) =>
      part.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, (port) => String(ports[port])),
    );
    await until(`healthy ${this.name}`, () => this.#passes(test), HEALTHY_WITHIN_MS);
    return performance.now() - began;
  }

  /** @returns the exit code. @throws Error if it does not stop in time */
  async stop(): Promise<number | null> {
    const child = this.#process;
    if (child === null) return null;
    const exited = once(child, "exit", { signal: AbortSignal.timeout(STOPPED_WITHIN_MS) });
    this.#signal("SIGTERM");
    await exited;
    return child.exitCode;
  }

  /** Signals the program itself, because buildah does not pass signals on. */
  #signal(signal: NodeJS.Signals): void {
    const pid = descendantsOf(this.#process?.pid ?? 0).find((one) => {
      const [program = "", script] = commandOf(one).split(" ");
      return basename(program) === "node" && script === SCRIPTS[this.name];
    });
    if (pid !== undefined) process.kill(pid, signal);
  }

  #passes(test: readonly string[]): boolean {
    try {
      this.run(...test);
      return true;
    } catch {
      return false;
    }
  }
}

function compose(): Compose {
  return parse(readFileSync(COMPOSE, "utf8")) as Compose;
}
