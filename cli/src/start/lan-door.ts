import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { encodeQR } from "qr";
import { SettingsError, type LanDoor } from "./settings.ts";

/** Apple's systems accept no longer certificate. */
const CERTIFICATE_DAYS = 397;
const RENEW_BEFORE_MS = 7 * 24 * 60 * 60_000;
const MAX_CONNECTIONS = 200;

/**
 * Opens the installation to the network by https, because browsers allow the microphone on other devices only there: pages and the API lead to
 * the service, WebSockets to the exchange. The stand-ins for other providers stay on this machine.
 * @param folder keeps the certificate
 * @returns the function that closes it
 */
export async function openLanDoor(door: LanDoor, folder: string): Promise<() => void> {
  const server = createServer(certificateFor(door.address, folder));
  server.maxConnections = MAX_CONNECTIONS;
  server.on("request", (request: IncomingMessage, response: ServerResponse) => forward(door, request, response));
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => connect(door, request, { socket, head }));
  await listen(server, door);
  return () => {
    server.close();
    server.closeAllConnections();
  };
}

/** What a phone needs to open the address. */
export function lanInvitation(url: string): string {
  return `${encodeQR(url, "ascii")}\nOn a phone in the same network, open ${url} or scan this. Its browser warns once, because the certificate is this machine's own.`;
}

function listen(server: Server, { address, port }: LanDoor): Promise<void> {
  return new Promise((settle, fail) => {
    server.once("error", (error) => fail(new SettingsError(`--lan cannot listen on ${address}:${port}: ${error.message}.`)));
    server.listen(port, address, () => settle());
  });
}

function forward(door: LanDoor, request: IncomingMessage, response: ServerResponse): void {
  const upstream = httpRequest(upstreamOf(door, request, door.servicePort), (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(response);
  });
  upstream.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on("close", () => upstream.destroy());
  request.pipe(upstream);
}

function connect(door: LanDoor, request: IncomingMessage, near: { socket: Duplex; head: Buffer }): void {
  const { socket, head } = near;
  const upstream = httpRequest(upstreamOf(door, request, door.voicePort));
  const close = (): void => {
    socket.destroy();
    upstream.destroy();
  };
  socket.on("error", close);
  upstream.on("error", close);
  upstream.on("response", close);
  upstream.on("upgrade", (answer, far, farHead) => {
    const lines = answer.rawHeaders.flatMap((name, index, all) => (index % 2 === 0 ? [`${name}: ${all[index + 1]}`] : []));
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
    socket.write(farHead);
    far.write(head);
    far.on("error", close).on("close", close);
    socket.on("close", close);
    far.pipe(socket).pipe(far);
  });
  upstream.end();
}

/** The forwarded address is ours to say: what a client claims is replaced. */
function upstreamOf({ host }: LanDoor, { method, url, headers, socket }: IncomingMessage, port: number) {
  const forwarded = { "x-forwarded-for": socket.remoteAddress ?? "", "x-forwarded-proto": "https" };
  return { host, port, method, path: url, headers: { ...headers, ...forwarded } };
}

/** A certificate for the address, signed by itself. Kept, so that a phone warns only once. @throws SettingsError */
function certificateFor(address: string, folder: string): { key: Buffer; cert: Buffer } {
  const [keyFile, certFile] = [join(folder, "lan-key.pem"), join(folder, "lan-certificate.pem")];
  if (!isGood(certFile, address)) {
    mkdirSync(folder, { recursive: true });
    const subject = [
      "-subj",
      `/CN=Farline on ${address}`,
      "-addext",
      `subjectAltName=IP:${address}`,
      "-addext",
      "extendedKeyUsage=serverAuth",
    ];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", keyFile];
    try {
      // OpenSSL writes the key for its owner only.
      execFileSync("openssl", ["req", "-x509", ...key, "-days", String(CERTIFICATE_DAYS), ...subject, "-out", certFile], {
        stdio: "pipe",
      });
    } catch (error) {
      throw new SettingsError(`--lan needs the command openssl to make a certificate: ${(error as Error).message.trim()}`);
    }
  }
  return { key: readFileSync(keyFile), cert: readFileSync(certFile) };
}

function isGood(certFile: string, address: string): boolean {
  if (!existsSync(certFile)) return false;
  const certificate = new X509Certificate(readFileSync(certFile));
  return certificate.checkIP(address) !== undefined && certificate.validToDate.getTime() > Date.now() + RENEW_BEFORE_MS;
}
