import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCertificateWatch } from "./certificates.ts";

const DAYS = 20;

let server: Server;
let port: number;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "farline-certificate-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", String(DAYS)];
  execFileSync("openssl", [...made, "-subj", "/CN=localhost", "-keyout", key, "-out", cert], { stdio: "ignore" });
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }).listen(0, "localhost");
  rmSync(folder, { recursive: true });
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

function watch(publicUrl: string, wsUrl: string | null) {
  const config = { publicUrl, telnyx: { wsUrl } } as never;
  const clock = { now: () => new Date() };
  return createCertificateWatch({ clock, config, log: pino({ level: "silent" }) }, () => [
    { name: "main: SIP_TLS_CERT", endsAt: new Date("2126-10-31") },
  ]);
}

test("what browsers are shown stands beside the exchanges' certificates, and warns a month ahead", async () => {
  const { read, metric } = watch(`https://localhost:${port}`, `wss://localhost:${port}/voice`);
  await read();
  const days = (await metric.read()) as ReadonlyMap<string, number>;
  expect([...days.keys()]).toEqual(["PUBLIC_URL", "VOICE_WS_URL", "main: SIP_TLS_CERT"]);
  expect([days.get("PUBLIC_URL"), days.get("VOICE_WS_URL")]).toEqual([DAYS - 1, DAYS - 1]);
  expect(metric.warning?.(DAYS - 1, "PUBLIC_URL")).toBe(`The certificate PUBLIC_URL ends in ${DAYS - 1} days.`);
});

test("an address without TLS has none, and one that does not answer keeps its last", async () => {
  const { read, metric } = watch("http://localhost", `wss://localhost:${port}`);
  await read();
  server.close();
  await read();
  expect([...((await metric.read()) as ReadonlyMap<string, number>).keys()]).toEqual(["VOICE_WS_URL", "main: SIP_TLS_CERT"]);
});
