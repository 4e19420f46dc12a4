import { setTimeout as pause } from "node:timers/promises";
import { ExchangeProcess } from "@farline/voice/test/exchange-process.ts";
import { BenchCall, startEchoingCarrier } from "./bench-call.ts";

const CALLS = Number(process.env["CALLS"] ?? 50);
const PACKETS_HEARD = 5;
/** The callers hang up one after the other during this time. */
const CALLS_END_WITHIN_MS = 20_000;
const SECONDS = 300;
const NOTICED_WITHIN_MS = 2_000;
const POLL_MS = 10;

/**
 * Live calls through an exchange that drains after `SIGTERM`: how many are cut before their caller hangs up (must be none), and
 * whether new browsers and new calls are refused during that time.
 */
export async function drain(): Promise<Record<string, unknown>> {
  const carrier = await startEchoingCarrier(CALLS, SECONDS);
  const exchange = await ExchangeProcess.start(carrier.port, { supervised: false, env: { MAX_CALLS: "200" } });
  try {
    const calls: BenchCall[] = [];
    const clients = [];
    for (let count = 0; count < CALLS; count += 1) {
      const client = await exchange.browser();
      clients.push(client);
      calls.push(await BenchCall.make(exchange, client, PACKETS_HEARD));
    }
    const ended = exchange.end("SIGTERM").then(() => performance.now());
    const began = performance.now();
    const readiness = await readinessOnceDraining(exchange);
    const newBrowserRefused = await exchange.browser().then(
      () => false,
      () => true,
    );
    const newCallRefused = await isRefused(clients[0]);
    let cut = 0;
    for (const call of calls) {
      await pause(CALLS_END_WITHIN_MS / CALLS);
      if (call.cut) cut += 1;
      else await call.hangUp();
    }
    const lastHangUp = performance.now();
    const endedAt = await ended;
    // SIPp has seen every call end properly.
    await carrier.done;
    for (const client of clients) client.drop();
    if (cut > 0 || !newBrowserRefused || !newCallRefused) process.exitCode = 1;
    return {
      calls: CALLS,
      cut,
      readiness,
      newBrowserRefused,
      newCallRefused,
      secondsOfDraining: Math.round((lastHangUp - began) / 1_000),
      millisecondsFromLastHangUpToExit: Math.round(endedAt - lastHangUp),
    };
  } finally {
    await exchange.close();
    await carrier.stop();
  }
}

/** The status of `/readyz` once the signal has arrived: the last one asked for if it stays 200 for two seconds. */
async function readinessOnceDraining(exchange: ExchangeProcess): Promise<number> {
  const until = performance.now() + NOTICED_WITHIN_MS;
  let status = await exchange.readiness();
  while (status === 200 && performance.now() < until) {
    await pause(POLL_MS);
    status = await exchange.readiness();
  }
  return status;
}

async function isRefused(client: Awaited<ReturnType<ExchangeProcess["browser"]>> | undefined): Promise<boolean> {
  if (client === undefined) return false;
  const callID = crypto.randomUUID();
  await client.invite(callID, "v=0\r\n");
  const end = await client.next("bye");
  return end.params?.["callID"] === callID && end.params["sipCode"] === 503;
}
