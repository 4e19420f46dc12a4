import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { LOOPBACK } from "./loopback.ts";

/**
 * The system hands out none of these by itself (`net.ipv4.ip_local_port_range` begins at 32768), so nobody takes one before the program that
 * it is for has opened it, or while that program is started again.
 */
const FIRST = 10_000;
/** Programs also open ports beside the one that they are given, SIPp for its sound. */
const BLOCK = 8;
/** Of one worker of the test runner. SIPp shares a port that another one has just taken, so workers must not meet. */
const BLOCKS = 150;
const WORKERS = 8;
const TRIES = 100;

const worker = process.env["VITEST_POOL_ID"] ?? process.env["TEST_PARALLEL_INDEX"];
/** Outside a test runner, for example in a benchmark, all ports are available. */
const [first, blocks] = worker === undefined ? [0, WORKERS * BLOCKS] : [(Number(worker) % WORKERS) * BLOCKS, BLOCKS];
let next = randomInt(blocks);

/** A port of this machine that nobody has opened, for UDP and TCP; the seven after it are for the same program. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    next = (next + 1) % blocks;
    const port = FIRST + (first + next) * BLOCK;
    if (await isFree(port)) return port;
  }
  throw new Error("No port is free.");
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
