import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { judgeRun, type TestRun } from "./expected-failures.ts";

/**
 * `npm run test:previous [-- <commit> [<test files>]]` runs the service's tests of an earlier version, as it was, on a database that this version
 * has migrated: what happens while both run. Without a commit: the newest tag, or the parent of the last change of the schema.
 */
const SQL = ["server/migrations", "server/src/**/sql/*.sql"];
const [given, ...filters] = process.argv.slice(2);
const commit = given ?? newestTag() ?? `${git("log", "-1", "--format=%H", "--", ...SQL)}^`;
const folder = mkdtempSync(join(tmpdir(), "farline-previous-"));
// Interrupted, it still deletes the folder: the running command gets the signal too.
process.once("SIGINT", () => {});
try {
  console.log(`The tests of ${git("log", "-1", "--format=%h (%s)", commit)} on the schema of this version:`);
  const archive = execFileSync("git", ["archive", commit], { maxBuffer: Number.MAX_SAFE_INTEGER });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  // Each of its commands first installs its packages. The tests draw public pages.
  for (const command of [
    ["run", "--silent", "schema", "--", "--check"],
    ["run", "--silent", "build"],
  ])
    execFileSync("npm", command, { cwd: folder, stdio: "inherit" });
  const config = fileURLToPath(new URL("vitest.config.ts", import.meta.url));
  const results = join(folder, "previous-release.json");
  const reporters = ["--reporter", "default", "--reporter", "json", "--outputFile", results];
  const { status } = spawnSync(
    process.execPath,
    [join(folder, "node_modules/vitest/vitest.mjs"), "run", "--root", folder, "--config", config, ...reporters, ...filters],
    {
      cwd: folder,
      stdio: "inherit",
      env: { ...process.env, PREVIOUS_RELEASE: folder },
    },
  );
  const { expected, unexpected } = judgeRun(JSON.parse(readFileSync(results, "utf8")) as TestRun, folder);
  for (const { why, tests } of expected) console.log(`Expected, ${tests} tests: ${why}`);
  for (const name of unexpected) console.log(`Not expected: ${name}`);
  // Without failed tests, something else went wrong, such as an error outside of them.
  process.exitCode = status === 0 || (expected.length > 0 && unexpected.length === 0) ? 0 : (status ?? 1);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function newestTag(): string | undefined {
  const { status, stdout } = spawnSync("git", ["describe", "--tags", "--abbrev=0"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function git(...parameters: string[]): string {
  return execFileSync("git", parameters, { encoding: "utf8" }).trim();
}
