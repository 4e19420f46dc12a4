import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { removeData, startProduct } from "@farline/e2e/support/product.ts";
import { until } from "./support/until.ts";
import { openDatabase } from "@farline/server/platform/database/database.ts";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { verifyLedger } from "@farline/server/ledger/verify-ledger.ts";
import { AcknowledgedWrites } from "./cluster/acknowledged-writes.ts";
import { Cluster } from "./cluster/cluster.ts";
import { CallLoad } from "./support/call-load.ts";
import { compareBooks } from "./support/compare-books.ts";
import { Load } from "./support/payment-load.ts";

/**
 * A drill: the whole product on three PostgreSQL servers under Patroni (deploy/patroni), with payments and calls under way, while servers,
 * etcd and the proxy are killed. Compares what was acknowledged with the ledger and the payment provider. Exits with 2 if anything is
 * lost, doubled or answered with an error other than 503.
 */
const SERVING_WITHIN_MS = 90_000;
const BEFORE_REPAIR_MS = 5_000;
const BETWEEN_MS = 5_000;
/** Longer than Patroni's `ttl`. */
const WITHOUT_ETCD_MS = 30_000;

interface Fault {
  readonly name: string;
  readonly lastsMs: number;
  /** @returns how it is repaired */
  strike(cluster: Cluster): Promise<() => unknown>;
}

const FAULTS: readonly Fault[] = [
  {
    name: "primary killed",
    lastsMs: BEFORE_REPAIR_MS,
    async strike(cluster) {
      const server = await cluster.primary();
      await server.kill();
      return () => server.start();
    },
  },
  {
    name: "synchronous standby killed",
    lastsMs: BEFORE_REPAIR_MS,
    async strike(cluster) {
      const server = await cluster.synchronousStandby();
      await server.kill();
      return () => server.start();
    },
  },
  {
    name: "primary hangs",
    lastsMs: BEFORE_REPAIR_MS,
    async strike(cluster) {
      const server = await cluster.primary();
      server.hang();
      return () => server.goOn();
    },
  },
  {
    name: "one etcd killed",
    lastsMs: BEFORE_REPAIR_MS,
    async strike({ stores: [store] }) {
      await store?.kill();
      return () => store?.start();
    },
  },
  {
    name: "two etcd killed",
    lastsMs: WITHOUT_ETCD_MS,
    async strike({ stores }) {
      const two = stores.slice(1);
      for (const store of two) await store.kill();
      return () => two.map((store) => store.start());
    },
  },
  {
    name: "proxy killed",
    lastsMs: 0,
    async strike({ proxy }) {
      await proxy.kill();
      await pause(BEFORE_REPAIR_MS);
      proxy.start();
      return () => {};
    },
  },
];

const folder = mkdtempSync(join(tmpdir(), "farline-drill-"));
const undo: (() => unknown)[] = [];
let passed = false;
try {
  passed = await drill();
} finally {
  for (const step of undo.toReversed()) await step();
  if (passed) rmSync(folder, { recursive: true, force: true });
  else say(`The cluster's logs are in ${folder}.`);
}
process.exitCode = passed ? 0 : 2;

async function drill(): Promise<boolean> {
  const cluster = await startCluster();
  const provider = await startLocalPostgres({ directory: join(folder, "provider") });
  undo.push(() => provider.stop());
  const product = await startProduct({
    env: { DATABASE_URL: cluster.url, SANDBOX_DATABASE_URL: provider.url, LOG_LEVEL: "error" },
  });
  undo.push(
    () => removeData(product),
    () => product.stop(),
  );
  const writes = new AcknowledgedWrites(cluster.url);
  await writes.start();
  const load = new Load(product.url);
  load.start();
  const calls = new CallLoad(product);
  calls.start();
  await pause(BETWEEN_MS);

  say("fault | seconds without a commit | answers of the service meanwhile");
  const faults: string[] = [];
  for (const fault of FAULTS) {
    const { gapSeconds, outcomes } = await watch(fault, { cluster, url: product.url, writes, load });
    say(`${fault.name} | ${gapSeconds.toFixed(1)} | ${outcomes.map((outcome) => outcome.join(": ")).join(", ")}`);
    for (const [outcome, count] of outcomes)
      if (isError(outcome)) faults.push(`${fault.name}: ${count} requests were answered ${outcome}`);
  }

  await Promise.all([load.stop(), calls.stop(), writes.stop()]);
  const lost = await writes.lost();
  faults.push(
    ...(await calls.compare(cluster.url)),
    ...(await compareBooks({
      databaseUrl: cluster.url,
      stripe: { url: product.sandboxUrl, key: stripeKeyOf(product.dataDir) },
      load,
      others: calls.customers,
    })),
    ...(await driftOf(cluster.url)),
    ...(lost > 0 ? [`${lost} acknowledged commits are missing`] : []),
  );
  for (const fault of faults) say(`WRONG: ${fault}`);
  say(
    `${load.paid.size} payments, ${calls.answered.size} answered calls and ${writes.acknowledged} commits were acknowledged; ${calls.failed} calls were not answered. ${faults.length} faults.`,
  );
  return faults.length === 0;
}

async function startCluster(): Promise<Cluster> {
  const cluster = await Cluster.start(folder);
  undo.push(() => cluster.stop());
  return cluster;
}

async function watch(
  fault: Fault,
  { cluster, url, writes, load }: { cluster: Cluster; url: string; writes: AcknowledgedWrites; load: Load },
): Promise<{ gapSeconds: number; outcomes: readonly (readonly [outcome: string, count: number])[] }> {
  load.outcomes.clear();
  writes.takeLongestGapMs();
  const repair = await fault.strike(cluster);
  await pause(fault.lastsMs);
  await until("service that is ready", () => isReady(url), SERVING_WITHIN_MS);
  await repair();
  await cluster.healthy();
  await pause(BETWEEN_MS);
  return { gapSeconds: writes.takeLongestGapMs() / 1_000, outcomes: [...load.outcomes] };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/api/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function isError(outcome: string): boolean {
  const status = Number(outcome);
  return status >= 500 && status !== 503;
}

async function driftOf(url: string): Promise<string[]> {
  const handle = openDatabase(url, 2, pino({ level: "silent" }));
  try {
    return (await verifyLedger(handle.db)).map(({ check, id }) => `the ledger's ${check} is wrong for ${id}`);
  } finally {
    await handle.close();
  }
}

function stripeKeyOf(dataDir: string): string {
  return (JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8")) as { stripeSecretKey: string }).stripeSecretKey;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
