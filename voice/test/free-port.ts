import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { LOOPBACK } from "./loopback.ts";

/**
 * Below `net.ipv4.ip_local_port_range`, which starts at 32768, so the system never assigns one of these to another program.
 */
const FIRST = 10_000;
/** Some programs also open the ports after their own, such as SIPp for media. */
const BLOCK = 8;
/** Separate ports per test worker, because SIPp can share a port that another SIPp has just opened. */
const BLOCKS = 150;
const WORKERS = 8;
const TRIES = 100;

const worker = process.env["VITEST_POOL_ID"] ?? process.env["TEST_PARALLEL_INDEX"];
/** Outside the test runner, all ports are available. */
const [first, blocks] = worker === undefined ? [0, WORKERS * BLOCKS] : [(Number(worker) % WORKERS) * BLOCKS, BLOCKS];
let next = randomInt(blocks);

/** A free local port for UDP and TCP. The seven after it are free too, and reserved for the same program. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    next = (next + 1) % blocks;
    const port = FIRST + (first + next) * BLOCK;
    const areFree = await Promise.all(Array.from({ length: BLOCK }, (_, index) => isFree(port + index)));
    if (areFree.every(Boolean)) return port;
  }
  throw new Error("No block of ports is free.");
}

async function isFree(port: number): Promise<boolean> {
  const [datagrams, server] = [createSocket("udp4"), createServer()];
  try {
    datagrams.bind(port, LOOPBACK.bound);
    await once(datagrams, "listening");
    server.listen(port, LOOPBACK.bound);
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    datagrams.close();
    server.close();
  }
}
