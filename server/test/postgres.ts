import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { Client } from "pg";
import pino from "pino";
import type { TestProject } from "vitest/node";
import { startLocalPostgres, type LocalPostgres } from "../src/platform/database/local-postgres.ts";
import { migrate } from "../src/platform/database/migrate.ts";
import { OPERATORS_SQL } from "./operators.ts";
import { temporaryFolder } from "./temporary-folder.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A superuser's URL of this run's maintenance database `postgres`, for tests that create their own databases. */
    postgresUrl: string;
  }
}

export const TEMPLATE = "farline_template";
/** The template with the sample deck; `databaseWithRates` makes it. */
export const RATES_TEMPLATE = "farline_template_rates";
/**
 * A test server may lose everything in a crash, so it never waits for a disk. It logs only its own messages, because tests
 * provoke thousands of errors.
 */
const SETTINGS = [
  "max_connections=300",
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "autovacuum_naptime=10min",
  "log_min_messages=log",
];

/**
 * Vitest global setup: one real PostgreSQL per test run, in a temporary folder, with a migrated template database that
 * every test file copies. It is always stopped and removed at the end.
 */
export default async function startTestPostgres(project: TestProject): Promise<() => Promise<void>> {
  const folder = temporaryFolder("farline-test-postgres-");
  const letGuardGo = guard(folder);
  let server: LocalPostgres | undefined;
  const stop = async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
    letGuardGo();
  };
  try {
    server = await startLocalPostgres({ directory: folder, settings: SETTINGS });
    const url = new URL(server.url);
    url.pathname = "/postgres";
    await createTemplate(url.href);
    project.provide("postgresUrl", url.href);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

const CLEAN_UP = `
  cat >/dev/null
  pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid" && for wait in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$pid" 2>/dev/null && sleep 0.2
  done
  rm -rf "$0"`;

/**
 * The server outlives its parent, and an interrupted or killed test run never reaches its teardown. So a small shell waits
 * until the run ends in any way, and cleans up.
 */
function guard(folder: string): () => void {
  const shell = spawn("sh", ["-c", CLEAN_UP, folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  shell.unref();
  return () => shell.stdin.end();
}

async function createTemplate(adminUrl: string): Promise<void> {
  await run(adminUrl, `create database ${TEMPLATE}`);
  await migrateTemplate(adminUrl);
  await changeTemplate(adminUrl, OPERATORS_SQL);
}

/** Upgrades the template, the database that every test database is copied from, to this version. */
export async function migrateTemplate(adminUrl: string): Promise<void> {
  await migrate(templateUrl(adminUrl), pino({ level: "silent" }));
}

/** Changes the template, from which the one with rates is then made again. */
export async function changeTemplate(adminUrl: string, sql: string): Promise<void> {
  await run(templateUrl(adminUrl), sql);
  await run(adminUrl, `drop database if exists ${RATES_TEMPLATE}`);
}

async function run(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function templateUrl(adminUrl: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${TEMPLATE}`;
  return url.href;
}
