import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { startLocalPostgres, type LocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { startSandboxProcess } from "@farline/server/test/fakes/sandbox-process.ts";
import { Load } from "./support/payment-load.ts";
import { compareBooks } from "./support/compare-books.ts";
import { atTheEnd, folder, runDrill } from "./support/run-drill.ts";
import { environment, freePort, SECRET_KEY, startService, WEBHOOK_SECRET } from "./support/service-process.ts";

/**
 * A drill: destroys a throw-away installation under load, restores it from its back-up with the commands of docs/operate/backup.md, and
 * compares every cent and every receipt with the payment provider. Exits with 2 if anything is wrong.
 */
const SECONDS_BEFORE_BACKUP = 4;
const SECONDS_IN_LOG = 4;
const SECONDS_LOST = 6;
const CLI = fileURLToPath(new URL("../cli/src/main.ts", import.meta.url));

const place = { postgres: join(folder, "postgres"), base: join(folder, "base"), wal: join(folder, "wal") };
for (const path of [folder, place.wal]) openToPostgres(path);

await runDrill(drill);

async function drill(): Promise<boolean> {
  const provider = await startLocalPostgres({ directory: join(folder, "provider") });
  atTheEnd(() => provider.stop());
  const database = await startLocalPostgres({
    directory: place.postgres,
    settings: ["archive_mode=on", `archive_command=cp %p ${place.wal}/%f.part && mv ${place.wal}/%f.part ${place.wal}/%f`],
  });
  const port = await freePort();
  const sandbox = await startSandboxProcess({
    databaseUrl: provider.url,
    stripeSecretKey: SECRET_KEY,
    stripeWebhookSecret: WEBHOOK_SECRET,
    stripeWebhookUrl: `http://127.0.0.1:${port}/api/webhooks/stripe`,
  });
  atTheEnd(() => sandbox.close());
  const env = (databaseUrl: string) => ({ ...environment(port, sandbox.url), DATABASE_URL: databaseUrl });

  const service = await startService(env(database.url));
  const load = new Load(`http://127.0.0.1:${port}`);
  load.start();
  await pause(SECONDS_BEFORE_BACKUP * 1_000);
  await backUp(database);
  await pause(SECONDS_IN_LOG * 1_000);
  await query(database.url, "select pg_switch_wal()");
  await pause(SECONDS_LOST * 1_000);
  service.kill("SIGKILL");
  await destroy(database);
  await load.stop();
  say(`${load.paid.size} payments were acknowledged, then the database was destroyed.`);

  const restored = await restore();
  atTheEnd(() => restored.stop());
  if (cli(env(restored.url), ["restore", "begin"]) !== 0) return false;
  const again = await startService(env(restored.url));
  atTheEnd(() => again.kill("SIGKILL"));
  const refused = await load.tryToPay();
  say(`While the doors are closed, a payment is answered ${refused}.`);
  if (cli(env(restored.url), ["restore", "check"]) !== 0) return false;
  const faults = await compareBooks({ databaseUrl: restored.url, stripe: { url: sandbox.url, key: SECRET_KEY }, load });
  for (const fault of faults) say(`WRONG: ${fault}`);
  say(`${faults.length} faults.`);
  return faults.length === 0 && refused === 503;
}

function cli(env: Record<string, string>, command: readonly string[]): number {
  say(`npm run cli -- ${command.join(" ")}`);
  return spawnSync(process.execPath, [CLI, ...command], { env, stdio: "inherit" }).status ?? 1;
}

/** A base back-up. Start and stop must be in the same session. */
async function backUp({ url }: LocalPostgres): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("select pg_backup_start('drill', true)");
  cpSync(join(place.postgres, "data"), place.base, {
    recursive: true,
    filter: (path) => !path.endsWith("postmaster.pid") && !/data\/pg_wal\/./.test(path),
  });
  const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop()");
  writeFileSync(join(place.base, "backup_label"), rows[0]?.labelfile ?? "");
  await client.end();
}

/** Kills the database and deletes its files. */
async function destroy(database: LocalPostgres): Promise<void> {
  const [pid] = readFileSync(join(place.postgres, "data", "postmaster.pid"), "utf8").split("\n");
  process.kill(Number(pid), "SIGKILL");
  await database.exited;
  // Its children notice within a moment that it has gone.
  await pause(1_000);
  rmSync(join(place.postgres, "data"), { recursive: true, force: true });
}

/** The base back-up, brought forward with the archived log. */
async function restore(): Promise<LocalPostgres> {
  const data = join(place.postgres, "data");
  cpSync(place.base, data, { recursive: true });
  mkdirSync(join(data, "pg_wal"), { recursive: true });
  writeFileSync(join(data, "recovery.signal"), "");
  openToPostgres(data, ["-R"]);
  execFileSync("chmod", ["700", data]);
  const restored = await startLocalPostgres({
    directory: place.postgres,
    settings: [`restore_command=cp ${place.wal}/%f %p`, "recovery_target_action=promote"],
  });
  for (;;) {
    const [row] = await query<{ recovering: boolean }>(restored.url, "select pg_is_in_recovery() as recovering");
    if (row?.recovering === false) return restored;
    await pause(100);
  }
}

/** PostgreSQL runs as another account when this script runs as root. */
function openToPostgres(path: string, more: readonly string[] = []): void {
  mkdirSync(path, { recursive: true });
  if (process.getuid?.() === 0) execFileSync("chown", [...more, "postgres:", path]);
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
