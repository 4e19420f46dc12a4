import type { Logger } from "pino";
import type { DatabaseHandle } from "./database.ts";

export interface Job {
  readonly name: string;
  /** Milliseconds between the end of one run and the start of the next. */
  readonly everyMs: number;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Runs jobs again and again, each at most once at a time across all services on one database (an advisory lock held
 * for the run). A run that fails is logged and tried again at its next turn.
 */
export class JobRunner {
  readonly #handle: DatabaseHandle;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  readonly #timers = new Map<Job, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();

  constructor(handle: DatabaseHandle, log: Logger) {
    this.#handle = handle;
    this.#log = log;
  }

  start(jobs: readonly Job[]): void {
    for (const job of jobs) this.#schedule(job);
  }

  /** Waits for runs under way; starts no others. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.allSettled(this.#running);
  }

  /** Runs the job now unless another service is at it. */
  async runOnce(job: Job): Promise<void> {
    const client = await this.#handle.pool.connect();
    try {
      const { rows } = await client.query("select pg_try_advisory_lock(hashtext($1)) as mine", [`job:${job.name}`]);
      if (!rows[0].mine) return;
      try {
        await job.run(this.#stop.signal);
      } finally {
        await client.query("select pg_advisory_unlock(hashtext($1))", [`job:${job.name}`]);
      }
    } finally {
      client.release();
    }
  }

  #schedule(job: Job): void {
    if (this.#stop.signal.aborted) return;
    const timer = setTimeout(() => {
      const turn = this.runOnce(job)
        .catch((error: unknown) => this.#log.warn({ err: error, job: job.name }, "job failed"))
        .finally(() => {
          this.#running.delete(turn);
          this.#schedule(job);
        });
      this.#running.add(turn);
    }, job.everyMs);
    this.#timers.set(job, timer);
  }
}
