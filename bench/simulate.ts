import { simulateWorld, type Failure } from "@farline/server/test/simulator/simulate-world.ts";

const WORLDS = Number(process.env["WORLDS"] ?? 100_000);
/** Further failures are only counted. */
const MAX_PRINTED = 5;

/**
 * Simulates 100,000 worlds of payments, calls, crashes, silence and lost events, and checks every money rule after every
 * step. SEED repeats one printed failure; WORLDS changes the count.
 */
export async function simulate(): Promise<Record<string, unknown>> {
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
