import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { once } from "node:events";
import { connect as connectTls } from "node:tls";
import { pemPath, readPem } from "@farline/sip/test/tls/pem.ts";
import { afterEach, describe, expect, it } from "vitest";
import { answerCalls, fieldOf, type SocketCarrier, startSocketCarrier } from "../../test/socket-carrier.ts";
import { freePort } from "../../test/free-port.ts";
import { silentLog } from "../../test/scripted-ports.ts";
import { dial, OFFER, SipBench, trunkTo } from "../../test/sip-bench.ts";
import { testConfig } from "../../test/test-exchange.ts";
import { FileWatch, startExchange } from "../exchange.ts";
import { readTrunkFile } from "./trunk-file.ts";
import type { TrunkConfig } from "./trunk.ts";

const bench = new SipBench();
afterEach(() => bench.end());

async function carrier(transport: "udp" | "tcp"): Promise<SocketCarrier> {
  const started: SocketCarrier = await startSocketCarrier(transport, (message, send) =>
    answerCalls(OFFER, started.port)(message, send),
  );
  bench.add(() => started.close());
  return started;
}
/** Calls, without retransmissions. */
const callsOf = (far: SocketCarrier): number =>
  new Set(far.heard.filter((message) => message.startsWith("INVITE ")).map((message) => fieldOf(message, "Call-ID"))).size;

describe.each(["udp", "tcp"] as const)("reloaded trunks over %s", (transport) => {
  it("take new calls at once, while a live call keeps its trunk until it ends", async () => {
    const [old, fresh] = [await carrier(transport), await carrier(transport)];
    const trunks = await bench.trunks([trunkTo(old.port, { transport })]);
    const first = dial(trunks);
    await first.answered;
    trunks.reload([trunkTo(fresh.port, { transport })]);
    expect(trunks.states().map(({ name, leaving }) => [name, leaving])).toEqual([
      [`to-${fresh.port}`, false],
      [`to-${old.port}`, true],
    ]);
    const second = dial(trunks);
    await second.answered;
    expect([callsOf(old), callsOf(fresh)]).toEqual([1, 1]);
    expect(first.heard).toEqual(["answer"]);
    await first.call.hangUp();
    expect(await first.ended).toMatchObject({ by: "us", answered: true, trunk: `to-${old.port}` });
    await expect.poll(() => old.heard.some((message) => message.startsWith("BYE "))).toBe(true);
    await second.call.hangUp();
  });
});

describe("reloading the trunks", () => {
  it("keeps the connection of an unchanged trunk, and closes that of a removed trunk without calls", async () => {
    const [unchanged, removed] = [await carrier("tcp"), await carrier("tcp")];
    const trunk = trunkTo(unchanged.port, { transport: "tcp" });
    const trunks = await bench.trunks([trunk, trunkTo(removed.port, { transport: "tcp" })]);
    await expect.poll(() => [unchanged.connections.size, removed.connections.size]).toEqual([1, 1]);
    const [connection] = unchanged.connections;
    trunks.reload([{ ...trunk }]);
    await expect.poll(() => removed.connections.size).toBe(0);
    expect([...unchanged.connections]).toEqual([connection]);
    expect(trunks.states()).toHaveLength(1);
  });
});

/** The fingerprint of the certificate that is shown there. */
async function shownAt(port: number): Promise<string> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

describe("a hang-up signal", () => {
  /** An exchange whose media is elsewhere, with its own copies of the files. */
  async function exchangeWithFiles() {
    const folder = mkdtempSync(join(tmpdir(), "farline-reload-"));
    bench.add(async () => rmSync(folder, { recursive: true }));
    const path = (name: string): string => join(folder, name);
    const put = (from: string, to: string): void => copyFileSync(pemPath(from), path(to));
    put("exchange.pem", "cert.pem");
    put("exchange.key", "cert.key");
    put("ca.pem", "ca.pem");
    const trunk = { name: "a", host: "127.0.0.1", port: 9, transport: "tls", tls_ca: path("ca.pem"), price_per_minute: "0.01" };
    writeFileSync(path("trunks.json"), JSON.stringify([trunk]));
    const read = () => {
      const [cert, key] = [readFileSync(path("cert.pem"), "utf8"), readFileSync(path("cert.key"), "utf8")];
      createSecureContext({ cert, key });
      return { cert, key };
    };
    const port = await freePort();
    const config = testConfig({
      webhookUrl: "http://127.0.0.1:9",
      rtpengines: [{ host: "127.0.0.1", port: 9, weight: 1 }],
      sipTls: { port, files: [path("cert.pem"), path("cert.key")], read },
      trunks: readTrunkFile(path("trunks.json")),
      trunkFile: path("trunks.json"),
    });
    const exchange = await startExchange(config, silentLog);
    bench.add(() => exchange.close());
    const ends = async (): Promise<Record<string, string>> => {
      const health = await fetch(`http://127.0.0.1:${exchange.controlPort}/healthz`, {
        headers: { authorization: "Bearer KEYtest" },
      });
      const { certificates } = (await health.json()) as { certificates: readonly { name: string; ends_at: string }[] };
      return Object.fromEntries(certificates.map(({ name, ends_at }) => [name, ends_at]));
    };
    return { exchange, put, port, ends };
  }
  const of = async (name: string): Promise<X509Certificate> => new X509Certificate(await readPem(name));

  it("renews what carriers are shown, but not while the key belongs to another certificate", async () => {
    const { exchange, put, port, ends } = await exchangeWithFiles();
    const before = await of("exchange.pem");
    put("carrier.pem", "cert.pem");
    exchange.reload();
    expect(await shownAt(port)).toBe(before.fingerprint256);
    put("carrier.key", "cert.key");
    exchange.reload();
    const renewed = await of("carrier.pem");
    expect(await shownAt(port)).toBe(renewed.fingerprint256);
    expect((await ends())["SIP_TLS_CERT"]).toBe(new Date(renewed.validTo).toISOString());
  });

  it("reads a trunk's own certificates again, though its file has not changed", async () => {
    const { exchange, put, ends } = await exchangeWithFiles();
    expect((await ends())["authority of trunk a"]).toBe(new Date((await of("ca.pem")).validTo).toISOString());
    put("other.pem", "ca.pem");
    exchange.reload();
    expect((await ends())["authority of trunk a"]).toBe(new Date((await of("other.pem")).validTo).toISOString());
  });
});

