import { checkLedgerProperties } from "@farline/server/test/ledger-property.ts";
import { startBenchPostgres } from "./bench-postgres.ts";
import { simulateWorld, type Failure } from "@farline/server/test/simulator/simulate-world.ts";

const OPERATIONS = Number(process.env["OPERATIONS"] ?? 1_000_000);
const CONNECTIONS = 24;
/** The average number of operations in a random history. */
const OPERATIONS_PER_WORLD = 340;
const REPORT_EVERY = 50_000;

/**
 * A million random operations, several on one account at the same time, each compared with the model. SEED repeats a
 * printed failure; OPERATIONS changes the count.
 */
export async function ledgerProperties(): Promise<Record<string, unknown>> {
  const seed = process.env["SEED"] === undefined ? Date.now() % 2 ** 31 : Number(process.env["SEED"]);
  console.log(`seed ${seed}`);
  // Crash safety is not tested here.
  const postgres = await startBenchPostgres({ poolSize: CONNECTIONS, settings: ["fsync=off", "synchronous_commit=off"] });
  try {
    const began = performance.now();
    let reported = 0;
    const operations = await checkLedgerProperties(postgres.handle, {
      worlds: Math.ceil(OPERATIONS / OPERATIONS_PER_WORLD),
      seed,
      done(count) {
        if (count < reported + REPORT_EVERY) return;
        reported = count;
        console.log(`${count} operations`);
      },
    });
    return {
      seed,
      operations,
      differences: 0,
      seconds: Math.round((performance.now() - began) / 1000),
      postgres: postgres.facts,
    };
  } finally {
    await postgres.close();
  }
}

const WORLDS = Number(process.env["WORLDS"] ?? 100_000);
/** Further failures are only counted. */
const MAX_PRINTED = 5;

/**
 * Simulates 100,000 worlds of payments, calls, crashes, silence and lost events, and checks every money rule after every
 * step. SEED repeats one printed failure; WORLDS changes the count.
 */
export async function moneyWorlds(): Promise<Record<string, unknown>> {
  const seed = process.env["SEED"];
  const [first, last] = seed === undefined ? [1, WORLDS] : [Number(seed), Number(seed)];
  const startedMs = performance.now();
  const failures: Failure[] = [];
  for (let one = first; one <= last; one++) {
    const failure = simulateWorld(one);
    if (failure !== null) failures.push(failure);
  }
  for (const { seed: broken, rule, trace } of failures.slice(0, MAX_PRINTED)) console.log(`seed ${broken}: ${rule}\n${trace}\n`);
  if (failures.length > 0) process.exitCode = 1;
  const seconds = (performance.now() - startedMs) / 1000;
  return {
    worlds: last - first + 1,
    broken: failures.length,
    seconds: Math.round(seconds),
    worldsPerSecond: Math.round((last - first + 1) / seconds),
  };
}
