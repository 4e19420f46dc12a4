import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { usedHeap } from "@farline/domain/test/used-heap.ts";
import { becomes } from "@farline/drills/support/readiness.ts";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { freePort } from "@farline/voice/test/free-port.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Attacker } from "./src/attacker.ts";
import { Attempts, FULL_SIZE } from "./src/attempts.ts";
import { startInstallation, type Installation } from "./src/product.ts";

const KIND = "hold silent connections open";
const SILENT = FULL_SIZE ? 20_000 : 2_000;
/** Connections that are opened at the same time, because a listener's queue is short. */
const AT_ONCE = 200;
/** Hosts that are nobody's trunk. */
const STRANGERS = 100;
const CALLS = 8;
/** What connections may leave behind: a socket that is kept needs more. */
const MAX_GROWTH_BYTES = SILENT * 10_000;
const pem = (name: string) => fileURLToPath(new URL(`../sip/test/tls/${name}`, import.meta.url));

const attempts = new Attempts();
const ports = { sip: 0, tls: 0, browsers: 0, service: 0 };
let at: Installation;
beforeAll(async () => {
  ports.tls = await freePort();
  const tls = { SIP_TLS_PORT: String(ports.tls), SIP_TLS_CERT: pem("carrier.pem"), SIP_TLS_KEY: pem("carrier.key") };
  at = await startInstallation({ SANDBOX_RING_MS: "0", ...tls });
  Object.assign(ports, { sip: at.exchange.sipPort, browsers: at.exchange.port, service: at.addresses.port });
});
afterAll(() => at?.close());

/** Connects from a stranger's address and says nothing. Resolves once it is connected or closed. */
function stay(port: number, serial: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: `127.0.1.${1 + (serial % STRANGERS)}` });
  return new Promise((resolve) => {
    for (const event of ["connect", "error", "close"]) socket.once(event, () => resolve(socket));
    socket.on("error", () => undefined);
  });
}

/** A whole call, by ear of its caller's browser. @returns what came of it: "answered" if all is well */
async function calls(caller: Attacker, number: string): Promise<string> {
  const { line, callID, outcome } = await caller.call(number);
  await line.bye(callID);
  await line.close();
  return outcome;
}

test.each([
  ["the SIP port", "sip", 0],
  ["the SIP port for TLS", "tls", 0],
  ["the browsers' port", "browsers", 2_000],
] as const)("strangers' silent connections to %s cost no call and no memory", async (where, listener, most) => {
  const caller = await Attacker.signUp(at, { dollars: 100 });
  expect(await calls(caller, "+442079460100")).toBe("answered");
  const before = usedHeap();
  const sockets: Socket[] = [];
  const outcomes: string[] = [];
  for (let opened = 0; opened < SILENT; opened += AT_ONCE) {
    sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, count) => stay(ports[listener], opened + count)))));
    if (opened >= (outcomes.length * SILENT) / CALLS) outcomes.push(await calls(caller, `+4420794602${10 + outcomes.length}`));
  }
  const isOpen = () => sockets.filter((socket) => !socket.destroyed).length;
  const areAnswered = outcomes.length === CALLS && outcomes.every((outcome) => outcome === "answered");
  attempts.check(KIND, `${where}: calls came to ${outcomes.join(", ")}`, areAnswered);
  attempts.check(KIND, `${where}: ${SILENT} connections`, await becomes(() => isOpen() <= most, PATIENCE_MS));
  attempts.check(KIND, `${where}: all are closed`, await becomes(() => isOpen() === 0, PATIENCE_MS));
  for (const socket of sockets.splice(0)) socket.destroy();
  attempts.check(KIND, `${where}: memory`, usedHeap() - before < MAX_GROWTH_BYTES);
  await caller.leave();
});

test("no attempt succeeded", () => {
  expect(attempts.succeeded).toEqual([]);
});
