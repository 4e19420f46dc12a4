import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pemPath } from "@farline/sip/test/tls/pem.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

let folder: string;
let good: Record<string, string>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "exchange-config-"));
  const trunks = join(folder, "trunks.json");
  writeFileSync(
    trunks,
    JSON.stringify([
      { name: "a", host: "127.0.0.1", port: 5060, price_per_minute: "0.0120" },
      {
        name: "b",
        host: "sip.example",
        prefixes: ["+44"],
        customer_numbers: "asserted",
        number_format: "e164",
        priority: 2,
        max_calls: 30,
      },
    ]),
  );
  good = {
    TELNYX_API_KEY: "KEY",
    EXCHANGE_SIGNING_KEY: generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    EXCHANGE_TOKEN_KEY: randomBytes(32).toString("base64"),
    TELNYX_CONNECTION_ID: "1234567890",
    WEBHOOK_URL: "http://127.0.0.1:3000/api/webhooks/telnyx",
    ALLOWED_ORIGINS: "http://localhost:3000, http://127.0.0.1:3000/",
    SIP_TRUNKS: trunks,
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the exchange's settings", () => {
  test("are read with their defaults", () => {
    const config = readConfig(good);
    expect(config).toMatchObject({
      port: 3002,
      host: "127.0.0.1",
      controlPort: 3006,
      controlHost: "127.0.0.1",
      mediaAddress: { bound: "127.0.0.1", announced: "127.0.0.1" },
      rtpPorts: { first: 20_000, last: 29_999 },
      sipPort: 0,
      callerNumber: "+12025550143",
      allowedOrigins: ["http://localhost:3000", "http://127.0.0.1:3000"],
    });
    expect(config.trunks).toMatchObject([
      {
        name: "a",
        host: "127.0.0.1",
        port: 5060,
        transport: "udp",
        customerNumbers: "never",
        cost: { ratePerMinuteMicros: 12_000n, firstIntervalSeconds: 1, nextIntervalSeconds: 1 },
        priority: 0,
        weight: 0,
      },
      {
        name: "b",
        host: "sip.example",
        port: null,
        prefixes: ["+44"],
        numberFormat: "e164",
        sessionTimers: true,
        priority: 2,
        maxCalls: 30,
      },
    ]);
    expect([config.node, config.nodes.size]).toEqual(["a", 0]);
    const { nodes } = readConfig({ ...good, VOICE_NODE: "b", VOICE_NODES: " a=http://10.0.0.5:3006  b=https://b.internal " });
    expect([...nodes].map(([name, url]) => [name, url.href])).toEqual([
      ["a", "http://10.0.0.5:3006/"],
      ["b", "https://b.internal/"],
    ]);
  });

  test("accept TLS connections of carriers only with a certificate and its key", () => {
    const [cert, key, other] = ["exchange.pem", "exchange.key", "other.key"].map(pemPath);
    expect(readConfig(good).sipTls).toBeNull();
    expect(readConfig({ ...good, SIP_TLS_CERT: cert, SIP_TLS_KEY: key }).sipTls).toMatchObject({ port: 5061 });
    expect(() => readConfig({ ...good, SIP_TLS_CERT: cert })).toThrow("SIP_TLS_CERT and SIP_TLS_KEY belong together");
    for (const wrong of [other, join(folder, "missing.key")])
      expect(() => readConfig({ ...good, SIP_TLS_CERT: cert, SIP_TLS_KEY: wrong })).toThrow(/SIP_TLS_CERT and SIP_TLS_KEY: .*/);
  });

  test("prevent the start with a message that names the invalid one", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
      .privateKey.export({ format: "der", type: "pkcs8" })
      .toString("base64");
    const broken = join(folder, "broken.json");
    writeFileSync(broken, "[");
    const empty = join(folder, "empty.json");
    writeFileSync(empty, "[]");
    const misspelt = join(folder, "misspelt.json");
    writeFileSync(misspelt, JSON.stringify([{ name: "a", host: "sip.example", sesion_timers: false }]));
    const twice = join(folder, "twice.json");
    writeFileSync(twice, JSON.stringify([1, 2].map(() => ({ name: "a", host: "sip.example" }))));
    for (const [name, value] of [
      ["VOICE_PORT", "70000"],
      ["SIP_TRUNKS", misspelt],
      ["SIP_TRUNKS", twice],
      ["VOICE_CONTROL_PORT", "control"],
      ["VOICE_NODE", "Node A"],
      ["VOICE_NODES", "b=http://10.0.0.6:3006"],
      ["VOICE_NODES", "a=http://10.0.0.5:3006 a=http://10.0.0.6:3006"],
      ["VOICE_NODES", "a=http://10.0.0.5:3006/v2"],
      ["VOICE_NODES", "a=http://key@10.0.0.5:3006"],
      ["VOICE_NODES", "a=ftp://10.0.0.5 b"],
      ["VOICE_NODE_HOSTS", "10.0.0.0"],
      ["VOICE_MEDIA_IP", "not-an-ip"],
      ["VOICE_MEDIA_ANNOUNCE", "example.com"],
      ["VOICE_MEDIA_PORTS", "30000"],
      ["VOICE_MEDIA_PORTS", "29000-31000"],
      ["RTP_PORTS", "40000-40001"],
      ["CALLER_NUMBER", "anonymous"],
      ["EXCHANGE_SIGNING_KEY", "rubbish"],
      ["EXCHANGE_SIGNING_KEY", rsa],
      ["EXCHANGE_TOKEN_KEY", "c2hvcnQ="],
      ["WEBHOOK_URL", "ftp://x"],
      ["SIP_TRUNKS", join(folder, "absent.json")],
      ["SIP_TRUNKS", broken],
      ["SIP_TRUNKS", empty],
      ["TELNYX_API_KEY", ""],
    ] as const) {
      expect(() => readConfig({ ...good, [name]: value })).toThrow(ConfigError);
      expect(() => readConfig({ ...good, [name]: value })).toThrow(new RegExp(`${name}.*\\.$`));
    }
  });
});
