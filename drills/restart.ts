import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@farline/voice/test/free-port.ts";
import { PageLoad } from "./support/page-load.ts";
import { untilGood } from "./support/readiness.ts";
import { runDrill, say } from "./support/run-drill.ts";
import { environment, restartable, startOutside, startProxy, startService } from "./support/service-process.ts";

/**
 * A drill: restarts two services behind HAProxy (deploy/haproxy) one after the other, twice, under load. Exits with 2 if any request
 * fails.
 */
const CLIENTS = 8;
const ROUNDS = 2;
const NOTICE_SECONDS = 4;
const BETWEEN_MS = 3_000;

await runDrill(async () => {
  const [door, ...ports] = [await freePort(), await freePort(), await freePort()];
  const url = `http://127.0.0.1:${door}`;
  const { database, sandbox } = await startOutside(url);
  const services = await Promise.all(
    ports.map((port) =>
      restartable(() =>
        startService({
          ...environment(port, sandbox.url),
          PUBLIC_URL: url,
          DATABASE_URL: database.url,
          STOP_NOTICE_SECONDS: String(NOTICE_SECONDS),
        }),
      ),
    ),
  );
  const [one, two] = ports;
  startProxy("haproxy.cfg", { 3080: door, 3000: one, 3010: two });
  await untilGood(`${url}/api/ready`);
  const pages = new PageLoad(url, { clients: CLIENTS, everyMs: 0 });
  pages.start();
  for (let round = 0; round < ROUNDS; round++)
    for (const service of services) {
      await pause(BETWEEN_MS);
      await service.restart();
    }
  await pause(BETWEEN_MS);
  await pages.stop();
  say(`${ROUNDS * services.length} restarts: ${JSON.stringify(Object.fromEntries(pages.outcomes))}`);
  return pages.failed === 0;
});
