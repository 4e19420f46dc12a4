import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { connect, createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import { freePort } from "@farline/voice/test/free-port.ts";
import { expect, onTestFinished, test, vi } from "vitest";

/** Of the file that Debian's package installs, to which an operator appends ours. */
const DEBIAN_DEFAULTS = `defaults
  mode http
  option httplog
  option dontlognull
  timeout connect 5000
  timeout client 50000
  timeout server 50000
`;

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  const port = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  return port;
}

function shipped(name: string): string {
  return readFileSync(`deploy/haproxy/${name}`, "utf8");
}

/** Runs HAProxy until the end of the test. */
function startBalancer(config: string): void {
  const folder = mkdtempSync(join(tmpdir(), "balancer-"));
  writeFileSync(join(folder, "haproxy.cfg"), config);
  const proxy = spawn("/usr/sbin/haproxy", ["-db", "-f", join(folder, "haproxy.cfg")], { stdio: "inherit" });
  onTestFinished(async () => {
    proxy.kill("SIGTERM");
    if (proxy.exitCode === null) await once(proxy, "exit");
    rmSync(folder, { recursive: true });
  });
}

/** Two services of different releases behind the shipped balancer. Each has the file of its own release alone. */
async function startTwoReleases(state: { readonly database: boolean }): Promise<string> {
  const start = (release: string) =>
    serve(({ url = "" }, response) => {
      const isMissing = url.startsWith("/assets/") && url !== `/assets/${release}.js`;
      const status = url === "/api/ready" && !state.database ? 503 : isMissing ? 404 : 200;
      response.writeHead(status).end(status === 503 ? "Not ready: database." : release);
    });
  const ports: Readonly<Record<string, number>> = { 3080: await freePort(), 3000: await start("one"), 3010: await start("two") };
  startBalancer(shipped("haproxy.cfg").replaceAll(/(?<=127\.0\.0\.1:)\d+/g, (port) => String(ports[port])));
  const url = `http://127.0.0.1:${ports[3080]}`;
  await expect.poll(async () => (await fetch(`${url}/api/ready`)).status).toBe(200);
  return url;
}

test("a page of either release gets its files while both run, and a file that nobody has is not found", async () => {
  const url = await startTwoReleases({ database: true });
  for (const file of ["one.js", "two.js", "one.js", "two.js", "two.js"])
    expect((await fetch(`${url}/assets/${file}`)).status).toBe(200);
  expect((await fetch(`${url}/assets/three.js`)).status).toBe(404);
});

test("while no service is ready, pages and their settings are served, and the API refuses as the service itself does", async () => {
  const state = { database: true };
  const url = await startTwoReleases(state);
  state.database = false;
  const refused = await vi.waitFor(async () => {
    const response = await fetch(`${url}/api/rates`);
    expect(response.status).toBe(503);
    return response;
  }, PATIENCE);
  const { unavailable } = JSON.parse(readFileSync("texts/en/service.json", "utf8")) as Record<string, string>;
  expect(await refused.json()).toEqual({ message: unavailable, code: "unavailable" });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.get("content-type")).toMatch(/^application\/json/);
  for (const path of ["/", "/dialer", "/api/config", "/assets/one.js"]) expect((await fetch(`${url}${path}`)).status).toBe(200);
});

test("the database's block, appended to Debian's file, leads to the primary and speaks no HTTP", async () => {
  const primary = await listen(createTcpServer((socket) => void socket.end("N")));
  const patroni = await serve(({ url }, response) => response.writeHead(url === "/primary" ? 200 : 404).end());
  const port = await freePort();
  const block = shipped("database.cfg")
    .replace(":5433", `:${port}`)
    .replace("port 8008", `port ${patroni}`)
    .replaceAll(/10\.0\.0\.1\d:5432/g, `127.0.0.1:${primary}`);
  startBalancer(DEBIAN_DEFAULTS + block);
  await expect.poll(() => firstByte(port)).toBe("N");
});

/** What the server says to PostgreSQL's request for TLS. */
async function firstByte(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  const [answer] = (await once(socket, "data", { signal: AbortSignal.timeout(1_000) })) as [Buffer];
  return answer.toString();
}
