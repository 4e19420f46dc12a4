import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import Fastify from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBrowserListener } from "./exchange-core.ts";
import { declareRoutes } from "./declare-routes.ts";
import { pageOrigin, testExchange, type TestExchange } from "../test/test-exchange.ts";

let bench: TestExchange;
beforeEach(async () => {
  bench = await testExchange();
});
afterEach(() => bench.close());

/** Sends the path unchanged. */
async function ask(port: number, method: string, path: string, key?: string): Promise<{ status: number; body: string }> {
  const asked = request({
    host: "127.0.0.1",
    port,
    method,
    path,
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
  });
  asked.end(method === "POST" || method === "PUT" ? "{}" : undefined);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}

const percent = (letters: string): string => [...letters].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");

/** Spellings of a path that a router may treat as equal. */
function spellings(path: string): string[] {
  const [, first = "", ...rest] = path.split("/");
  const after = rest.map((part) => `/${part}`).join("");
  return [
    path,
    `/${percent(first)}${after}`,
    `/${percent(first).toUpperCase()}${after}`,
    `/${first.slice(0, -1)}${percent(first.slice(-1))}${after}`,
    `/${first}${rest.map((part) => `/${percent(part)}`).join("")}`,
    `/${path}`,
    `/.${path}`,
    `/x/..${path}`,
    `/%2e${path}`,
    path.toUpperCase(),
    `${path}/`,
    `${path};x=1`,
    `/;x${path}`,
    `${path}?x`,
    `http://127.0.0.1${path}`,
    `http://127.0.0.1/${percent(first)}${after}`,
    `${path}%`,
    `${path}/%ff`,
    `${path}/${"x".repeat(300)}`,
    `/v2\\${path}`,
  ];
}

function paths(): { method: string; path: string }[] {
  const routes = bench.exchange.routes.control.map(({ method, url }) => ({ method, path: url.replace(":id", "v3:x") }));
  return [...routes, { method: "GET", path: "/v2" }, { method: "GET", path: "/" }, { method: "OPTIONS", path: "*" }];
}

describe("the control listener", () => {
  test("refuses every path in every spelling without the key", async () => {
    for (const { method, path } of paths())
      for (const spelled of spellings(path)) {
        const { status, body } = await ask(bench.exchange.controlPort, method, spelled);
        expect(`${method} ${spelled} ${status}`).toBe(`${method} ${spelled} 401`);
        if (method !== "HEAD") expect(JSON.parse(body)).toMatchObject({ errors: [{ code: "10009" }] });
      }
  });

  test("refuses keys that are almost right", async () => {
    for (const key of ["", "KEYtes", "KEYtest2", "keytest"])
      expect((await ask(bench.exchange.controlPort, "GET", "/v2/balance", key)).status).toBe(401);
    expect((await ask(bench.exchange.controlPort, "GET", "/v2/balance", "KEYtest")).status).toBe(200);
  });
});

describe("the browsers' listener", () => {
  test("has no commands in any spelling, with or without the key", async () => {
    for (const { method, path } of paths().filter((one) => one.path !== "/healthz"))
      for (const spelled of spellings(path))
        for (const key of [undefined, bench.config.apiKeys[0]]) {
          const { status } = await ask(bench.exchange.port, method, spelled, key);
          expect(`${method} ${spelled} ${status}`).toMatch(/ (400|404|413|414)$/);
        }
  });

  test("reports that it runs, and no business metrics", async () => {
    await bench.browser();
    for (const path of ["/healthz", "/readyz"])
      expect(await ask(bench.exchange.port, "GET", path)).toEqual({ status: 200, body: '{"status":"ok"}' });
    const counts = await ask(bench.exchange.controlPort, "GET", "/healthz", bench.config.apiKeys[0]);
    expect(JSON.parse(counts.body)).toMatchObject({ status: "ok", calls: 0, sockets: 1 });
    const metrics = await ask(bench.exchange.controlPort, "GET", "/metrics", bench.config.apiKeys[0]);
    expect(metrics.body).toContain("farline_exchange_sockets 1\n");
    expect(bench.exchange.routes.browsers).toEqual(
      ["/healthz", "/readyz"].flatMap((url) => ["GET", "HEAD"].map((method) => ({ method, url, access: "visitor", schema: {} }))),
    );
  });
});

test("the control listener accepts no WebSocket", async () => {
  const socket = connect(bench.exchange.controlPort, "127.0.0.1");
  socket.write(
    `GET /v2/balance HTTP/1.1\r\nHost: x\r\nOrigin: ${pageOrigin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

test("a route without an access declaration, or with another access than its listener, prevents the start", () => {
  const app = Fastify();
  declareRoutes(app, "exchange-key");
  expect(() => app.get("/undeclared", () => null)).toThrow("GET /undeclared does not declare who may call it");
  const { app: browsers } = createBrowserListener({ listenOn: () => {} } as never);
  expect(() => browsers.get("/v2/x", { config: { access: "exchange-key" } }, () => null)).toThrow('its listener for "visitor"');
});
