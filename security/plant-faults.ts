import { globSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { findFaults } from "./src/faults/find-faults.ts";
import { findSqlFaults } from "./src/faults/find-sql-faults.ts";
import { SUBJECTS } from "./src/faults/subjects.ts";
import { openTestBench, type TestBench, type Verdict } from "./src/faults/test-bench.ts";

/**
 * `npm run test:faults -- <subject> … [--file <path>[:<line>]]`: plants faults in the guards of money, calls and access, one at
 * a time, and runs the tests that should fail. Survivors are printed: each needs a test, unless its guard is unnecessary.
 */
const { positionals: asked, values } = parseArgs({ allowPositionals: true, options: { file: { type: "string" } } });
const [onlyFile, onlyLine] = values.file?.split(":") ?? [];
const unknown = asked.filter((name) => !(name in SUBJECTS));
if (unknown.length > 0) {
  console.error(`Unknown subject ${unknown.join(", ")}. Known: ${Object.keys(SUBJECTS).join(", ")}.`);
  process.exit(1);
}

const bench = await openTestBench();
try {
  let survived = 0;
  for (const name of asked.length > 0 ? asked : Object.keys(SUBJECTS)) survived += await plantIn(name, bench);
  process.exitCode = survived > 0 ? 1 : 0;
} finally {
  await bench.close();
}

/** Plants every fault of a subject. Returns how many survived. */
async function plantIn(name: string, bench: TestBench): Promise<number> {
  const { files = [], tests = [] } = SUBJECTS[name] ?? {};
  await bench.choose(tests);
  const total = { found: 0, "too slow": 0, survived: 0 };
  for (const file of globSync(files).filter((one) => onlyFile === undefined || one === onlyFile)) {
    const began = performance.now();
    const counts = await plantInFile(file, bench);
    for (const verdict of ["found", "too slow", "survived"] as const) total[verdict] += counts[verdict];
    console.log(`  ${summary(counts)}  ${file} (${((performance.now() - began) / 1000).toFixed(0)} s)`);
  }
  console.log(`${name}: ${summary(total)}`);
  return total.survived;
}

async function plantInFile(file: string, bench: TestBench): Promise<Record<Verdict, number>> {
  const counts = { found: 0, "too slow": 0, survived: 0 };
  const find = file.endsWith(".sql") ? findSqlFaults : findFaults;
  for (const fault of find(readFileSync(file, "utf8"))) {
    if (onlyLine !== undefined && fault.line !== Number(onlyLine)) continue;
    const verdict = await bench.judge(file, fault.source);
    counts[verdict] += 1;
    if (verdict === "survived") console.log(`  survived  ${file}:${fault.line}  ${fault.what}`);
  }
  return counts;
}

function summary({ found, "too slow": slow, survived }: Record<Verdict, number>): string {
  return `${found + slow + survived} planted, ${found} found, ${slow} too slow, ${survived} survived`;
}
