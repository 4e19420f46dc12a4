import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs the attacks of security/ at full size and prints a table of the attempts by kind. */
interface Row {
  tried: number;
  refused: number;
}

const results = mkdtempSync(join(tmpdir(), "farline-attempts-"));
const file = join(results, "attempts.jsonl");
try {
  const { status } = spawnSync("vitest", ["run", "--project", "security", ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, SECURITY_SIZE: "full", SECURITY_ATTEMPTS: file },
  });
  const rows = readAttempts();
  const total = sum([...rows.values()]);
  console.log(
    ["", line("kind of attempt", "tried", "refused", "succeeded"), ...[...rows].map(lineOf), lineOf(["all", total])].join("\n"),
  );
  process.exitCode = status === 0 && total.tried > 0 && total.tried === total.refused ? 0 : 1;
} finally {
  rmSync(results, { recursive: true, force: true });
}

function readAttempts(): Map<string, Row> {
  const rows = new Map<string, Row>();
  if (!existsSync(file)) return rows;
  for (const text of readFileSync(file, "utf8").trimEnd().split("\n")) {
    const { kind, outcome } = JSON.parse(text) as { kind: string; outcome: string };
    const row = rows.get(kind) ?? { tried: 0, refused: 0 };
    row.tried += 1;
    if (outcome === "refused") row.refused += 1;
    rows.set(kind, row);
  }
  return new Map([...rows].toSorted(([a], [b]) => a.localeCompare(b)));
}

function sum(rows: readonly Row[]): Row {
  return rows.reduce((all, row) => ({ tried: all.tried + row.tried, refused: all.refused + row.refused }), {
    tried: 0,
    refused: 0,
  });
}

function lineOf([kind, { tried, refused }]: readonly [string, Row]): string {
  return line(kind, String(tried), String(refused), String(tried - refused));
}

function line(kind: string, tried: string, refused: string, succeeded: string): string {
  return `${kind.padEnd(52)}${tried.padStart(8)}${refused.padStart(10)}${succeeded.padStart(11)}`;
}
