import type { Logger } from "pino";

const ASKED_SECONDS = 3_600;
const LONGEST_SECONDS = 86_400;
/** Of what was granted, so that a refresh may fail and be repeated. */
const REFRESH_AT = 0.8;
/** However little a registrar grants. */
const SOONEST_REFRESH_MS = 10_000;
const FIRST_RETRY_MS = 30_000;
const LAST_RETRY_MS = 1_800_000;

/** What a registrar said to a REGISTER. */
export interface RegistrarAnswer {
  readonly status: number;
  /** Seconds for which our contact is registered; null when it is not. */
  readonly grantedSeconds: number | null;
  /** Seconds below which it registers nobody (423, RFC 3261 §21.4.17). */
  readonly minSeconds: number | null;
}

export type RegistrationState = "registered" | "pending" | "refused" | "silent";

export interface RegistrationOptions {
  /** Sends a REGISTER for so many seconds, 0 to end it. Null: no answer. */
  readonly send: (seconds: number) => Promise<RegistrarAnswer | null>;
  readonly log: Logger;
}

/** Keeps the exchange registered with a carrier (RFC 3261 §10.2). */
export class Registration {
  state: RegistrationState = "pending";
  readonly #options: RegistrationOptions;
  #timer: NodeJS.Timeout | null = null;
  #seconds = ASKED_SECONDS;
  #retryMs = FIRST_RETRY_MS;
  #stopped = false;
  #running: Promise<void> | null = null;

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** Registers now, at the start and over each new connection: a registrar reaches us over the one that carried the REGISTER. */
  start(): void {
    if (this.#stopped || this.#running !== null) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#running = this.#register().finally(() => {
      this.#running = null;
    });
  }

  /** Ends the registration, if there is one. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.state !== "registered") return;
    this.state = "pending";
    await this.#options.send(0);
  }

  async #register(): Promise<void> {
    let answer = await this.#options.send(this.#seconds);
    const least = answer?.status === 423 ? (answer.minSeconds ?? 0) : 0;
    if (least > this.#seconds && least <= LONGEST_SECONDS) {
      this.#seconds = least;
      answer = await this.#options.send(least);
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
    const refreshMs = Math.max(SOONEST_REFRESH_MS, Math.min(seconds, LONGEST_SECONDS) * 1_000 * REFRESH_AT);
    this.#timer = setTimeout(() => this.start(), refreshMs);
  }

  #failed(answer: RegistrarAnswer | null): void {
    this.state = answer === null ? "silent" : "refused";
    this.#options.log.warn({ sipStatus: answer?.status ?? null, retryMs: this.#retryMs }, "trunk not registered");
    this.#timer = setTimeout(() => this.start(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }
}
