import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import type { Product } from "@farline/e2e/support/product.ts";
import { freePort } from "@farline/voice/test/free-port.ts";
import { AWAY, AWAY_MS, type Fault } from "../support/fault-table.ts";
import { commandOf, processOf } from "../support/processes.ts";
import { atTheEnd, folder } from "../support/run-drill.ts";
import { until } from "../support/readiness.ts";

const SERVICE = "server/src/main.ts";
const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const STARTED_WITHIN_MS = 60_000;

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
    return {
      name: "payment provider answers 500 until it is seen",
      ...{ survives: false, lastsMs: 0, seen: "farline_part_up payments" },
      strike: async () => {
        writeFileSync(this.#flag, "");
        return () => rmSync(this.#flag);
      },
    };
  }
}

/** Carriers that cannot be reached, beside the one that carries the calls, and a second service on the same database. */
export function faultsOfProviders(product: Product): Fault[] {
  const file = join(product.dataDir, "sandbox-trunk.json");
  const extraTrunk = (name: string, trunk: string, make: () => Promise<Record<string, unknown>>): Fault => ({
    name: `${name} until it is seen`,
    ...{ survives: false, lastsMs: 0, seen: `farline_trunk_up ${trunk}` },
    async strike() {
      const before = readFileSync(file, "utf8");
      const trunks = JSON.parse(before) as unknown[];
      writeFileSync(file, JSON.stringify([...trunks, { name: trunk, ...(await make()) }]));
      return () => writeFileSync(file, before);
    },
  });
  return [
    ...(existsSync(FAKETIME) ? [extraTrunk("trunk's certificate expired", "expired", expiredTrunk)] : []),
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
    name: `second service on the database for ${AWAY}`,
    ...{ survives: true, lastsMs: AWAY_MS },
    async strike() {
      const pid = await processOf(product.pid, SERVICE);
      const env = Object.fromEntries(
        readFileSync(`/proc/${pid}/environ`, "utf8")
          .split("\0")
          .filter(Boolean)
          .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
      const port = await freePort();
      const script = fileURLToPath(new URL(`../../${SERVICE}`, import.meta.url));
      const child = fork(script, [], {
        env: { ...env, PORT: String(port) },
        execArgv: [],
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      atTheEnd(() => child.kill("SIGKILL"));
      const ready = async () => (await fetch(`http://127.0.0.1:${port}/api/ready`).catch(() => null))?.ok === true;
      await until(`second service beside ${commandOf(pid)}`, ready, STARTED_WITHIN_MS);
      return () => child.kill("SIGTERM");
    },
  };
}
