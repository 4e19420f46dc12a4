import { sql } from "kysely";
import type { Metric } from "../metric.ts";
import type { DatabaseHandle } from "./database.ts";

/** With `archive_timeout = 60`, a segment is archived each minute; the watch of the database writes each second. */
const LATE_SECONDS = 15 * 60;
/** The value of both metrics for a database that archives nothing, or that is backed up in another way. */
const OFF = -1;

/** Metrics of the database's continuous back-up, the archive of its write-ahead log, for monitoring. */
export function archiveMetrics({ handle }: { readonly handle: DatabaseHandle }): Metric[] {
  return [
    {
      name: "farline_archive_age_seconds",
      help: "Time since the database's log was last archived; -1 if archiving is off",
      read: async () => (await readArchive(handle)).ageSeconds,
      runbook: "backup-stopped",
      level: "page",
      warning: (seconds) =>
        seconds < LATE_SECONDS ? null : `The database's log has not been archived for ${Math.floor(seconds / 60)} minutes.`,
    },
    {
      name: "farline_archive_failures",
      help: "Failed attempts to archive the database's log since its statistics were reset; -1 if archiving is off",
      read: async () => (await readArchive(handle)).failures,
    },
  ];
}

/** A server that has archived nothing yet, such as a new primary, counts from its start. */
async function readArchive({ db }: DatabaseHandle): Promise<{ readonly ageSeconds: number; readonly failures: number }> {
  const { rows } = await sql<{ on: boolean; age: number; failures: number }>`
    select current_setting('archive_mode') <> 'off' as on, failed_count::int as failures,
      greatest(0, floor(extract(epoch from now() - coalesce(last_archived_time, pg_postmaster_start_time()))))::int as age
    from pg_stat_archiver`.execute(db);
  const [row] = rows;
  return row?.on === true ? { ageSeconds: row.age, failures: row.failures } : { ageSeconds: OFF, failures: OFF };
}
