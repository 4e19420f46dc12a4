import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const PROGRAMS = {
  "npm start": [fileURLToPath(new URL("../main.ts", import.meta.url)), "start"],
  "npm run dev": [fileURLToPath(new URL("../../../tools/dev/main.ts", import.meta.url))],
};
type Program = keyof typeof PROGRAMS;
const PORTS = ["PORT", "SANDBOX_PORT", "VOICE_PORT", "SANDBOX_SIP_PORT", "SIP_PORT", "SANDBOX_SMTP_PORT", "VOICE_CONTROL_PORT"];

let folder: string;
/** A database that accepts connections and never answers, as behind a firewall or while it recovers. */
let database: Server;
const connections = new Set<Socket>();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "farline-start-"));
  database = createServer((socket) => connections.add(socket.on("error", () => undefined)));
  await once(database.listen(0, "127.0.0.1"), "listening");
});
afterEach(async () => {
  for (const socket of connections) socket.destroy();
  connections.clear();
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The command, once one of its programs waits for the database. */
async function startWaiting(program: Program, stdout: "ignore" | number = "ignore"): Promise<ChildProcess> {
  const env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    DATA_DIR: folder,
    DATABASE_URL: `postgres://farline:secret@127.0.0.1:${(database.address() as AddressInfo).port}/farline`,
  };
  for (const name of PORTS) env[name] = String(await freePort());
  const child = spawn(process.execPath, PROGRAMS[program], { env, stdio: ["ignore", stdout, "ignore"] });
  await Promise.race([once(database, "connection"), once(child, "exit")]);
  return child;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await probe[Symbol.asyncDispose]();
  return port;
}

test.each([
  ["npm start", "SIGINT"],
  ["npm start", "SIGTERM"],
  ["npm run dev", "SIGHUP"],
] as const)("%s that waits for the database ends at once with %s", async (program, signal) => {
  const child = await startWaiting(program);
  const exited = once(child, "exit");
  child.kill(signal);
  expect(await exited).toEqual([0, null]);
});

test.each(["npm start", "npm run dev"] as const)("a full disk below the log does not end the programs of %s", async (program) => {
  const full = openSync("/dev/full", "w");
  const child = await startWaiting(program, full);
  closeSync(full);
  expect(child.exitCode).toBeNull();
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});
