import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import type { Product } from "@farline/e2e/support/product.ts";
import { freePort } from "@farline/voice/test/free-port.ts";
import { type Fault, passing, untilSeen } from "../support/fault-table.ts";
import { environmentOf, processOf, SCRIPTS } from "../support/processes.ts";
import { atTheEnd, folder } from "../support/run-drill.ts";
import { startService } from "../support/service-process.ts";

/** Of the package libfaketime; undefined if it is not installed. */
export const [FAKETIME] = globSync("/usr/lib/*/faketime/libfaketime.so.1");

/** A payment provider that answers 500 to everything, on its own port. The service is led to it while a file exists. */
export class FailingProvider {
  readonly preload = join(folder, "preload.mjs");
  readonly #flag = join(folder, "provider-fails");

  static async start(): Promise<FailingProvider> {
    const provider = new FailingProvider();
    const server = createServer((_request, response) =>
      response.writeHead(500, { "content-type": "application/json" }).end('{"error":{"type":"api_error"}}'),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    atTheEnd(() => server.close());
    // Stripe's client is the only one that uses http.request with a path of /v1.
    writeFileSync(
      provider.preload,
      `import http from "node:http";
import { existsSync } from "node:fs";
const request = http.request;
http.request = (options, ...rest) => {
  const fails = String(options?.path).startsWith("/v1/") && existsSync(${JSON.stringify(provider.#flag)});
  return request(fails ? { ...options, port: ${(server.address() as AddressInfo).port} } : options, ...rest);
};
`,
    );
    return provider;
  }

  fault(): Fault {
    return untilSeen("payment provider answers 500", "farline_part_up payments", async () => {
      writeFileSync(this.#flag, "");
      return () => rmSync(this.#flag);
    });
  }
}

/** Carriers that cannot be reached, beside the one that carries the calls, and a second service on the same database. */
export function faultsOfProviders(product: Product): Fault[] {
  const file = join(product.dataDir, "sandbox-trunk.json");
  const extraTrunk = (name: string, trunk: string, make: () => Promise<Record<string, unknown>>): Fault =>
    untilSeen(name, `farline_trunk_up ${trunk}`, async () => {
      const before = readFileSync(file, "utf8");
      const trunks = JSON.parse(before) as unknown[];
      writeFileSync(file, JSON.stringify([...trunks, { name: trunk, ...(await make()) }]));
      return () => writeFileSync(file, before);
    });
  return [
    ...(FAKETIME === undefined ? [] : [extraTrunk("trunk's certificate expired", "expired", expiredTrunk)]),
    extraTrunk("carrier's name gone from DNS", "nameless", async () => ({
      host: "carrier.invalid",
      port: 5060,
      transport: "tcp",
    })),
    secondService(product),
  ];
}

/** A carrier whose certificate ended long ago. */
async function expiredTrunk(): Promise<Record<string, unknown>> {
  const [key, cert] = [join(folder, "carrier.key"), join(folder, "carrier.pem")];
  const options = ["-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "30", "-subj", "/CN=localhost"];
  execFileSync("openssl", ["req", "-x509", ...options, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], {
    env: { ...process.env, LD_PRELOAD: FAKETIME, FAKETIME: "@2020-01-01 00:00:00" },
    stdio: "ignore",
  });
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atTheEnd(() => server.close());
  return { host: "127.0.0.1", port: (server.address() as AddressInfo).port, transport: "tls", tls_ca: cert };
}

/** Two services work on one database, as during a deployment. Nobody need notice. */
function secondService(product: Product): Fault {
  return {
    ...passing("second service on the database", async () => {
      const env = environmentOf(await processOf(product.pid, SCRIPTS.service));
      const child = await startService({ ...env, PORT: String(await freePort()) });
      atTheEnd(() => child.kill("SIGKILL"));
      return () => child.kill("SIGTERM");
    }),
    survives: true,
  };
}
