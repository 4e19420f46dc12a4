import { fork, spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atTheEnd, folder, requirePrograms } from "./run-drill.ts";

const DEPLOY = new URL("../../deploy/haproxy/", import.meta.url);

export const SECRET_KEY = "sk_test_drill";
export const WEBHOOK_SECRET = "whsec_drill";
const READY_WITHIN_MS = 60_000;
const SERVICE = fileURLToPath(new URL("../../server/src/main.ts", import.meta.url));

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
  const child = fork(SERVICE, [], { env, execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
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
