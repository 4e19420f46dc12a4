import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";

/** Creates an empty database on the test run's PostgreSQL; `drop` removes it. */
export async function emptyTestDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const adminUrl = inject("postgresUrl");
  const name = `sandbox_${randomUUID().replaceAll("-", "")}`;
  await runOnServer(adminUrl, `create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runOnServer(adminUrl, `drop database ${name} with (force)`) };
}

async function runOnServer(adminUrl: string, statement: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}
