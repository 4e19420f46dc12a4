import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Half of them use one core, some of them both. */
const AT_ONCE = 2;

/** Runs all static checks; any failure fails the command. */
const checks: readonly [string, readonly string[]][] = [
  ["types", ["tsc", "-p", "tsconfig.json"]],
  ["types of the web app", ["tsc", "-p", "web/tsconfig.json"]],
  ["types of the service worker", ["tsc", "-p", "web/src/worker/tsconfig.json"]],
  ["types of the browser tests", ["tsc", "-p", "e2e/tsconfig.json"]],
  ["lint", ["oxlint", "--type-aware", "--deny-warnings"]],
  ["format", ["oxfmt", "--check", "."]],
  [
    "dependency directions",
    [
      "depcruise",
      "--config",
      ".dependency-cruiser.cjs",
      "contract",
      "domain",
      "texts",
      "server",
      "voice",
      "sandbox",
      "web/src",
      "cli",
      "e2e",
      "security",
    ],
  ],
  ["unused code and packages", ["knip"]],
  ["database schema", ["node", "server/test/schema/renew-schema.ts", "--check"]],
  ["locks of migrations", ["node", "tools/check-migrations.ts"]],
  ["tables: could they move, how long are they kept", ["node", "tools/check-tables.ts"]],
  ["paths named in documents, files per folder", ["node", "tools/check-paths.ts"]],
  ["settings' reference and example", ["node", "tools/write-settings.ts", "--check"]],
  ["texts of the web app", ["node", "tools/check-texts.ts"]],
  ["styles of components", ["node", "tools/check-styles.ts"]],
  ["licences and known faults of packages", ["node", "tools/check-packages.ts"]],
  ["what supported browsers lack", ["node", "tools/check-browsers.ts"]],
  ["budget of the dialer's scripts", ["node", "tools/check-bundle.ts"]],
];

let failed = 0;
const waiting = checks.values();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const [name, [program = "", ...args]] of waiting) {
      const began = performance.now();
      const { ok, output } = await outcomeOf(program, args);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`${ok ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
      if (!ok) failed += 1;
      // A check that passes may still have something to say.
      if (output !== "") console.log(output.trimEnd());
    }
  }),
);
if (failed > 0) {
  console.log(`${failed} of ${checks.length} checks failed.`);
  process.exitCode = 1;
}

async function outcomeOf(program: string, args: readonly string[]): Promise<{ ok: boolean; output: string }> {
  try {
    const { stderr } = await run(program, args, { maxBuffer: 64 * 1024 * 1024 });
    return { ok: true, output: stderr };
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    return { ok: false, output: `${stdout}${stderr}` || message };
  }
}
