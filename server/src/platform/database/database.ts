import { Kysely, PostgresDialect, sql, type Transaction as KyselyTransaction } from "kysely";
import pg from "pg";
import type { Logger } from "pino";
import { withoutLogContext } from "../log.ts";
import { sessionUrl } from "./database-session.ts";
import { preparingPool } from "./preparing-pool.ts";
import type { Tables } from "./tables.ts";

export type Database = Kysely<Tables>;
/** For operations that take locks, which end with the transaction. */
export type Transaction = KyselyTransaction<Tables>;
/** For all other statements: a running transaction, or the database itself. */
export type Tx = Transaction | Database;
/** Runs a function in a transaction. */
export type Transact = <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>;
/** How a lock treats rows that another transaction has locked: waits for them, or skips them. */
export type LockMode = "wait" | "skip";

const INT8 = 20;

export interface DatabaseHandle {
  readonly db: Database;
  /** For dedicated connections. Queries go through `db`. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

/** The longest that a request waits for each, in milliseconds. */
export interface DatabaseBounds {
  readonly connectMs: number;
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

export const DATABASE_BOUNDS: DatabaseBounds = {
  connectMs: 1_800,
  statementMs: 10_000,
  // A lock that a person holds must not hold up requests: they fail with 503.
  lockMs: 4_000,
  idleInTransactionMs: 15_000,
};

/**
 * Opens a bounded pool that parses int8 as bigint. Each client gets an error listener, so that a connection that dies while
 * checked out does not crash the process.
 */
export function openDatabase(
  databaseUrl: string,
  poolSize: number,
  log: Logger,
  bounds: DatabaseBounds = DATABASE_BOUNDS,
): DatabaseHandle {
  const pool = new pg.Pool({
    connectionString: sessionUrl(databaseUrl),
    max: poolSize,
    connectionTimeoutMillis: bounds.connectMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: bounds.statementMs,
    lock_timeout: bounds.lockMs,
    idle_in_transaction_session_timeout: bounds.idleInTransactionMs,
    application_name: "farline-service",
    types: {
      getTypeParser: ((oid: number, format?: "text" | "binary") =>
        oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  // A connection outlives the request that opened it.
  const warn = (error: Error, what: string) => withoutLogContext(() => log.warn({ err: error }, what));
  pool.on("error", (error) => warn(error, "idle database connection lost"));
  pool.on("connect", (client) => {
    client.on("error", (error) => warn(error, "database connection lost"));
  });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparingPool(pool) }) });
  return { db, pool, close: () => db.destroy() };
}

/** Whether a transaction has changed or locked rows (PostgreSQL assigns its id only then). */
export async function hasWritten(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ written: boolean }>`select pg_current_xact_id_if_assigned() is not null as written`.execute(tx);
  return rows[0]?.written ?? false;
}
