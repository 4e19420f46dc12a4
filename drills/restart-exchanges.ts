import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@farline/voice/test/free-port.ts";
import { databaseUrlOf, freePortBlock, removeData, startProduct, type Product } from "@farline/e2e/support/product.ts";
import { CallLoad } from "./support/call-load.ts";
import { differences } from "./support/fault-table.ts";
import { Load } from "./support/payment-load.ts";
import { environmentOf, processOf, SCRIPTS } from "./support/processes.ts";
import { untilGood } from "./support/readiness.ts";
import { atTheEnd, folder, runDrill, say } from "./support/run-drill.ts";
import { restartable, startExchange, startProxy } from "./support/service-process.ts";

/**
 * A drill: drains two exchanges behind HAProxy (deploy/haproxy) one after the other and replaces them, twice, while callers call, hang up
 * and call again. Exits with 2 if a call fails, is cut, or is not settled as it should.
 */
const CALLS = { callers: 20, speaking: 20, talkMs: 4_000, everyMs: 7_000 };
const ROUNDS = 2;
const NOTICE_SECONDS = 4;
const BETWEEN_MS = 4_000;

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
  const exchanges = await Promise.all(
    places.map((place) => restartable(() => startExchange(place.port, settingsAt(place, env)))),
  );
  startProxy("exchanges.cfg", { 3082: door, 3002: places[0]?.port ?? 0, 3012: places[1]?.port ?? 0 });
  await untilGood(`http://127.0.0.1:${door}/readyz`);

  const calls = new CallLoad(product, CALLS);
  calls.start();
  await pause(CALLS.everyMs);
  for (let round = 0; round < ROUNDS; round++)
    for (const exchange of exchanges) {
      await pause(BETWEEN_MS);
      await exchange.restart();
    }
  await pause(BETWEEN_MS);
  await calls.stop();
  const wrong = await differences({ product, databaseUrl: databaseUrlOf(product) }, new Load(product.url), calls);
  await calls.leave();
  for (const one of wrong) say(`WRONG: ${one}`);
  const failures = JSON.stringify(Object.fromEntries(calls.failures));
  say(`${ROUNDS * places.length} restarts: ${calls.answered.size} calls, ${calls.failed} failed or cut: ${failures}`);
  return calls.failed === 0 && calls.answered.size > 0 && wrong.length === 0;
});

async function placeOf(node: string, address: string): Promise<Place> {
  return { node, port: await freePort(), controlPort: await freePort(), address };
}

/** The settings that the product gives its exchange. */
async function settingsOfExchange(product: Product): Promise<Record<string, string>> {
  const pid = await processOf(product.pid, SCRIPTS.exchange);
  const { NODE_CHANNEL_FD: _, NODE_CHANNEL_SERIALIZATION_MODE: __, ...env } = environmentOf(pid);
  return env;
}

function settingsAt(place: Place, env: Record<string, string>): Record<string, string> {
  return {
    ...env,
    VOICE_NODE: place.node,
    VOICE_PORT: String(place.port),
    VOICE_CONTROL_PORT: String(place.controlPort),
    RTP_BIND_IP: place.address,
    VOICE_JOURNAL: join(folder, `${place.node}.journal`),
    STOP_NOTICE_SECONDS: String(NOTICE_SECONDS),
  };
}
