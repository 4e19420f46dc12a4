import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ExchangeProcess } from "@farline/voice/test/exchange-process.ts";
import { BenchCall, startEchoingCarrier } from "./bench-call.ts";
import { until } from "@farline/drills/support/until.ts";
import { childrenOf } from "@farline/drills/support/processes.ts";
import { type ProcessUsage, usageOf } from "./process-usage.ts";

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
/** On a signal, both processes collect garbage, which is not a leak, and report the memory still in use. */
const REPORT_ON_SIGNAL = [
  "process.on('SIGUSR2',()=>{gc({flavor:'last-resort'});",
  "process.getBuiltinModule('fs').writeFileSync(process.env.MEMORY+process.pid,JSON.stringify(process.memoryUsage()))})",
].join("");
const TIMEOUT_MS = 20_000;
/** The records of ended calls are kept for an hour, about 5 KiB each. */
const MAX_GROWTH_MIB = 15;

/**
 * Many calls, a few at a time, through an exchange process and SIPp: memory, descriptors and UDP ports of the exchange and its media
 * process after a warm-up and at the end. Fails when a port or descriptor is leaked, or memory grows by more than 15 MiB.
 */
export async function callsInARow(): Promise<Record<string, unknown>> {
  const carrier = await startEchoingCarrier(WARM_UP + CALLS, SECONDS);
  const memory = join(mkdtempSync(join(tmpdir(), "farline-bench-")), "memory-");
  const env = { MEMORY: memory, NODE_OPTIONS: `--expose-gc --import=data:text/javascript,${REPORT_ON_SIGNAL}` };
  const exchange = await ExchangeProcess.start(carrier.port, { env });
  try {
    const began = performance.now();
    await callMany(exchange, WARM_UP);
    await pause(SETTLE_MS);
    const before = await usageOfBoth(exchange, memory);
    await callMany(exchange, CALLS);
    await pause(SETTLE_MS);
    const after = await usageOfBoth(exchange, memory);
    const lost = [...lostIn("exchange", before.exchange, after.exchange), ...lostIn("media process", before.media, after.media)];
    if (lost.length > 0) process.exitCode = 1;
    return { calls: CALLS, atATime: AT_A_TIME, seconds: Math.round((performance.now() - began) / 1_000), before, after, lost };
  } finally {
    await exchange.close();
    await carrier.stop();
    rmSync(dirname(memory), { recursive: true });
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

interface Used extends ProcessUsage {
  /** Objects and buffers that are in use. */
  readonly liveMiB: number;
}

async function usageOfBoth(exchange: ExchangeProcess, memory: string): Promise<{ exchange: Used; media: Used }> {
  const [media = 0] = childrenOf(exchange.pid);
  return { exchange: await used(exchange.pid, memory), media: await used(media, memory) };
}

async function used(pid: number, memory: string): Promise<Used> {
  const file = `${memory}${pid}`;
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  await until("memory report", () => existsSync(file) && readFileSync(file, "utf8").endsWith("}"), TIMEOUT_MS);
  const { heapUsed, external } = JSON.parse(readFileSync(file, "utf8")) as NodeJS.MemoryUsage;
  return { liveMiB: Math.round((heapUsed + external) / 2 ** 20), ...usageOf(pid) };
}

function lostIn(name: string, before: Used, after: Used): string[] {
  return [
    ...(after.descriptors > before.descriptors ? [`${name}: ${after.descriptors - before.descriptors} descriptors`] : []),
    ...(after.udpPorts > before.udpPorts ? [`${name}: ${after.udpPorts - before.udpPorts} UDP ports`] : []),
    ...(after.liveMiB - before.liveMiB > MAX_GROWTH_MIB ? [`${name}: ${after.liveMiB - before.liveMiB} MiB`] : []),
  ];
}
