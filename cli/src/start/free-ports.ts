import { createSocket } from "node:dgram";
import { connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Addresses, SettingsError } from "./settings.ts";

const WAIT_LIMIT_MS = 15_000;
const ANSWER_LIMIT_MS = 2_000;

/**
 * Waits for a limited time until the installation's ports are free, because programs of a killed supervisor need some seconds to exit.
 * A port that stays in use is reported by the program that needs it.
 */
export async function waitForFreePorts(addresses: Addresses, stop: { readonly asked: boolean }): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  while (!stop.asked && !(await allFree(addresses)) && performance.now() < deadline) await pause(100);
}

/**
 * Browsers try ::1 first for localhost, and our programs listen on 127.0.0.1: another program there would be shown in our place.
 * @throws SettingsError
 */
export async function refuseStrangerOnLoopback({ publicUrl, host, port, sandboxPort, voicePort }: Addresses): Promise<void> {
  if (new URL(publicUrl).hostname !== "localhost" || host === "::1" || host === "::") return;
  for (const one of [port, sandboxPort, voicePort])
    if (await answers(one, "::1"))
      throw new SettingsError(
        `Another program listens on port ${one} of ::1, which browsers try first for localhost: stop it, or set PORT.`,
      );
}

function answers(port: number, host: string): Promise<boolean> {
  return new Promise((settle) => {
    const probe = connect({ port, host, timeout: ANSWER_LIMIT_MS });
    const end = (does: boolean) => () => {
      probe.destroy();
      settle(does);
    };
    probe.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });
}

async function allFree(a: Addresses): Promise<boolean> {
  const tcp = [a.port, a.sandboxPort, a.voicePort, a.sandboxSmtpPort].map((port) => tcpFree(port, a.host));
  tcp.push(tcpFree(a.voiceControlPort, "127.0.0.1"));
  const udp = [a.sandboxSipPort, a.exchangeSipPort].map((port) => udpFree(port, "127.0.0.1"));
  return (await Promise.all([...tcp, ...udp])).every(Boolean);
}

export function tcpFree(port: number, host: string): Promise<boolean> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once("error", () => settle(false));
    probe.listen(port, host, () => probe.close(() => settle(true)));
  });
}

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
