import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { settleWithin } from "@farline/domain/durations.ts";

const MAIN = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));
const READY_LIMIT_MS = 300_000;
const PORTS_PER_PRODUCT = 7;

/** The whole product as `npm start` runs it, on its own ports and data directory. */
export interface Product {
  readonly url: string;
  readonly sandboxUrl: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Time from the start command until it reports that it is ready. */
  readonly startedInMs: number;
  /** The last 2,000 lines of output. */
  readonly lines: readonly string[];
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

/**
 * Starts the product. Pass the `dataDir` of an earlier one to start on its data.
 * @throws Error with the last lines when it does not become ready
 */
export async function startProduct(
  options: { dataDir?: string; port?: number; env?: Record<string, string> } = {},
): Promise<Product> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "farline-e2e-"));
  const port = options.port ?? (await freePortBlock());
  const began = performance.now();
  const child = spawn(process.execPath, [MAIN, "start"], {
    env: { ...process.env, NODE_OPTIONS: "", PORT: String(port), DATA_DIR: dataDir, LIMITS_SCALE: "0", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const ready = new Promise<"ready">((settle) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        if (lines.push(line) > 2_000) lines.shift();
        if (line.includes("Ready in")) settle("ready");
      });
    }
  });
  const exited = new Promise<number | null>((settle) => child.once("exit", (code) => settle(code)));
  const first = await settleWithin(Promise.race([ready, exited]), READY_LIMIT_MS, () => "too late" as const);
  if (first !== "ready") {
    if (first === "too late") await stop(child, exited);
    throw new Error(`The product did not start (${String(first)}):\n${lines.slice(-30).join("\n")}`);
  }
  return {
    url: `http://localhost:${port}`,
    sandboxUrl: `http://localhost:${port + 1}`,
    dataDir,
    pid: child.pid ?? 0,
    startedInMs: performance.now() - began,
    lines,
    exited,
    stop: () => stop(child, exited),
  };
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  await exited;
}

/** Deletes a stopped product's data. */
export function removeData(product: Product): void {
  rmSync(product.dataDir, { recursive: true, force: true });
}

/** Connection string of the product's PostgreSQL, read from its data directory as an operator would. */
export function databaseUrlOf(product: Product): string {
  const password = readFileSync(join(product.dataDir, "postgres", "password"), "utf8").trim();
  const port = readFileSync(join(product.dataDir, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[3];
  return `postgres://farline:${password}@127.0.0.1:${port}/farline`;
}

/** The product uses PORT and the next few ports, so this finds a range in which all are free. */
export async function freePortBlock(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const free = await Promise.all(Array.from({ length: PORTS_PER_PRODUCT }, (_, offset) => isFree(first + offset)));
    if (free.every(Boolean)) return first;
  }
  throw new Error("No range of free ports was found.");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once("error", () => settle(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => settle(true)));
  });
}
