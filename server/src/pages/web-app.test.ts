import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp } from "../../test/create-test-app.ts";
import type { App } from "../platform/http/http.ts";
import { EXAMPLE_SELLER, testConfig } from "../../test/test-context.ts";
import { appConfig } from "./operations-routes.ts";
import { webApp } from "./web-app.ts";

/** The name would end the element that carries it. */
const config = testConfig({ sellerNotice: { ...EXAMPLE_SELLER, name: "Calls </script> & Co. $&" } });
let folder: string;
let app: App;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "farline-web-"));
  await writeFile(
    join(folder, "index.html"),
    '<!doctype html><html lang="en"><head><meta property="og:image" content="/og.png" /></head></html>',
  );
  await mkdir(join(folder, "shell"));
  await copyFile(join(folder, "index.html"), join(folder, "shell", "en-register.html"));
  app = createTestApp({ log: pino({ level: "silent" }), trustedProxies: 0, guards: {} });
  webApp(app, folder, config);
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

const links = ["/credit", "/family/join", "/register?ref=x", "/newsletter/confirm"];

test.each(links)("%s is a page, with the picture's whole address, for programs that preview it", async (url) => {
  for (const method of ["GET", "HEAD"] as const)
    for (const headers of [{ accept: "*/*" }, { accept: "image/*,*/*;q=0.8" }, {}]) {
      const answer = await app.inject({ method, url, headers });
      expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      expect(answer.body.includes('content="https://farline.example/og.png"')).toBe(method === "GET");
    }
});

test.each(["/register", "/nowhere"])("%s carries the settings that the app would ask for", async (url) => {
  const { body } = await app.inject({ url, headers: { accept: "text/html" } });
  const [, carried = ""] = /<script type="application\/json" data-config>([^<]*)<\/script><\/head>/.exec(body) ?? [];
  expect(JSON.parse(carried)).toEqual(appConfig(config));
  expect(body).toContain('<html data-mode="sandbox" lang="en">');
});

test.each(["/login", "/register?ref=x"])(
  "a form at %s that is sent without the app leads back to its page, unread",
  async (url) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await app.inject({ method: "POST", url, headers, payload: "email=a%40b.example&password=secret" });
    expect([answer.statusCode, answer.headers.location, answer.body]).toEqual([303, url.split("?")[0], ""]);
  },
);

test.each([
  ["/history", "noindex"],
  ["/reset-password?token=t", "noindex"],
  ["/register?ref=x", undefined],
])("the robots tag of %s is %s", async (url, tag) => {
  const answer = await app.inject({ url, headers: { accept: "text/html" } });
  expect([answer.statusCode, answer.headers["x-robots-tag"]]).toEqual([200, tag]);
});

test.each([
  ["/", 200],
  ["/account?from=mail", 200],
  ["/Billing/Receipts/12", 200],
  ["/credit", 200],
  ["/credit/thanks", 200],
  ["/account/google/callback", 200],
  ["/nowhere", 404],
  ["/call", 404],
  ["/call/1/2", 404],
  ["/creditors", 404],
  ["/x/dialer", 404],
])("the app's page at %s has status %d", async (url, status) => {
  const etags = [];
  for (const method of ["GET", "HEAD"] as const) {
    const answer = await app.inject({ method, url, headers: { accept: "text/html" } });
    expect([answer.statusCode, answer.headers["x-robots-tag"]]).toEqual([status, "noindex"]);
    expect(answer.body.includes("data-config")).toBe(method === "GET");
    etags.push(answer.headers.etag);
  }
  const again = await app.inject({ url, headers: { accept: "text/html", "if-none-match": String(etags[0]) } });
  expect(again.statusCode).toBe(status === 200 ? 304 : 404);
});

test.each([
  ["/help/", "/help"],
  ["/rates/ghana//?a=1", "/rates/ghana?a=1"],
  ["//evil.example/", "/evil.example"],
])("%s leads to %s", async (url, location) => {
  const answer = await app.inject({ url, headers: { accept: "text/html" } });
  expect([answer.statusCode, answer.headers.location]).toEqual([301, location]);
});

test("a program's request with a slash at its end leads nowhere", async () => {
  const requests = [{ url: "/nothing/" }, { url: "/api/nothing/" }, { url: "/help/", method: "POST" as const }];
  for (const request of requests) expect((await app.inject({ ...request, headers: { accept: "*/*" } })).statusCode).toBe(404);
});

test.each(["/favicon.ico", "/old.js", "/api/nothing"])("%s is no page", async (url) => {
  expect((await app.inject({ url, headers: { accept: "*/*" } })).statusCode).toBe(404);
});
