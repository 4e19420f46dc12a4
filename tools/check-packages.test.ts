import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const ADVISORY = {
  id: 1,
  url: "https://github.com/advisories/GHSA-0000-0000-0000",
  title: "Everybody may read everything",
  severity: "high",
  vulnerable_versions: "<999",
};

let registry: Server;
let answers: boolean;
beforeAll(async () => {
  registry = createServer((request, response) => {
    const found = { pino: [ADVISORY], "@fastify/otel": [ADVISORY] };
    const body = request.method === "POST" ? found : describe(decodeURIComponent(request.url ?? "").slice(1));
    response.writeHead(answers ? 200 : 405, { "content-type": "application/json" }).end(JSON.stringify(answers ? body : {}));
  });
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", () => resolve()));
});
afterAll(() => registry.close());

/** As a registry describes a package of which it has the version of a lock file alone. */
function describe(name: string): object {
  const versions = ["package-lock.json", "deploy/tracing/package-lock.json"].flatMap((path) => {
    const { packages } = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, { version: string }> };
    return packages[`node_modules/${name}`]?.version ?? [];
  });
  const described = versions.map((version) => [version, { name, version }]);
  return { name, "dist-tags": { latest: versions[0] }, versions: Object.fromEntries(described) };
}

async function check(): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    ...process.env,
    npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}`,
    npm_config_fetch_retries: "0",
  };
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, ["tools/check-packages.ts"], { env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

test("a package with a known fault fails the check, which names the fault, for the product and for tracing", async () => {
  answers = true;
  const { code, stdout } = await check();
  expect(code).toBe(1);
  const fault = "has a known fault (high): Everybody may read everything https://github.com/advisories/";
  expect(stdout).toContain(`./package-lock.json: pino <999 ${fault}`);
  expect(stdout).toContain(`deploy/tracing/package-lock.json: @fastify/otel <999 ${fault}`);
});

test("a registry without a list of known faults stops nobody, and the check says so", async () => {
  answers = false;
  const { code, stderr } = await check();
  expect(code).toBe(0);
  for (const folder of [".", "deploy/tracing"])
    expect(stderr).toContain(`NOT CHECKED for known faults: ${folder}/package-lock.json. The registry's list was not read: 405`);
});
