import { rmSync } from "node:fs";
import pino from "pino";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { testDatabase } from "../../../test/test-database.ts";
import { archiveMetrics } from "./archive-metrics.ts";
import { openDatabase, type DatabaseHandle } from "./database.ts";
import { startLocalPostgres } from "./local-postgres.ts";

const read = (handle: DatabaseHandle) => Promise.all(archiveMetrics({ handle }).map((metric) => metric.read()));

test("a database that archives nothing has no age of its archive, and no warning", async () => {
  const database = await testDatabase();
  try {
    expect(await read(database.handle)).toEqual([-1, -1]);
    const [age] = archiveMetrics(database);
    expect([age?.warning?.(-1), age?.warning?.(899)]).toEqual([null, null]);
    expect(age?.warning?.(900)).toBe("The database's log has not been archived for 15 minutes.");
  } finally {
    await database.close();
  }
});

test("a database whose archive fails counts the failures, and the age of the last archived segment", async () => {
  const directory = temporaryFolder("farline-archive-");
  const settings = ["archive_mode=on", "archive_command=test -e archive-works"];
  const server = await startLocalPostgres({ directory, settings });
  const handle = openDatabase(server.url, 2, pino({ level: "silent" }));
  try {
    await handle.pool.query("select pg_switch_wal() from (select pg_logical_emit_message(true, 'test', 'test')) as written");
    await vi.waitFor(async () => expect((await read(handle))[1]).toBeGreaterThan(0), { timeout: 20_000, interval: 200 });
    const [age] = await read(handle);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(60);
  } finally {
    await handle.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
