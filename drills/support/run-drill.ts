import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** Where a drill keeps its files; deleted at its end. Others may pass through it, because PostgreSQL never runs as root. */
export const folder = mkdtempSync(join(tmpdir(), "farline-drill-"));
chmodSync(folder, 0o711);

const steps: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];

/** @throws Error with the names of the programs that are not installed */
export function requirePrograms(...names: readonly string[]): void {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];
  const missing = names.filter((name) => !folders.some((one) => existsSync(join(one, name))));
  if (missing.length > 0) throw new Error(`Not installed: ${missing.join(", ")}.`);
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Has a step done at the end of the drill, also if it fails, crashes or is interrupted. The latest step comes first. */
export function atTheEnd(step: () => unknown): void {
  steps.push(step);
}

/** Runs a drill. The exit code is 2 if it finds a fault. @param drill returns whether all was well */
export async function runDrill(drill: () => Promise<boolean>): Promise<void> {
  const exit = () => void cleanUp().finally(() => process.exit(1));
  // npm passes on the signal that the terminal has sent as well.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, exit);
  // Otherwise what the drill has started would go on without it.
  process.on("uncaughtException", (error) => {
    console.error(error);
    exit();
  });
  try {
    process.exitCode = (await drill()) ? 0 : 2;
  } finally {
    await cleanUp();
  }
}

let cleaning: Promise<void> | null = null;

function cleanUp(): Promise<void> {
  return (cleaning ??= (async () => {
    for (const step of steps.toReversed()) await step();
  })());
}
