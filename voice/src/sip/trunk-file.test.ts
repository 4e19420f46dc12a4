import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pemPath } from "@farline/sip/test/tls/pem.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TrunkConfig } from "./trunk.ts";
import { readTrunkFile } from "./trunk-file.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farline-trunks-"));
  for (const name of ["ca.pem", "exchange.pem", "exchange.key", "other.key"]) copyFileSync(pemPath(name), join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(trunk: object): TrunkConfig | undefined {
  const path = join(folder, "trunks.json");
  writeFileSync(path, JSON.stringify([{ name: "main", host: "sip.example", ...trunk }]));
  return readTrunkFile(path)[0];
}

it.each([
  ["", '[{ "name": "main", "password": hunter2 }]'],
  [" (line 2 column 2)", '[{ "name": "main"\n "password": "hunter2" }]'],
])("a file that is not JSON is refused with the place%s, without its passwords", (place, text) => {
  const path = join(folder, "damaged.json");
  writeFileSync(path, text);
  expect(() => readTrunkFile(path)).toThrow(new Error(`${path} is not JSON${place}`));
});

describe("a trunk of the file", () => {
  it("leaves the port to DNS unless it is configured", () => {
    expect(read({})).toMatchObject({ transport: "udp", choosesTransport: true });
    for (const stated of [{ port: 5060 }, { transport: "udp" }, { host: "192.0.2.1" }])
      expect(read(stated)).toMatchObject({ transport: "udp", choosesTransport: undefined });
    expect(read({ transport: "tcp" })).toMatchObject({ port: null, transport: "tcp" });
    expect(read({ transport: "tls" })).toMatchObject({ port: null, transport: "tls", tls: {} });
    expect(read({ transport: "tls", port: 443 })).toMatchObject({ port: 443 });
  });

  it("supports only G.711 by default", () => {
    expect(read({})?.opus).toBe(false);
    expect(read({ opus: true })?.opus).toBe(true);
  });

  it("finds its TLS files relative to the trunk file", () => {
    const { tls } = read({ transport: "tls", tls_ca: "ca.pem", tls_cert: "exchange.pem", tls_key: "exchange.key" }) ?? {};
    expect([tls?.ca, tls?.cert, tls?.key].map((pem) => pem?.slice(0, 16))).toEqual([
      "-----BEGIN CERTI",
      "-----BEGIN CERTI",
      "-----BEGIN PRIVA",
    ]);
  });

  it.each([
    [{}, undefined],
    [
      { register: true, username: "u" },
      { host: "sip.example", port: null },
    ],
    [
      { register: true, username: "u", port: 5080 },
      { host: "sip.example", port: 5080 },
    ],
    [
      { register: true, from_user: "u", registrar: "reg.example" },
      { host: "reg.example", port: null },
    ],
    [
      { register: true, from_user: "u", registrar: "reg.example:5070" },
      { host: "reg.example", port: 5070 },
    ],
  ])("%j registers at %j", (trunk, registrar) => {
    expect(read(trunk)?.registrar).toEqual(registrar);
  });

  it("may use a national number format", () => {
    const format = { national: { country_code: "44", trunk_prefix: "0" } };
    expect(read({ number_format: format })?.numberFormat).toEqual({
      national: { countryCode: "44", trunkPrefix: "0", internationalPrefix: "00" },
    });
  });

  it.each([
    [{ number_format: { national: { country_code: "+44", trunk_prefix: "0" } } }, "number_format"],
    [{ register: true }, "register needs username or from_user"],
    [{ registrar: "reg.example" }, 'registrar needs "register": true'],
    [{ transport: "sctp" }, "transport"],
    [{ transport: "tcp", tls_ca: "ca.pem" }, "tls_ca, tls_cert and tls_key need"],
    [{ transport: "tls", tls_cert: "exchange.pem" }, "tls_cert and tls_key go together"],
    [{ transport: "tls", tls_ca: "absent.pem" }, "main: tls_ca: absent.pem cannot be read as PEM"],
    [{ transport: "tls", tls_ca: "trunks.json" }, "main: tls_ca: trunks.json cannot be read as PEM"],
    [{ transport: "tls", tls_cert: "exchange.pem", tls_key: "other.key" }, "main: tls_key is not the key of tls_cert"],
  ])("%j is refused: %s", (trunk, problem) => {
    expect(() => read(trunk)).toThrow(problem);
  });
});
