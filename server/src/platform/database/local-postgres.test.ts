import { rmSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { startLocalPostgres } from "./local-postgres.ts";

test("the built-in PostgreSQL starts in a shell whose other databases need TLS", async () => {
  const directory = temporaryFolder("farline-local-postgres-");
  vi.stubEnv("PGSSLMODE", "require");
  try {
    const server = await startLocalPostgres({ directory, settings: ["fsync=off"] });
    await server.stop();
    expect(new URL(server.url).pathname).toBe("/farline");
  } finally {
    vi.unstubAllEnvs();
    rmSync(directory, { recursive: true, force: true });
  }
});
