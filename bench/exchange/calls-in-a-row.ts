import { setTimeout as pause } from "node:timers/promises";
import { ExchangeProcess } from "@farline/voice/test/exchange-process.ts";
import { BenchCall, startEchoingCarrier } from "./bench-call.ts";
import { childrenOf } from "@farline/drills/support/processes.ts";
import { type ProcessUsage, usageOf } from "@farline/drills/support/process-usage.ts";

const CALLS = Number(process.env["CALLS"] ?? 2_000);
/** Warm-up calls until memory use and compiled code are as in normal operation. */
const WARM_UP = 200;
const AT_A_TIME = 8;
/** A quarter of a second of audio. */
const PACKETS_HEARD = 12;
/** The exchange allows one account two new calls a second. */
const MIN_CALL_MS = 500;
/** SIP remembers a call for 32 seconds. */
const SETTLE_MS = 40_000;
const SECONDS = 3_600;
/** The records of ended calls are kept for an hour, about 5 KiB each. */
const MAX_GROWTH_MIB = 15;

/**
 * Many calls, a few at a time, through an exchange process and SIPp: memory, descriptors and UDP ports of the exchange and its media
 * process after a warm-up and at the end. Fails when a port or descriptor is leaked, or memory grows by more than 15 MiB.
 */
export async function callsInARow(): Promise<Record<string, unknown>> {
  const carrier = await startEchoingCarrier(WARM_UP + CALLS, SECONDS);
  const exchange = await ExchangeProcess.start(carrier.port);
  try {
    const began = performance.now();
    await callMany(exchange, WARM_UP);
    await pause(SETTLE_MS);
    const before = await usageOfBoth(exchange);
    await callMany(exchange, CALLS);
    await pause(SETTLE_MS);
    const after = await usageOfBoth(exchange);
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
        const paced = pause(MIN_CALL_MS);
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

async function usageOfBoth(exchange: ExchangeProcess): Promise<{ exchange: ProcessUsage; media: ProcessUsage }> {
  const [media = 0] = childrenOf(exchange.pid);
  return { exchange: await usageOf(exchange.pid), media: await usageOf(media) };
}

function lostIn(name: string, before: ProcessUsage, after: ProcessUsage): string[] {
  return [
    ...(after.descriptors > before.descriptors ? [`${name}: ${after.descriptors - before.descriptors} descriptors`] : []),
    ...(after.udpPorts > before.udpPorts ? [`${name}: ${after.udpPorts - before.udpPorts} UDP ports`] : []),
    ...(after.liveMiB - before.liveMiB > MAX_GROWTH_MIB ? [`${name}: ${after.liveMiB - before.liveMiB} MiB`] : []),
  ];
}
