import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Addresses } from "./settings.ts";

const WAIT_LIMIT_MS = 15_000;

/**
 * Waits until the ports of this installation are free, for a bounded time: the parts of a supervisor that was killed need
 * some seconds to notice and to leave. A port that stays taken is told by the part that wants it.
 */
export async function waitForFreePorts(addresses: Addresses): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  while (!(await allFree(addresses)) && performance.now() < deadline) await pause(100);
}

async function allFree(a: Addresses): Promise<boolean> {
  const tcp = [a.port, a.sandboxPort, a.voicePort, a.sandboxSmtpPort].map((port) => tcpFree(port, a.host));
  tcp.push(tcpFree(a.voiceControlPort, "127.0.0.1"));
  const udp = [a.sandboxSipPort, a.exchangeSipPort].map((port) => udpFree(port, "127.0.0.1"));
  return (await Promise.all([...tcp, ...udp])).every(Boolean);
}

/** Whether a program could listen there now. */
export function tcpFree(port: number, host: string): Promise<boolean> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once("error", () => settle(false));
    probe.listen(port, host, () => probe.close(() => settle(true)));
  });
}

/** Whether a program could receive datagrams there now. */
export function udpFree(port: number, host: string): Promise<boolean> {
  return new Promise((settle) => {
    const probe = createSocket("udp4");
    probe.once("error", () => {
      probe.close();
      settle(false);
    });
    probe.bind(port, host, () => probe.close(() => settle(true)));
  });
}
