import { settleWithin } from "@farline/domain/durations.ts";
import type { Logger } from "pino";
import { inLogContext } from "../log.ts";
import { JobLocks } from "./job-locks.ts";
import type { Metric } from "../metric.ts";

const LATE_SECONDS = 15 * 60;

export interface Job {
  readonly name: string;
  /** Milliseconds between the end of one run and the start of the next. */
  readonly everyMs: number;
  /** How long a run may take, if that is more than minutes. */
  readonly longestRunMs?: number;
  /** Whether all services run it at the same time and share its work, because each claims the rows that it works on. */
  readonly shared?: boolean;
  /** Whether it also runs while the service takes no orders, because it only ends what has begun. */
  readonly runsWhileClosed?: boolean;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Runs jobs periodically, each at most once at a time across all services on one database (see JobLocks for the exception), or, if its work
 * is shared, at most once at a time in each service.
 * Jobs must be idempotent. A failed run is logged and retried at the next interval.
 */
export class JobRunner {
  readonly #locks: JobLocks;
  readonly #log: Logger;
  readonly #intake: { readonly closed: boolean };
  readonly #stop = new AbortController();
  readonly #timers = new Map<Job, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  readonly #nowMs: () => number;
  /** When each job last succeeded here, had nothing to do, or was started. */
  readonly #succeededMs = new Map<Job, number>();

  /**
   * @param databaseUrl for the dedicated connection that holds the locks
   * @param intake while it is closed, only the jobs run that say so
   * @param nowMs a clock that is never set back
   */
  constructor(
    databaseUrl: string,
    log: Logger,
    intake: { readonly closed: boolean } = { closed: false },
    nowMs: () => number = () => performance.now(),
  ) {
    this.#locks = new JobLocks(databaseUrl, log);
    this.#log = log;
    this.#intake = intake;
    this.#nowMs = nowMs;
  }

  start(jobs: readonly Job[]): void {
    for (const job of jobs) {
      this.#succeededMs.set(job, this.#nowMs());
      this.#schedule(job);
    }
  }

  /** By name, for how long each job should have succeeded again; 0 while it is on time. Another service may have run it since. */
  lateSeconds(): Map<string, number> {
    return new Map(
      [...this.#succeededMs].map(([{ name, everyMs, longestRunMs = 0 }, at]) => [
        name,
        Math.max(0, Math.floor((this.#nowMs() - at - everyMs - longestRunMs) / 1_000)),
      ]),
    );
  }

  /** Starts no more jobs and signals running ones to stop. @param withinMs longest wait for running jobs */
  async stop(withinMs: number): Promise<void> {
    this.#stop.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await settleWithin(Promise.allSettled(this.#running), withinMs, () => undefined);
    await this.#locks.close();
  }

  /** Runs the job now, unless it is already running here or, without shared work, in another service. */
  async runOnce(job: Job): Promise<void> {
    const run = async () => {
      await job.run(this.#stop.signal);
      this.#succeededMs.set(job, this.#nowMs());
    };
    await (job.shared === true ? this.#locks.holdHere(job.name, run) : this.#locks.hold(job.name, run));
  }

  async #runLogged(job: Job): Promise<void> {
    if (this.#intake.closed && job.runsWhileClosed !== true) {
      this.#succeededMs.set(job, this.#nowMs());
      return;
    }
    await this.runOnce(job).catch((error: unknown) => this.#log.warn({ err: error }, "job failed"));
  }

  #schedule(job: Job): void {
    if (this.#stop.signal.aborted) return;
    const timer = setTimeout(() => {
      const turn = inLogContext({ job: job.name, job_id: crypto.randomUUID() }, () => this.#runLogged(job)).finally(() => {
        this.#running.delete(turn);
        this.#schedule(job);
      });
      this.#running.add(turn);
    }, job.everyMs);
    this.#timers.set(job, timer);
  }
}

/** Metrics of the jobs of this service for monitoring. */
export function jobMetrics(jobs: Pick<JobRunner, "lateSeconds">): Metric[] {
  return [
    {
      name: "farline_job_late_seconds",
      help: "Time since a job should have succeeded again, on this instance; 0 while it is on time",
      // Not `job`, which is Prometheus' own.
      label: "name",
      read: async () => jobs.lateSeconds(),
      runbook: "job-failing",
      level: "page",
      onlyIfEverywhere: true,
      warning: (seconds, name) =>
        seconds < LATE_SECONDS ? null : `The job ${name} should have succeeded ${Math.floor(seconds / 60)} minutes ago.`,
    },
  ];
}
