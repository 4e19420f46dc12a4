import { checkLedgerProperties } from "@farline/server/test/ledger-property.ts";
import { startBenchPostgres } from "./bench-postgres.ts";

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
