import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startLocalPostgres, type LocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { removeData, startProduct } from "@farline/e2e/support/product.ts";
import { CallLoad } from "./support/call-load.ts";
import { readRows, withDatabase } from "./support/database.ts";
import { differences } from "./support/fault-table.ts";
import { Load } from "./support/payment-load.ts";
import { atTheEnd, folder, runDrill, say } from "./support/run-drill.ts";

/** The exchange and the callers measure by themselves. */
const MEASURED_WITHIN_MS = 1_000;

/**
 * A drill: destroys a throw-away installation under payments and calls, restores it from its back-up with the commands of
 * docs/operate/backup.md, and compares every cent and every receipt with the payment provider, and every call with what its caller
 * experienced. Exits with 2 if anything is wrong.
 */
const CALLS = { callers: 4, speaking: 4, talkMs: 2_000, everyMs: 3_000 };
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
  const env = (databaseUrl: string) => ({
    DATABASE_URL: databaseUrl,
    SANDBOX_DATABASE_URL: provider.url,
    LOG_LEVEL: "error",
  });
  const product = await startProduct({ env: env(database.url) });
  const { dataDir } = product;
  const port = Number(new URL(product.url).port);
  atTheEnd(() => removeData(product));
  const load = new Load(product.url);
  const calls = new CallLoad(product, CALLS);
  await calls.signUp();
  load.start();
  calls.start();
  await pause(SECONDS_BEFORE_BACKUP * 1_000);
  await backUp(database);
  await pause(SECONDS_IN_LOG * 1_000);
  await readRows(database.url, "select pg_switch_wal()");
  const archivedAt = Date.now();
  await pause(SECONDS_LOST * 1_000);
  await destroy(database);
  await Promise.all([load.stop(), calls.stop()]);
  await calls.leave();
  await product.stop();
  const lost = [...calls.hungUpAt.values()].filter((at) => at > archivedAt).length;
  say(`${load.paid.size} payments and ${calls.answered.size} calls were acknowledged, then the database was destroyed.`);
  say(`${lost} calls ended after the last archived log.`);

  const restored = await restore();
  atTheEnd(() => restored.stop());
  const commandEnv = { ...process.env, ...env(restored.url), PORT: String(port), DATA_DIR: dataDir };
  if (cli(commandEnv, ["restore", "begin"]) !== 0) return false;
  const again = await startProduct({ dataDir, port, env: env(restored.url) });
  atTheEnd(() => again.stop());
  const refused = await load.tryToPay();
  say(`While intake is closed, a payment is answered ${refused}.`);
  if (cli(commandEnv, ["restore", "check"]) !== 0) return false;
  const faults = [
    ...(await differences({ product: again, databaseUrl: restored.url }, load, calls)),
    ...(await compareCharges(restored.url, calls, CALLS.talkMs)),
  ];
  for (const fault of faults) say(`WRONG: ${fault}`);
  say(`${faults.length} faults.`);
  return faults.length === 0 && refused === 503 && lost > 0;
}

function cli(env: NodeJS.ProcessEnv, command: readonly string[]): number {
  say(`npm run cli -- ${command.join(" ")}`);
  return spawnSync(process.execPath, [CLI, ...command], { env, stdio: "inherit" }).status ?? 1;
}

/** A base back-up. Start and stop must be in the same session. */
async function backUp({ url }: LocalPostgres): Promise<void> {
  await withDatabase(url, async (client) => {
    await client.query("select pg_backup_start('drill', true)");
    cpSync(join(place.postgres, "data"), place.base, {
      recursive: true,
      filter: (path) => !path.endsWith("postmaster.pid") && !/data\/pg_wal\/./.test(path),
    });
    const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop()");
    writeFileSync(join(place.base, "backup_label"), rows[0]?.labelfile ?? "");
  });
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
    const [row] = await readRows<{ recovering: boolean }>(restored.url, "select pg_is_in_recovery() as recovering");
    if (row?.recovering === false) return restored;
    await pause(100);
  }
}

/** PostgreSQL runs as another account when this script runs as root. */
function openToPostgres(path: string, more: readonly string[] = []): void {
  mkdirSync(path, { recursive: true });
  if (process.getuid?.() === 0) execFileSync("chown", [...more, "postgres:", path]);
}

interface Talked {
  readonly id: string;
  readonly durationMs: number;
}

interface Caller {
  readonly id: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * Compares the calls that callers have hung up after `talkMs`, and their callers' balances, with the ledger.
 * @returns a sentence for each call that is too short, and for each caller who paid anything else than the calls' charges
 */
async function compareCharges(databaseUrl: string, { hungUpAt }: Pick<CallLoad, "hungUpAt">, talkMs: number): Promise<string[]> {
  const ended = [[...hungUpAt.keys()]];
  const calls = await readRows<Talked>(databaseUrl, `select id, duration_ms as "durationMs" from call where id = any($1)`, ended);
  const callers = await readRows<Caller>(
    databaseUrl,
    `select a.customer_id as id, a.balance_micros - a.debt_micros as actual,
       (select sum(amount_micros) from test_credit_grant g where g.customer_id = a.customer_id)
         - (select coalesce(sum(charge_micros), 0) from call c where c.customer_id = a.customer_id) as expected
     from account a where customer_id in (select customer_id from call where id = any($1))`,
    ended,
  );
  return [
    ...calls.flatMap(({ id, durationMs }) =>
      durationMs >= talkMs - MEASURED_WITHIN_MS ? [] : [`call ${id} lasted ${talkMs} ms, and its record says ${durationMs} ms`],
    ),
    ...callers.flatMap(({ id, expected, actual }) =>
      expected === actual ? [] : [`caller ${id} has ${actual} micro-dollars, not ${expected}`],
    ),
  ];
}
