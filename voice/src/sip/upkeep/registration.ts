import type { Logger } from "pino";

const REQUESTED_SECONDS = 3_600;
const MAX_SECONDS = 86_400;
/** Part of the granted time, so that a failed refresh can be retried. */
const REFRESH_AT = 0.8;
/** Even if the registrar grants less. */
const MIN_REFRESH_MS = 10_000;
const FIRST_RETRY_MS = 30_000;
const MAX_RETRY_MS = 1_800_000;

export interface RegistrarAnswer {
  readonly status: number;
  /** How long our contact is registered; null if it is not. */
  readonly grantedSeconds: number | null;
  /** The registrar's minimum (423, RFC 3261 §21.4.17). */
  readonly minSeconds: number | null;
  /** How long the registrar wants no further attempt (RFC 3261 §20.33). */
  readonly retryAfterSeconds: number | null;
}

export type RegistrationState = "registered" | "pending" | "refused" | "silent";

interface RegistrationOptions {
  /** Sends a REGISTER, with 0 to unregister. Null: no response. */
  readonly send: (seconds: number) => Promise<RegistrarAnswer | null>;
  readonly log: Logger;
}

/** Keeps the exchange registered with a carrier (RFC 3261 §10.2). */
export class Registration {
  state: RegistrationState = "pending";
  readonly #options: RegistrationOptions;
  #timer: NodeJS.Timeout | null = null;
  #seconds = REQUESTED_SECONDS;
  #retryMs = FIRST_RETRY_MS;
  /** The last OPTIONS had no response. */
  #unreachable = false;
  #stopped = false;
  #running: Promise<void> | null = null;

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** Registers now. Called at the start and for each new connection, because the registrar reaches us over the one that carried the REGISTER. */
  start(): void {
    if (this.#stopped || this.#running !== null) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#running = this.#register().finally(() => {
      this.#running = null;
    });
  }

  /** A carrier that responds to OPTIONS again after an outage may have forgotten us, and our next attempt may be half an hour away. */
  pinged(responds: boolean): void {
    const isBack = responds && this.#unreachable;
    this.#unreachable = !responds;
    if (isBack) this.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.state !== "registered") return;
    this.state = "pending";
    await this.#options.send(0);
  }

  async #register(): Promise<void> {
    let answer = await this.#options.send(this.#seconds);
    const min = answer?.status === 423 ? (answer.minSeconds ?? 0) : 0;
    if (min > this.#seconds && min <= MAX_SECONDS) {
      this.#seconds = min;
      answer = await this.#options.send(min);
    }
    if (this.#stopped) return;
    const granted = answer?.grantedSeconds ?? 0;
    if (granted > 0) this.#registered(granted);
    else this.#failed(answer);
  }

  #registered(seconds: number): void {
    if (this.state !== "registered") this.#options.log.info({ seconds }, "trunk registered");
    this.state = "registered";
    this.#retryMs = FIRST_RETRY_MS;
    const refreshMs = Math.max(MIN_REFRESH_MS, Math.min(seconds, MAX_SECONDS) * 1_000 * REFRESH_AT);
    this.#timer = setTimeout(() => this.start(), refreshMs);
  }

  #failed(answer: RegistrarAnswer | null): void {
    this.state = answer === null ? "silent" : "refused";
    const retryMs = Math.min(Math.max(this.#retryMs, (answer?.retryAfterSeconds ?? 0) * 1_000), MAX_RETRY_MS);
    this.#options.log.warn({ sipStatus: answer?.status ?? null, retryMs }, "trunk not registered");
    this.#timer = setTimeout(() => this.start(), retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
  }
}
