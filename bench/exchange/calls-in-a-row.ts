import { setTimeout as pause } from "node:timers/promises";
import { ExchangeProcess } from "@farline/voice/test/exchange-process.ts";
import { BenchCall, startEchoingCarrier } from "./bench-call.ts";
import { childrenOf, type ProcessUsage, usageOf } from "./process-usage.ts";

const CALLS = Number(process.env["CALLS"] ?? 2_000);
/** Until memory and compiled code are what they are in use. */
const WARM_UP = 200;
const AT_A_TIME = 8;
/** A quarter of a second of sound. */
const PACKETS_HEARD = 12;
/** The slowest pace of the exchange for one account is five new calls a second. */
const CALL_TAKES_AT_LEAST_MS = 250;
/** SIP remembers a call for 32 seconds. */
const SETTLE_MS = 40_000;
const SECONDS = 3_600;
/** The records of ended calls are kept for an hour; the rest is the collector's freedom. */
const MAX_GROWTH_MIB = 60;

/**
 * Calls one after the other, some at a time, through an exchange process and SIPp: memory, descriptors and UDP ports of the exchange and its
 * media process after a warm-up and at the end. Fails when a port or descriptor is lost, or memory grows by more than 60 MiB.
 */
export async function callsInARow(): Promise<Record<string, unknown>> {
  const carrier = await startEchoingCarrier(WARM_UP + CALLS, SECONDS);
  const exchange = await ExchangeProcess.start(carrier.port);
  try {
    const began = performance.now();
    await callMany(exchange, WARM_UP);
    await pause(SETTLE_MS);
    const before = usageOfBoth(exchange);
    await callMany(exchange, CALLS);
    await pause(SETTLE_MS);
    const after = usageOfBoth(exchange);
    const lost = [...lostIn("exchange", before.exchange, after.exchange), ...lostIn("media process", before.media, after.media)];
    if (lost.length > 0) process.exitCode = 1;
    return { calls: CALLS, atATime: AT_A_TIME, seconds: Math.round((performance.now() - began) / 1_000), before, after, lost };
  } finally {
    await exchange.close();
    await carrier.stop();
  }
}

async function callMany(exchange: ExchangeProcess, calls: number): Promise<void> {
  const waiting = Array.from({ length: calls }).entries();
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      const client = await exchange.browser();
      for (const _ of waiting) {
        const paced = pause(CALL_TAKES_AT_LEAST_MS);
        const call = await BenchCall.make(exchange, client, PACKETS_HEARD);
        await call.hangUp();
        client.received.length = 0;
        exchange.webhooks.received.length = 0;
        await paced;
      }
      client.drop();
    }),
  );
}

function usageOfBoth(exchange: ExchangeProcess): { exchange: ProcessUsage; media: ProcessUsage } {
  const [media = 0] = childrenOf(exchange.pid);
  return { exchange: usageOf(exchange.pid), media: usageOf(media) };
}

function lostIn(name: string, before: ProcessUsage, after: ProcessUsage): string[] {
  return [
    ...(after.descriptors > before.descriptors ? [`${name}: ${after.descriptors - before.descriptors} descriptors`] : []),
    ...(after.udpPorts > before.udpPorts ? [`${name}: ${after.udpPorts - before.udpPorts} UDP ports`] : []),
    ...(after.rssMiB - before.rssMiB > MAX_GROWTH_MIB ? [`${name}: ${after.rssMiB - before.rssMiB} MiB`] : []),
  ];
}
