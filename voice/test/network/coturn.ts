import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import { freePort } from "../free-port.ts";

const CONFIGURATION = new URL("../../../deploy/coturn/turnserver.conf", import.meta.url);
const LONGEST_LOG = 2_000;

export interface Relay {
  /** The relay's URLs by transport. */
  readonly urls: { readonly udp: string; readonly tcp: string; readonly tls: string };
  readonly certificate: string;
  stop(): Promise<void>;
}

/**
 * coturn on free loopback ports with the configuration in deploy/coturn, which is thereby tested. Replaces only what loopback
 * requires. @param replaced more settings to replace or, with null, remove
 */
export async function startCoturn(secret: string, replaced: Readonly<Record<string, string | null>> = {}): Promise<Relay> {
  const folder = mkdtempSync(join(tmpdir(), "farline-coturn-"));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const [cert, pkey] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  makeCertificate(cert, pkey);
  const file = join(folder, "turnserver.conf");
  const values = {
    "listening-ip": "127.0.0.1",
    "relay-ip": "127.0.0.1",
    "external-ip": null,
    "listening-port": String(port),
    "tls-listening-port": String(tlsPort),
    cert,
    pkey,
    "static-auth-secret": secret,
    "allowed-peer-ip": "127.0.0.1",
    ...replaced,
  };
  writeFileSync(
    file,
    [...configure(readFileSync(CONFIGURATION, "utf8").trim().split("\n"), values), ...loopbackLines(folder)].join("\n"),
    { mode: 0o600 },
  );
  const child = spawn("turnserver", ["-c", file], { stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      if (lines.push(line) > LONGEST_LOG) lines.shift();
    });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const answers = await Promise.race([untilItAnswers(port), exited.then(() => false)]);
  if (!answers) {
    await stop();
    throw new Error(`coturn did not start:\n${lines.slice(-20).join("\n")}`);
  }
  const urls = {
    udp: `turn:127.0.0.1:${port}?transport=udp`,
    tcp: `turn:127.0.0.1:${port}?transport=tcp`,
    tls: `turns:127.0.0.1:${tlsPort}?transport=tcp`,
  };
  return { urls, certificate: cert, stop };
}

function configure(lines: readonly string[], values: Readonly<Record<string, string | null>>): string[] {
  return lines.flatMap((line) => {
    const name = line.split("=")[0] ?? line;
    const value = values[name];
    if (value === null) return [];
    return [value === undefined ? line : `${name}=${value}`];
  });
}

function loopbackLines(folder: string): string[] {
  return ["allow-loopback-peers", "log-file=stdout", `pidfile=${folder}/pid`, `userdb=${folder}/turndb`];
}

function makeCertificate(cert: string, key: string): void {
  const asked = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"];
  execFileSync("openssl", [...asked, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
}

/** A binding request (RFC 8489 §5), repeated until it is answered. */
async function untilItAnswers(port: number): Promise<boolean> {
  const socket = createSocket("udp4");
  const request = Buffer.alloc(20);
  request.writeUInt16BE(0x0001, 0);
  request.writeUInt32BE(0x2112_a442, 4);
  const answered = once(socket, "message").then(() => true);
  // oxlint-disable-next-line farline/bounded-timers -- ends with this function
  const again = setInterval(() => socket.send(request, port, "127.0.0.1"), 50);
  try {
    return await settleWithin(answered, PATIENCE_MS, () => false);
  } finally {
    clearInterval(again);
    socket.close();
  }
}
