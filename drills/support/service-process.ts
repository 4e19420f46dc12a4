import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { startSandboxProcess } from "@farline/server/test/fakes/sandbox-process.ts";
import { SCRIPTS } from "./processes.ts";
import { untilGood } from "./readiness.ts";
import { atTheEnd, folder, requirePrograms } from "./run-drill.ts";

const DEPLOY = new URL("../../deploy/haproxy/", import.meta.url);

const SECRET_KEY = "sk_test_drill";
const WEBHOOK_SECRET = "whsec_drill";
const READY_WITHIN_MS = 60_000;
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The settings of a drill's service. */
export function environment(port: number, sandboxUrl: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SANDBOX_URL: sandboxUrl,
    STRIPE_API_BASE: sandboxUrl,
    STRIPE_SECRET_KEY: SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    TELNYX_API_BASE: sandboxUrl,
    TELNYX_API_KEY: "KEY1",
    TELNYX_PUBLIC_KEY: Buffer.alloc(32).toString("base64"),
    TELNYX_CONNECTION_ID: "1",
    LIMITS_SCALE: "0",
    LOG_LEVEL: "error",
  };
}

/** Starts a service as a process of its own. @throws Error if it is not ready in time */
export async function startService(env: Record<string, string>): Promise<ChildProcess> {
  const child = fork(join(ROOT, SCRIPTS.service), [], { env, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The service was not ready in time.")), READY_WITHIN_MS);
    child.once("message", () => {
      clearTimeout(timer);
      resolve();
    });
    child.once("exit", () => reject(new Error("The service ended.")));
  });
  return child;
}

/** Starts an exchange as a process of its own, without a supervisor, so that SIGTERM drains it. @throws Error if it is not ready in time */
export async function startExchange(port: number, env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(ROOT, SCRIPTS.exchange)], { env, stdio: ["ignore", "ignore", "inherit"] });
  await untilGood(`http://127.0.0.1:${port}/readyz`);
  return child;
}

/** A program that a drill stops and starts again. */
export interface Program {
  restart(): Promise<void>;
}

/** Starts a program, which runs until the end of the drill. */
export async function restartable(start: () => Promise<ChildProcess>): Promise<Program> {
  let child = await start();
  atTheEnd(() => child.kill("SIGKILL"));
  return {
    async restart() {
      child.kill("SIGTERM");
      await once(child, "exit");
      child = await start();
    },
  };
}

/** PostgreSQL, and the sandbox in its own process, until the end of the drill. @param url of the service, to which webhooks go */
export async function startOutside(url: string, webhookSecret = WEBHOOK_SECRET) {
  const database = await startLocalPostgres({ directory: join(folder, "postgres") });
  atTheEnd(() => database.stop());
  const sandbox = await startSandboxProcess({
    databaseUrl: database.url,
    stripeSecretKey: SECRET_KEY,
    stripeWebhookSecret: webhookSecret,
    stripeWebhookUrl: `${url}/api/webhooks/stripe`,
  });
  atTheEnd(() => sandbox.close());
  return { database, sandbox };
}

/** Settings whose values stand in files of a folder, as `cli keys` makes them. They take the place of values in the settings. */
export function keyFiles(folder: string, ...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => [
      [`${name}_FILE`, join(folder, name)],
      [name, ""],
    ]),
  );
}

/** The trunk file of an exchange whose carrier is the sandbox. @param port of its phone network, on this machine */
export function sandboxTrunks(port: number): string {
  return JSON.stringify([{ name: "sandbox", host: "127.0.0.1", port, username: "sandbox", password: "sandbox" }]);
}

/**
 * Starts HAProxy with the shipped defaults and the proxies of a file of deploy/haproxy, until the end of the drill.
 * @param ports the ports to use instead of the file's
 */
export function startProxy(
  file: "haproxy.cfg" | "exchanges.cfg" | "commands.cfg",
  ports: Readonly<Record<number, number | undefined>>,
): void {
  requirePrograms("haproxy");
  const [defaults = "", services = ""] = shipped("haproxy.cfg").split(/(?=^frontend)/m);
  const proxies = file === "haproxy.cfg" ? services : shipped(file);
  const path = join(folder, file);
  writeFileSync(path, `${defaults}${proxies.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, (port) => String(ports[Number(port)]))}`);
  const proxy = spawn("haproxy", ["-db", "-f", path], { stdio: "inherit" });
  atTheEnd(() => proxy.kill("SIGTERM"));
}

function shipped(name: string): string {
  return readFileSync(new URL(name, DEPLOY), "utf8");
}
