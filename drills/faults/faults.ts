import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { startProduct } from "@farline/e2e/support/product.ts";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { FaultProxy } from "@farline/server/test/fakes/fault-proxy.ts";
import { AWAY, AWAY_MS, type Fault, tryFaults } from "../support/fault-table.ts";
import { Notices } from "../support/notices.ts";
import { atTheEnd, folder, runDrill } from "../support/run-drill.ts";
import { ServedDatabase } from "../support/served-database.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { ShiftedClocks } from "../support/shifted-clocks.ts";
import { faultsOfDatabase } from "./of-database.ts";
import { faultsOfNetwork } from "./of-network.ts";
import { FailingProvider, faultsOfProviders } from "./of-providers.ts";
import { exchangeIsReady, faultsOfProcesses } from "./of-processes.ts";

const MINUTES = 5;
/** Room for the installation's files and some journals. */
const EXCHANGE_DISK = "16m";

/**
 * A drill: the whole product on one machine, with payments and calls under way, while its processes are killed or hang, the ways between them
 * fail, the disk is full and clocks are wrong; with a text, only the faults whose name contains it. Exits with 2 if anything acknowledged is
 * lost or doubled, or answered with an error other than 503.
 */
await runDrill(async () => {
  const provider = await startLocalPostgres({ directory: join(folder, "provider") });
  atTheEnd(() => provider.stop());
  const database = await ServedDatabase.start(join(folder, "database"));
  atTheEnd(() => database.stop());
  const proxy = await FaultProxy.start(database.url);
  atTheEnd(() => proxy.close());
  const failing = await FailingProvider.start();
  const clocks = ShiftedClocks.prepare(folder, failing.preload);
  // The exchange keeps its journal with the installation's data.
  const dataDir = join(folder, "installation");
  const disk = SmallDisk.mount(dataDir, EXCHANGE_DISK);
  if (disk !== null) atTheEnd(() => disk.unmount());
  const product = await startProduct({
    dataDir,
    env: { ...clocks?.env, DATABASE_URL: proxy.through(database.url), SANDBOX_DATABASE_URL: provider.url, LOG_LEVEL: "error" },
  });
  atTheEnd(() => product.stop());
  const [, only = ""] = process.argv.slice(2);
  const faults = [
    ...faultsOfProcesses(product, proxy, disk),
    ...faultsOfDatabase(database, proxy),
    ...faultsOfNetwork(product),
    ...(clocks === null ? [] : [failing.fault()]),
    ...faultsOfProviders(product),
    ...faultsOfClocks(clocks),
  ];
  const notices = spawnSync("prometheus", ["--version"]).status === 0 ? await Notices.start(product, database.url, folder) : null;
  const installation = { product, notices, databaseUrl: database.url, healthy: () => exchangeIsReady(product) };
  return tryFaults(
    installation,
    faults.filter(({ name }) => name.includes(only)),
  );
});

/** A clock that jumps, and jumps back; the other programs' and the database's clocks are right. */
export function faultsOfClocks(clocks: ShiftedClocks | null): Fault[] {
  if (clocks === null) return [];
  return (["service", "exchange"] as const).flatMap((program) =>
    [MINUTES, -MINUTES].map((minutes) => ({
      // What the exchange's clock says is not used for money, and nobody need notice.
      ...(program === "service" ? { seen: "farline_clock_skew_seconds" } : {}),
      name: `${program}'s clock ${MINUTES} minutes ${minutes > 0 ? "ahead" : "behind"} for ${AWAY}`,
      survives: false,
      lastsMs: AWAY_MS,
      async strike() {
        clocks.shift(program, minutes);
        return () => clocks.shift(program, 0);
      },
    })),
  );
}
