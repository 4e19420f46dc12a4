import { once } from "node:events";
import { createServer } from "node:tls";
import { readPem } from "@farline/sip/test/tls/pem.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { checkCertificateFiles, checkShownCertificate } from "./check-certificates.ts";

/** `exchange.pem` ends on 31 October 2126. */
const files = async () => {
  const [cert, key] = [await readPem("exchange.pem"), await readPem("exchange.key")];
  return { sipTls: { port: 5061, files: [], read: () => ({ cert, key }) }, trunks: [] };
};

test.each([
  ["2026-11-29", "ok", "holds until 2126-10-31"],
  ["2126-10-10", "warning", "ends in 21 days, on 2126-10-31"],
  ["2126-11-01", "fault", "ended on 2126-10-31"],
])("on %s a certificate is %s", async (today, level, text) => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(today) });
  onTestFinished(() => void vi.useRealTimers());
  expect(checkCertificateFiles(await files())).toEqual([
    { level, text: expect.stringContaining(`SIP_TLS_CERT ${text}`) as string },
  ]);
});

test("the certificate that browsers are shown is read from its address", async () => {
  const { sipTls } = await files();
  const server = createServer(sipTls.read()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const [finding] = await checkShownCertificate("VOICE_WS_URL", `wss://localhost:${port}/`);
  expect(finding).toEqual({ level: "ok", text: "The certificate of VOICE_WS_URL holds until 2126-10-31." });
  expect(await checkShownCertificate("PUBLIC_URL", "http://localhost:1/")).toEqual([]);
});
