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
    const body = request.method === "POST" ? { pino: [ADVISORY] } : describe(decodeURIComponent(request.url ?? "").slice(1));
    response.writeHead(answers ? 200 : 405, { "content-type": "application/json" }).end(JSON.stringify(answers ? body : {}));
  });
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", () => resolve()));
});
afterAll(() => registry.close());

/** As a registry describes a package of which it has the installed version alone. */
function describe(name: string): object {
  const installed = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as { version: string };
  return { name, "dist-tags": { latest: installed.version }, versions: { [installed.version]: installed } };
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

test("a package with a known fault fails the check, which names the fault", async () => {
  answers = true;
  const { code, stdout } = await check();
  expect(code).toBe(1);
  expect(stdout).toContain("pino <999 has a known fault (high): Everybody may read everything https://github.com/advisories/");
});

test("a registry without a list of known faults stops nobody, and the check says so", async () => {
  answers = false;
  const { code, stderr } = await check();
  expect(code).toBe(0);
  expect(stderr).toContain("The registry's list of known faults was not read: 405");
});
