import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Product, removeData, startProduct } from "@farline/e2e/support/product.ts";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { FaultProxy } from "@farline/server/test/fakes/fault-proxy.ts";
import { type Fault, tryFaults } from "./support/fault-table.ts";
import { atTheEnd, folder, runDrill } from "./support/run-drill.ts";
import { processOf } from "./support/processes.ts";
import { voicePortOf } from "./support/scripted-caller.ts";
import { ServedDatabase } from "./support/served-database.ts";
import { until } from "./support/until.ts";

/**
 * A drill: the whole product on one machine, with payments and calls under way, while its processes are killed or hang, the way to its database
 * fails and the disk is full; with a text, only the faults whose name contains it. Exits with 2 if anything acknowledged is lost or doubled, or answered with an error other than 503.
 */
const AWAY_MS = 10_000;
const KILLS = 4;
const BETWEEN_KILLS_MS = 3_000;
const LOST_ANSWERS = 10;
const STARTED_WITHIN_MS = 60_000;

await runDrill(async () => {
  const provider = await startLocalPostgres({ directory: join(folder, "provider") });
  atTheEnd(() => provider.stop());
  const database = await ServedDatabase.start(join(folder, "database"));
  atTheEnd(() => database.stop());
  const proxy = await FaultProxy.start(database.url);
  atTheEnd(() => proxy.close());
  const product = await startProduct({
    env: { DATABASE_URL: proxy.through(database.url), SANDBOX_DATABASE_URL: provider.url, LOG_LEVEL: "error" },
  });
  atTheEnd(() => removeData(product));
  atTheEnd(() => product.stop());
  const installation = { product, databaseUrl: database.url, healthy: () => exchangeIsReady(product) };
  const [, only = ""] = process.argv.slice(2);
  const faults = [...faultsOfProcesses(product), ...faultsOfDatabase(database, proxy)];
  return tryFaults(
    installation,
    faults.filter(({ name }) => name.includes(only)),
  );
});

function faultsOfProcesses(product: Product): Fault[] {
  const killed = (name: string, script: string): Fault => ({
    name,
    survives: true,
    lastsMs: 0,
    async strike() {
      for (let count = 0; count < KILLS; count++) {
        process.kill(await processOf(product.pid, script), "SIGKILL");
        await pause(BETWEEN_KILLS_MS);
      }
      return () => {};
    },
  });
  return [
    killed(`service killed ${KILLS} times`, "server/src/main.ts"),
    killed(`exchange killed ${KILLS} times`, "voice/src/main.ts"),
    killed(`media process killed ${KILLS} times`, "media-process.ts"),
    killed(`payment provider and carrier killed ${KILLS} times`, "sandbox/src/main.ts"),
    {
      name: `service hangs for ${AWAY_MS / 1_000} s`,
      survives: false,
      lastsMs: AWAY_MS,
      async strike() {
        const pid = await processOf(product.pid, "server/src/main.ts");
        process.kill(pid, "SIGSTOP");
        return () => process.kill(pid, "SIGCONT");
      },
    },
  ];
}

function faultsOfDatabase(database: ServedDatabase, proxy: FaultProxy): Fault[] {
  const away = (name: string, fault: "blackhole" | "refuse" | "reset"): Fault => ({
    name: `${name} for ${AWAY_MS / 1_000} s`,
    survives: false,
    lastsMs: AWAY_MS,
    async strike() {
      await proxy.setFault(fault);
      return () => proxy.setFault("none");
    },
  });
  return [
    away("database does not answer", "blackhole"),
    away("database refuses connections", "refuse"),
    away("database resets connections", "reset"),
    {
      name: `answers to ${LOST_ANSWERS} commits lost`,
      survives: false,
      lastsMs: 0,
      async strike() {
        for (let count = 0; count < LOST_ANSWERS; count++) await proxy.loseAnswerTo("commit");
        return () => {};
      },
    },
    {
      name: "database killed",
      survives: false,
      lastsMs: 0,
      async strike() {
        await database.kill();
        return () => database.serve();
      },
    },
    {
      name: `database hangs for ${AWAY_MS / 1_000} s`,
      survives: false,
      lastsMs: AWAY_MS,
      async strike() {
        database.signal("SIGSTOP");
        return () => database.signal("SIGCONT");
      },
    },
    ...(database.hasOwnDisk
      ? [
          {
            name: `database's disk full for ${AWAY_MS / 1_000} s`,
            survives: false,
            lastsMs: AWAY_MS,
            async strike() {
              database.fillDisk();
              return () => {
                database.clearDisk();
                return database.serve();
              };
            },
          },
        ]
      : []),
  ];
}

async function exchangeIsReady(product: Product): Promise<void> {
  const ready = () =>
    fetch(`http://127.0.0.1:${voicePortOf(product)}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("exchange that is ready", ready, STARTED_WITHIN_MS);
}
