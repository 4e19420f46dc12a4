import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import pino from "pino";
import type { TestProject } from "vitest/node";
import { startLocalPostgres, type LocalPostgres } from "../src/platform/local-postgres.ts";
import { migrate } from "../src/platform/migrate.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A superuser's URL of the maintenance database `postgres` of this run's server. Create databases of your own from it. */
    postgresUrl: string;
  }
}

export const TEMPLATE_DATABASE = "farline_template";
/** A test server may forget everything in a crash, so it never waits for a disk. */
const SETTINGS = ["max_connections=300", "fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum_naptime=10min"];

/**
 * Vitest global setup: one real PostgreSQL per test run, in a temporary folder, with a migrated template database that
 * every test file copies. Stopped and removed at the end, whatever the tests did.
 */
export default async function startTestPostgres(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "farline-test-postgres-"));
  let server: LocalPostgres | undefined;
  const stop = async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
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

async function createTemplate(adminUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`create database ${TEMPLATE_DATABASE}`);
  } finally {
    await admin.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${TEMPLATE_DATABASE}`;
  await migrate(url.href, pino({ level: "silent" }));
}
