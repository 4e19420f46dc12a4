import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import type { MediaOperation, MediaOperations, MediaProcessSettings, MediaReport } from "./media-messages.ts";
import { type HeardChange, MediaError } from "./media-plane.ts";

const PROCESS_FILE = fileURLToPath(new URL("./media-process.ts", import.meta.url));
const START_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 2_000;
/** How often a process must show that it lives, and after how long without a sign it is killed and replaced. */
const HEARTBEAT_EVERY_MS = 1_000;
const SILENT_MS = 4_000;
const MAX_PENDING = 2_000;
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 5_000;
/** After this long a process counts as healthy and its restart delay is reset. */
const HEALTHY_MS = 30_000;

interface Pending {
  resolve(body: unknown): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout | null;
}

interface MediaLinkEvents {
  failed(leg: string): void;
  heardChange(leg: string, change: HeardChange): void;
  farSilent(leg: string, silentMs: number): void;
  /** The process died with all its legs, and is being restarted. */
  died(): void;
}

/**
 * A media process and its typed message channel. Restarts the process with increasing delays when it dies. One that lives and does not answer is
 * killed: its calls have no sound, and it would take new ones.
 */
export class MediaLink {
  restarts = 0;
  /** When the process died last. */
  diedAt: Date | null = null;
  /** The latest sign of life; null until the first and while the process is being restarted. Reading it waits for nothing. */
  usage: MediaOperations["usage"]["reply"] | null = null;
  readonly #settings: MediaProcessSettings;
  readonly #events: MediaLinkEvents;
  readonly #log: Logger;
  readonly #pending = new Map<number, Pending>();
  #child: ChildProcess | null = null;
  #ready = false;
  #closing = false;
  #nextId = 1;
  #restartDelayMs = FIRST_RESTART_MS;
  #restartTimer: NodeJS.Timeout | null = null;
  #heartbeat: NodeJS.Timeout | null = null;

  constructor(settings: MediaProcessSettings, events: MediaLinkEvents, log: Logger) {
    this.#settings = settings;
    this.#events = events;
    this.#log = log;
  }

  /** Null while the process is being restarted. */
  get processId(): number | null {
    return this.#ready ? (this.#child?.pid ?? null) : null;
  }

  /** Resolves when the process is warmed up; rejects after 20 s. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const startedAt = Date.now();
      const child = fork(PROCESS_FILE, [JSON.stringify(this.#settings)], {
        execArgv: [],
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      });
      this.#child = child;
      const timer = setTimeout(() => {
        reject(new MediaError("unavailable", `The media process was not ready within ${START_TIMEOUT_MS / 1000} s.`));
        child.kill("SIGKILL");
      }, START_TIMEOUT_MS);
      child.on("message", (message) => {
        const report = message as MediaReport;
        if (report.kind !== "ready") return this.#receive(report);
        clearTimeout(timer);
        this.#ready = true;
        this.#watchHeartbeat(child);
        resolve();
      });
      child.on("error", (error) => {
        this.#log.error({ err: error }, "media process error");
      });
      child.once("exit", (code, signal) => {
        clearTimeout(timer);
        reject(new MediaError("unavailable", `The media process ended with ${signal ?? `code ${code}`} before it was ready.`));
        this.#onExit(startedAt, code, signal);
      });
    });
  }

  /** @throws MediaError of the process, `unavailable` if it is not running, `timeout` after `timeoutMs` (null: no time-out). */
  request<Name extends MediaOperation>(
    operation: Name,
    body: MediaOperations[Name]["request"],
    timeoutMs: number | null = REQUEST_TIMEOUT_MS,
  ): Promise<MediaOperations[Name]["reply"]> {
    const child = this.#child;
    if (!this.#ready || child === null) return Promise.reject(new MediaError("unavailable", "The media process is not running."));
    if (this.#pending.size >= MAX_PENDING)
      return Promise.reject(new MediaError("no_capacity", "Too many media requests are waiting."));
    const id = this.#nextId++;
    return new Promise<unknown>((resolve, reject) => {
      // Called after what has arrived is read, because this process may have been paused.
      const expire = (): void => {
        this.#pending.delete(id);
        reject(new MediaError("timeout", `The media process did not answer ${operation} in time.`));
      };
      this.#pending.set(id, {
        resolve,
        reject,
        timer: timeoutMs === null ? null : setTimeout(() => setImmediate(expire), timeoutMs),
      });
      child.send({ id, operation, body }, (error) => {
        if (error) this.#settle(id)?.reject(new MediaError("unavailable", "The media process cannot be reached."));
      });
    }) as Promise<MediaOperations[Name]["reply"]>;
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer);
    const child = this.#child;
    if (child === null) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      child.once("exit", () => {
        clearTimeout(timer);
        resolve();
      });
      if (child.connected) child.disconnect();
      else child.kill("SIGKILL");
    });
  }

  /** @returns whether the process has answered */
  async #readUsage(child: ChildProcess): Promise<boolean> {
    const usage = await this.request("usage", {}).catch(() => null);
    if (usage !== null && this.#child === child) this.usage = usage;
    return usage !== null;
  }

  #watchHeartbeat(child: ChildProcess): void {
    let heardAtMs = performance.now();
    let beatAtMs = heardAtMs;
    const beat = (): void => {
      const nowMs = performance.now();
      // This process was paused itself, so it says nothing about the other.
      if (nowMs - beatAtMs > 2 * HEARTBEAT_EVERY_MS) heardAtMs = nowMs;
      beatAtMs = nowMs;
      if (nowMs - heardAtMs > SILENT_MS) {
        this.#log.error({ pid: child.pid, silentMs: Math.round(nowMs - heardAtMs) }, "media process does not answer, killed");
        child.kill("SIGKILL");
        return;
      }
      void this.#readUsage(child).then((heard) => (heardAtMs = heard ? performance.now() : heardAtMs));
    };
    beat();
    this.#heartbeat = setInterval(beat, HEARTBEAT_EVERY_MS);
  }

  #receive(report: Exclude<MediaReport, { kind: "ready" }>): void {
    if (report.kind === "failed") this.#events.failed(report.leg);
    else if (report.kind === "heard_change") this.#events.heardChange(report.leg, report.change);
    else if (report.kind === "far_silent") this.#events.farSilent(report.leg, report.silentMs);
    else if (report.kind === "reply") this.#settle(report.id)?.resolve(report.body);
    else this.#settle(report.id)?.reject(new MediaError(report.code, report.message));
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending?.timer) clearTimeout(pending.timer);
    return pending;
  }

  #onExit(startedAt: number, code: number | null, signal: NodeJS.Signals | null): void {
    this.#child = null;
    this.#ready = false;
    this.usage = null;
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
    for (const id of [...this.#pending.keys()])
      this.#settle(id)?.reject(new MediaError("unavailable", "The media process ended."));
    if (this.#closing) return;
    this.#log.error({ code, signal }, "media process died");
    this.diedAt = new Date();
    this.#events.died();
    if (Date.now() - startedAt > HEALTHY_MS) this.#restartDelayMs = FIRST_RESTART_MS;
    this.#restartTimer = setTimeout(() => {
      this.restarts += 1;
      this.start().then(
        () => this.#log.info({ restarts: this.restarts }, "media process restarted"),
        (error: unknown) => this.#log.error({ err: error }, "media process restart failed"),
      );
    }, this.#restartDelayMs);
    this.#restartDelayMs = Math.min(this.#restartDelayMs * 2, MAX_RESTART_MS);
  }
}
