import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "@farline/voice/test/free-port.ts";
import { databaseUrlOf, freePortBlock, removeData, startProduct, type Product } from "@farline/e2e/support/product.ts";
import { CallLoad } from "./support/call-load.ts";
import { differences } from "./support/fault-table.ts";
import { outcomeOf } from "./support/page-load.ts";
import { Load } from "./support/payment-load.ts";
import { processOf } from "./support/processes.ts";
import { startProxy } from "./support/service-process.ts";
import { atTheEnd, folder, runDrill } from "./support/run-drill.ts";
import { until } from "./support/readiness.ts";

/**
 * A drill: drains two exchanges behind HAProxy (deploy/haproxy) one after the other and replaces them, twice, while callers call, hang up
 * and call again. Exits with 2 if a call fails, is cut, or is not settled as it should.
 */
const CALLS = { callers: 20, speaking: 20, talkMs: 4_000, everyMs: 7_000 };
const ROUNDS = 2;
const NOTICE_SECONDS = 4;
const BETWEEN_MS = 4_000;
const READY_WITHIN_MS = 60_000;
const EXCHANGE = fileURLToPath(new URL("../voice/src/main.ts", import.meta.url));

interface Place {
  readonly node: string;
  readonly port: number;
  readonly controlPort: number;
  /** For SIP and audio: each has the port from which the carrier takes calls. */
  readonly address: string;
}

await runDrill(async () => {
  const [first, door] = [await freePortBlock(), await freePort()];
  const places = [await placeOf("b", "127.0.0.2"), await placeOf("c", "127.0.0.3")];
  const nodes = [`a=http://127.0.0.1:${first + 6}`, ...places.map((at) => `${at.node}=http://127.0.0.1:${at.controlPort}`)].join(
    " ",
  );
  // The product's own exchange takes the service's commands; browsers know only the other two.
  const product = await startProduct({
    port: first,
    env: { VOICE_NODE: "a", VOICE_NODES: nodes, VOICE_WS_URL: `ws://localhost:${door}`, LOG_LEVEL: "error" },
  });
  atTheEnd(() => removeData(product));
  atTheEnd(() => product.stop());
  const env = await settingsOfExchange(product);
  const exchanges = await Promise.all(places.map((place) => startExchange(env, place)));
  atTheEnd(() => exchanges.map((exchange) => exchange.kill("SIGKILL")));
  startProxy("exchanges.cfg", { 3082: door, 3002: places[0]?.port ?? 0, 3012: places[1]?.port ?? 0 });
  await until("balancer", async () => (await outcomeOf(`http://127.0.0.1:${door}/readyz`)) === "200", READY_WITHIN_MS);

  const calls = new CallLoad(product, CALLS);
  calls.start();
  await pause(CALLS.everyMs);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, place] of places.entries()) {
      await pause(BETWEEN_MS);
      exchanges[index]?.kill("SIGTERM");
      await once(exchanges[index] ?? process, "exit");
      exchanges[index] = await startExchange(env, place);
    }
  await pause(BETWEEN_MS);
  await calls.stop();
  const wrong = await differences({ product, databaseUrl: databaseUrlOf(product) }, new Load(product.url), calls);
  await calls.leave();
  for (const one of wrong) process.stdout.write(`WRONG: ${one}\n`);
  const failures = JSON.stringify(Object.fromEntries(calls.failures));
  process.stdout.write(
    `${ROUNDS * places.length} restarts: ${calls.answered.size} calls, ${calls.failed} failed or cut: ${failures}\n`,
  );
  return calls.failed === 0 && calls.answered.size > 0 && wrong.length === 0;
});

async function placeOf(node: string, address: string): Promise<Place> {
  return { node, port: await freePort(), controlPort: await freePort(), address };
}

/** The settings that the product gives its exchange. */
async function settingsOfExchange(product: Product): Promise<Record<string, string>> {
  const pid = await processOf(product.pid, "voice/src/main.ts");
  const lines = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
  const {
    NODE_CHANNEL_FD: _,
    NODE_CHANNEL_SERIALIZATION_MODE: __,
    ...env
  } = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
  return env;
}

/** Without a supervisor, so that SIGTERM drains it. */
async function startExchange(env: Record<string, string>, place: Place): Promise<ChildProcess> {
  const exchange = spawn(process.execPath, [EXCHANGE], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...env,
      VOICE_NODE: place.node,
      VOICE_PORT: String(place.port),
      VOICE_CONTROL_PORT: String(place.controlPort),
      RTP_BIND_IP: place.address,
      VOICE_JOURNAL: join(folder, `${place.node}.journal`),
      STOP_NOTICE_SECONDS: String(NOTICE_SECONDS),
    },
  });
  const ready = async () => (await outcomeOf(`http://127.0.0.1:${place.port}/readyz`)) === "200";
  await until(`exchange ${place.node} that is ready`, ready, READY_WITHIN_MS);
  return exchange;
}
