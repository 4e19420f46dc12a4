import { liveThrough, type Failure } from "@farline/server/test/simulator/live-world.ts";

const WORLDS = Number(process.env["WORLDS"] ?? 100_000);
/** Of the worlds in which a rule broke, so many are told; the rest are counted. */
const MOST_TOLD = 5;

/**
 * Lives through 100,000 worlds of payments, calls, crashes, silence and lost events, and checks every rule of the money
 * after every step. Set SEED to one that a failure printed to live through that one alone, WORLDS for more or fewer.
 */
export async function simulate(): Promise<Record<string, unknown>> {
  const seed = process.env["SEED"];
  const [first, last] = seed === undefined ? [1, WORLDS] : [Number(seed), Number(seed)];
  const startedMs = performance.now();
  const failures: Failure[] = [];
  for (let one = first; one <= last; one++) {
    const failure = liveThrough(one);
    if (failure !== null) failures.push(failure);
  }
  for (const { seed: broken, rule, trace } of failures.slice(0, MOST_TOLD)) console.log(`seed ${broken}: ${rule}\n${trace}\n`);
  if (failures.length > 0) process.exitCode = 1;
  const seconds = (performance.now() - startedMs) / 1000;
  return {
    worlds: last - first + 1,
    broken: failures.length,
    seconds: Math.round(seconds),
    worldsPerSecond: Math.round((last - first + 1) / seconds),
  };
}
