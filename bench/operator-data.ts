import { operatorDataStatements } from "@farline/server/test/operator-data.ts";
import { verifyLedger } from "@farline/server/ledger/ledger.ts";
import { migrate } from "@farline/server/platform/database/migrate.ts";
import { createLog } from "@farline/server/platform/log.ts";
import { openBenchPostgres, runLong, startBenchPostgres, type BenchPostgres } from "./bench-postgres.ts";

export const CUSTOMERS = Number(process.env["CUSTOMERS"] ?? 1_000_000);
const CALLS = Number(process.env["CALLS"] ?? 10_000_000);
const CONNECTIONS = 4;
/** The data is made up and deleted afterwards, so it is filled without waiting for the disk. */
const FILL_SETTINGS = ["fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "max_wal_size=4GB"];
const MEMORY_SETTINGS = ["shared_buffers=2GB", "work_mem=256MB", "maintenance_work_mem=1GB", "checkpoint_timeout=1h"];

/**
 * A database full of customers and calls, and how long it took to fill. About 2 kB a call. `OPERATOR_DATA_URL` names one that is filled
 * already, so that several measurements can share it.
 */
export async function startOperatorData(): Promise<{ postgres: BenchPostgres; facts: Record<string, unknown> }> {
  const filled = process.env["OPERATOR_DATA_URL"];
  if (filled !== undefined) {
    await migrate(filled, createLog("silent", "bench"));
    const postgres = await openBenchPostgres(filled, CONNECTIONS);
    return { postgres, facts: { customers: CUSTOMERS, calls: CALLS, gigabytes: await gigabytesOf(postgres) } };
  }
  const postgres = await startBenchPostgres({ poolSize: CONNECTIONS, settings: [...FILL_SETTINGS, ...MEMORY_SETTINGS] });
  try {
    const began = performance.now();
    await runLong(postgres, ...operatorDataStatements({ customers: CUSTOMERS, calls: CALLS }), "vacuum analyze");
    const filledInSeconds = Math.round((performance.now() - began) / 1000);
    return { postgres, facts: { customers: CUSTOMERS, calls: CALLS, filledInSeconds, gigabytes: await gigabytesOf(postgres) } };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

async function gigabytesOf({ handle }: BenchPostgres): Promise<number> {
  const { rows } = await handle.pool.query<{ bytes: string }>("select pg_database_size(current_database()) as bytes");
  return Math.round(Number(rows[0]?.bytes) / 1e8) / 10;
}

/** Fills a database with a million customers and ten million calls, verifies its ledger and deletes it. */
export async function operatorData(): Promise<Record<string, unknown>> {
  const { postgres, facts } = await startOperatorData();
  try {
    const drift = await verifyLedger(postgres.handle.db);
    if (drift.length > 0) throw new Error(`The generated rows are inconsistent: ${drift[0]?.check}`);
    return { ...facts, postgres: postgres.facts };
  } finally {
    await postgres.close();
  }
}
