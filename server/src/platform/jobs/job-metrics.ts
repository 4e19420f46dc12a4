import type { Metric } from "../metric.ts";
import type { JobRunner } from "./jobs.ts";

const LATE_SECONDS = 15 * 60;

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
      warning: (seconds, name) =>
        seconds < LATE_SECONDS ? null : `The job ${name} should have succeeded ${Math.floor(seconds / 60)} minutes ago.`,
    },
  ];
}
