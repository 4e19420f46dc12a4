import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { startSandboxProcess } from "@farline/server/test/fakes/sandbox-process.ts";
import { atTheEnd, folder, runDrill } from "./support/run-drill.ts";
import { environment, freePort, SECRET_KEY, startService, WEBHOOK_SECRET } from "./support/service-process.ts";

/**
 * A drill: restarts two services behind HAProxy (deploy/haproxy) one after the other, twice, under load. Exits with 2 if any request
 * fails.
 */
const CLIENTS = 8;
const ROUNDS = 2;
const NOTICE_SECONDS = 4;
const BETWEEN_MS = 3_000;
const MAX_ATTEMPTS = 300;
const PATHS = ["/", "/rates", "/api/config", "/api/rates/countries", "/api/user"];
/** Without a session. */
const EXPECTED = new Set([200, 401]);
const CONFIG = new URL("../deploy/haproxy/haproxy.cfg", import.meta.url);

await runDrill(drill);

async function drill(): Promise<boolean> {
  const database = await startLocalPostgres({ directory: join(folder, "postgres") });
  atTheEnd(() => database.stop());
  const [door, ...ports] = [await freePort(), await freePort(), await freePort()];
  const sandbox = await startSandboxProcess({
    databaseUrl: database.url,
    stripeSecretKey: SECRET_KEY,
    stripeWebhookSecret: WEBHOOK_SECRET,
    stripeWebhookUrl: `http://127.0.0.1:${door}/api/webhooks/stripe`,
  });
  atTheEnd(() => sandbox.close());
  const start = (port: number) =>
    startService({
      ...environment(port, sandbox.url),
      PUBLIC_URL: `http://127.0.0.1:${door}`,
      DATABASE_URL: database.url,
      STOP_NOTICE_SECONDS: String(NOTICE_SECONDS),
    });
  const services = await Promise.all(ports.map(start));
  atTheEnd(() => services.map((service) => service.kill("SIGKILL")));
  await startProxy(door, ports);

  const results = new Map<string, number>();
  const over = new AbortController();
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = client; !over.signal.aborted; n++)
      count(results, await request(`http://127.0.0.1:${door}${PATHS[n % PATHS.length]}`));
  });
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, port] of ports.entries()) {
      await pause(BETWEEN_MS);
      services[index]?.kill("SIGTERM");
      await once(services[index] ?? process, "exit");
      services[index] = await start(port);
    }
  await pause(BETWEEN_MS);
  over.abort();
  await Promise.all(clients);
  process.stdout.write(`${ROUNDS * ports.length} restarts: ${JSON.stringify(Object.fromEntries(results))}\n`);
  return [...results.keys()].every((outcome) => EXPECTED.has(Number(outcome)));
}

async function startProxy(door: number, [one, two]: readonly number[]): Promise<void> {
  const config = readFileSync(CONFIG, "utf8")
    .replaceAll(":3080", `:${door}`)
    .replaceAll(":3000", `:${one}`)
    .replaceAll(":3010", `:${two}`);
  const path = join(folder, "haproxy.cfg");
  writeFileSync(path, config);
  const proxy = spawn("haproxy", ["-db", "-f", path], { stdio: "inherit" });
  atTheEnd(() => proxy.kill("SIGTERM"));
  for (let attempt = 0; (await request(`http://127.0.0.1:${door}/api/ready`)) !== "200"; attempt++) {
    if (attempt === MAX_ATTEMPTS) throw new Error("The proxy was not ready in time.");
    await pause(100);
  }
}

async function request(url: string): Promise<string> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return String(response.status);
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string }; message: string };
    return `failed: ${cause?.code ?? message}`;
  }
}

function count(results: Map<string, number>, outcome: string): void {
  results.set(outcome, (results.get(outcome) ?? 0) + 1);
}
