import { join } from "node:path";
import { removeData, startProduct } from "@farline/e2e/support/product.ts";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { AcknowledgedWrites } from "./cluster/acknowledged-writes.ts";
import { Cluster } from "./cluster/cluster.ts";
import type { DatabaseServer } from "./cluster/database-server.ts";
import { atTheEnd, folder, requirePrograms, runDrill, say } from "./support/run-drill.ts";
import { type Fault, tryFaults } from "./support/fault-table.ts";

/**
 * A drill: the whole product on three PostgreSQL servers under Patroni (deploy/patroni), with payments and calls under way, while servers,
 * etcd and the proxy are killed. Exits with 2 if anything acknowledged is lost or doubled, or answered with an error other than 503.
 */
const BEFORE_REPAIR_MS = 5_000;
/** Longer than Patroni's `ttl`. */
const WITHOUT_ETCD_MS = 30_000;

await runDrill(async () => {
  requirePrograms("etcd", "patroni", "haproxy");
  const cluster = await Cluster.start(folder);
  atTheEnd(() => cluster.stop());
  const provider = await startLocalPostgres({ directory: join(folder, "provider") });
  atTheEnd(() => provider.stop());
  const product = await startProduct({
    env: { DATABASE_URL: cluster.url, SANDBOX_DATABASE_URL: provider.url, LOG_LEVEL: "error" },
  });
  atTheEnd(() => removeData(product));
  atTheEnd(() => product.stop());
  const writes = new AcknowledgedWrites(cluster.url);
  await writes.start();
  const booksAgree = await tryFaults(
    { product, notices: null, databaseUrl: cluster.url, healthy: () => cluster.healthy() },
    faultsOf(cluster),
  );
  await writes.stop();
  const lost = await writes.lost();
  say(`${writes.acknowledged} single commits were acknowledged, ${lost} of them are missing.`);
  return booksAgree && lost === 0;
});

function faultsOf(cluster: Cluster): readonly Fault[] {
  const survives = { survives: true, lastsMs: BEFORE_REPAIR_MS };
  const killed = (name: string, find: () => Promise<DatabaseServer>): Fault => ({
    ...survives,
    name: `${name} killed`,
    async strike() {
      const server = await find();
      await server.kill();
      return () => server.start();
    },
  });
  return [
    killed("primary", () => cluster.primary()),
    killed("synchronous standby", () => cluster.synchronousStandby()),
    {
      ...survives,
      name: "primary hangs",
      async strike() {
        const server = await cluster.primary();
        server.hang();
        return () => server.goOn();
      },
    },
    {
      ...survives,
      name: "one of three etcd killed",
      async strike() {
        const [store] = cluster.stores;
        await store?.kill();
        return () => store?.start();
      },
    },
    {
      ...survives,
      name: "two of three etcd killed",
      lastsMs: WITHOUT_ETCD_MS,
      async strike() {
        const two = cluster.stores.slice(1);
        for (const store of two) await store.kill();
        return () => two.map((store) => store.start());
      },
    },
    {
      name: "proxy killed, started again after 5 s",
      survives: false,
      lastsMs: BEFORE_REPAIR_MS,
      async strike() {
        await cluster.proxy.kill();
        return () => cluster.proxy.start();
      },
    },
  ];
}