describe("the trunk file", () => {
  it("is reloaded when it is replaced and on demand, and an invalid one is refused", async () => {
    const folder = mkdtempSync(join(tmpdir(), "farline-reload-"));
    bench.add(async () => rmSync(folder, { recursive: true }));
    const path = join(folder, "trunks.json");
    const write = (text: string): void => {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    };
    const trunk = (name: string): string => JSON.stringify([{ name, host: "sip.example", price_per_minute: "0.01" }]);
    write(trunk("a"));
    const applied: (readonly TrunkConfig[])[] = [];
    const refused: string[] = [];
    const log = Object.assign(Object.create(silentLog) as typeof silentLog, {
      error: ({ problem }: { problem: string }) => refused.push(problem),
    });
    const apply = (): void => void applied.push(readTrunkFile(path));
    const watch = new FileWatch({ paths: [path], what: "trunk file", log, pollIntervalMs: 10, apply });
    bench.add(async () => watch.close());
    write(trunk("b"));
    await expect.poll(() => applied.map(([trunk]) => trunk?.name)).toEqual(["b"]);
    expect(applied[0]?.[0]?.cost?.ratePerMinuteMicros).toBe(10_000n);
    write('[{ "name": "c" }]');
    await expect.poll(() => refused).toEqual([expect.stringContaining("0.host")]);
    expect(applied).toHaveLength(1);
    watch.close();
    write(trunk("d"));
    watch.reload();
    expect(applied.map(([trunk]) => trunk?.name)).toEqual(["b", "d"]);
  });

  it("shows carriers a renewed certificate without a restart", async () => {
    const pem = async (name: string) => ({ cert: await readPem(`${name}.pem`), key: await readPem(`${name}.key`) });
    const port = await freePort();
    const trunks = await bench.trunks([trunkTo(9)], { tls: { port, ...(await pem("exchange")) } });
    const before = await shownAt(port);
    trunks.useCertificate(await pem("carrier"));
    expect(await shownAt(port)).not.toBe(before);
    const { fingerprint256, validTo } = new X509Certificate((await pem("carrier")).cert);
    expect(await shownAt(port)).toBe(fingerprint256);
    expect(trunks.certificates()).toEqual([{ name: "SIP_TLS_CERT", endsAt: new Date(validTo) }]);
  });
});

it.each(["tcp", "udp"] as const)(
  "a trunk without port and transport uses %s if its host's records choose it",
  async (transport) => {
    const far: SocketCarrier = await startSocketCarrier(transport, (message, send) =>
      answerCalls(OFFER, far.port)(message, send),
    );
    bench.add(() => far.close());
    const service = transport === "tcp" ? "SIP+D2T" : "SIP+D2U";
    const dns = {
      naptr: async () => [{ order: 1, preference: 1, flags: "s", service, replacement: "pop.test" }],
      srv: async (name: string) => (name === "pop.test" ? [{ name: "node.test", port: far.port, priority: 1, weight: 1 }] : []),
      addresses: async () => ["127.0.0.1"],
    };
    const trunk = trunkTo(0, { host: "carrier.test", port: null, choosesTransport: true });
    const trunks = await bench.trunks([trunk], { dns });
    const { call, answered } = dial(trunks);
    await answered;
    trunks.reload([{ ...trunk }]);
    expect(trunks.states()).toEqual([expect.objectContaining({ connected: transport === "tcp" ? true : null, leaving: false })]);
    await call.hangUp();
    expect(far.heard.map((message) => message.split(" ")[0])).toContain("BYE");
  },
);
