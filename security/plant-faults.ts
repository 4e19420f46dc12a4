import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findFaults, type Fault } from "./src/faults/find-faults.ts";
import { SUBJECTS } from "./src/faults/subjects.ts";

/**
 * `npm run test:faults -- <subject> …`: plants faults in what guards money, calls and access, one at a time, and runs the tests
 * that should notice. What survives is printed; it wants a test, or the guard is not needed.
 */
const PATIENCE_MS = 180_000;
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in SUBJECTS));
if (unknown.length > 0) {
  console.error(`There is no subject ${unknown.join(", ")}. Known: ${Object.keys(SUBJECTS).join(", ")}.`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), "farline-faults-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let survivors = 0;
for (const name of asked.length > 0 ? asked : Object.keys(SUBJECTS)) survivors += plantIn(name);
process.exitCode = survivors > 0 ? 1 : 0;

/** Plants every fault of a subject. Returns how many survived. */
function plantIn(name: string): number {
  const { files = [], tests = [] } = SUBJECTS[name] ?? {};
  const counts = { found: 0, late: 0, survived: 0 };
  for (const file of files)
    for (const fault of findFaults(readFileSync(file, "utf8"))) {
      const outcome = tryFault(resolve(file), fault, tests);
      counts[outcome] += 1;
      if (outcome === "survived") console.log(`  survived  ${file}:${fault.line}  ${fault.what}`);
    }
  console.log(`${name}: ${counts.found} found, ${counts.late} too slow, ${counts.survived} survived`);
  return counts.survived;
}

function tryFault(file: string, fault: Fault, tests: readonly string[]): "found" | "late" | "survived" {
  const planted = join(folder, "fault.json");
  writeFileSync(planted, JSON.stringify({ file, source: fault.source }));
  const { status, error } = spawnSync("vitest", ["run", "--config", "security/faults.config.ts", "--root", ".", ...tests], {
    env: { ...process.env, PLANTED_FAULT: planted },
    stdio: "ignore",
    timeout: PATIENCE_MS,
  });
  if (error !== undefined && (error as NodeJS.ErrnoException).code === "ETIMEDOUT") return "late";
  if (error !== undefined) throw error;
  return status === 0 ? "survived" : "found";
}
