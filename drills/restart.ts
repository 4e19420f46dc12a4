import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@farline/voice/test/free-port.ts";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { startSandboxProcess } from "@farline/server/test/fakes/sandbox-process.ts";
import { outcomeOf, PageLoad } from "./support/page-load.ts";
import { startProxy, environment, SECRET_KEY, startService, WEBHOOK_SECRET } from "./support/service-process.ts";
import { atTheEnd, folder, runDrill } from "./support/run-drill.ts";
import { until } from "./support/readiness.ts";

/**
 * A drill: restarts two services behind HAProxy (deploy/haproxy) one after the other, twice, under load. Exits with 2 if any request
 * fails.
 */
const CLIENTS = 8;
const ROUNDS = 2;
const NOTICE_SECONDS = 4;
const BETWEEN_MS = 3_000;
const READY_WITHIN_MS = 30_000;

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
  const [one, two] = ports;
  startProxy("haproxy.cfg", { 3080: door, 3000: one, 3010: two });
  await until("balancer", async () => (await outcomeOf(`http://127.0.0.1:${door}/api/ready`)) === "200", READY_WITHIN_MS);

  const pages = new PageLoad(`http://127.0.0.1:${door}`, { clients: CLIENTS, everyMs: 0 });
  pages.start();
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, port] of ports.entries()) {
      await pause(BETWEEN_MS);
      services[index]?.kill("SIGTERM");
      await once(services[index] ?? process, "exit");
      services[index] = await start(port);
    }
  await pause(BETWEEN_MS);
  await pages.stop();
  process.stdout.write(`${ROUNDS * ports.length} restarts: ${JSON.stringify(Object.fromEntries(pages.outcomes))}\n`);
  return pages.failed === 0;
}
