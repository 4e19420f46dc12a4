import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "./platform/settings/config.ts";
import { testDatabase, type TestDatabase } from "../test/test-database.ts";
import { startService, type Service } from "./service.ts";

let database: TestDatabase;
let provider: Server;
let env: Record<string, string>;
let service: Service;
const logged: string[] = [];
/** What a process needs beside its settings; without the cache it takes twice as long to load. */
const SHELL = { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "" };

beforeAll(async () => {
  database = await testDatabase();
  provider = createServer((_request, response) => response.writeHead(401, { "content-type": "application/json" }).end("{}"));
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  env = {
    PORT: "0",
    PUBLIC_URL: "http://localhost:3000",
    DATABASE_URL: database.url,
    SANDBOX_URL: providerUrl,
    STRIPE_API_BASE: providerUrl,
    STRIPE_SECRET_KEY: "sk_test_1",
    STRIPE_WEBHOOK_SECRET: "whsec_1",
    TELNYX_API_BASE: providerUrl,
    TELNYX_API_KEY: "KEY1",
    TELNYX_PUBLIC_KEY: Buffer.alloc(32).toString("base64"),
    TELNYX_CONNECTION_ID: "1",
    LIMITS_SCALE: "0",
  };
  const log = pino({ level: "trace" }, { write: (line: string) => void logged.push(line) });
  service = await startService(readConfig(env), { log, webFolder: tmpdir() });
});
afterAll(async () => {
  await service.close();
  await new Promise((resolve) => provider.close(resolve));
  await database.close();
});

test("all subjects are served on one address", async () => {
  const request = async (path: string, init?: RequestInit) => fetch(service.url + path, init);
  expect(await (await request("/api/ready")).json()).toMatchObject({ status: "ready" });
  expect((await request("/api/rates")).status).toBe(200);
  expect((await request("/api/billing/packages")).status).not.toBe(404);
  for (const path of ["/api/user", "/api/billing/balance", "/api/calls/history"]) expect((await request(path)).status).toBe(401);
  for (const hook of ["stripe", "telnyx"]) {
    const forged = await request(`/api/webhooks/${hook}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect([forged.status, ((await forged.json()) as { code: string }).code]).toEqual([400, "bad_signature"]);
  }
});

test("every metric that an alert or the dashboard uses exists, and the page of monitoring has each", async () => {
  const used = ["alerts.yml", "dashboard.json"].flatMap(
    (file) =>
      readFileSync(new URL(`../../deploy/monitoring/${file}`, import.meta.url), "utf8").match(/\bfarline_(?!exchange_)\w+/g) ??
      [],
  );
  const described = (await (await fetch(`${service.url}/metrics`)).text()).matchAll(/^# TYPE (\w+)/gm);
  const known = new Set([...described].map(([, name]) => name));
  const unknown = used.filter((name) => !known.has(name.replace(/_(bucket|count|sum)$/, "")));
  expect(new Set(used).size).toBeGreaterThan(10);
  expect(unknown).toEqual([]);
  const page = readFileSync(new URL("../../docs/operate/monitoring.md", import.meta.url), "utf8");
  expect([...known].filter((name) => name?.startsWith("farline_") && !page.includes(`\`${name}\``))).toEqual([]);
});

test("every customer route refuses a request without a session before reading its body", async () => {
  const bodies = [
    ["application/json", '{"'],
    ["application/json", JSON.stringify("x".repeat(300_000))],
    ["text/xml", "<a/>"],
    ["multipart/form-data", "no boundary"],
  ] as const;
  const doors = service.routes.filter(
    ({ access, method }) => ["customer", "step-up", "step-up-when"].includes(access) && method !== "HEAD",
  );
  expect(doors.length).toBeGreaterThan(50);
  for (const { method, url } of doors)
    for (const [type, body] of method === "GET" ? [] : bodies) {
      const answer = await fetch(service.url + url.replaceAll(/:\w+/g, "nonsense"), {
        method,
        headers: { "content-type": type, authorization: "Bearer fl_nobody" },
        body,
      });
      expect([method, url, type, answer.status]).toEqual([method, url, type, 401]);
    }
  for (const { url } of doors.filter((door) => door.method === "GET"))
    expect([url, (await fetch(`${service.url}${url}?limit=many&cursor=%00`)).status]).toEqual([url, 401]);
});

/** Names of fields that hold money. */
const MONEY = /amount|cap$|threshold|dollars|micros|forfeited|bonus|credit/;
const NO_AMOUNTS: readonly unknown[] = [
  ...[
    "1e3",
    "٥٠",
    "５",
    "5.000000000001",
    "-0",
    "-5",
    "+5",
    "0x10",
    "5,00",
    "1_000",
    "$5",
    "",
    " ",
    "NaN",
    "Infinity",
    `1${"0".repeat(30)}`,
  ],
  ...[1e30, 5e-7, -0.01, 10.005, true, [5], ["5"], { value: 5 }, { toString: "5" }],
];

test("all request fields that hold money accept and refuse the same amounts", async () => {
  const { paths, components } = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as OpenApi;
  const fields = Object.entries(paths).flatMap(([url, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) =>
      moneyFields(requestBody?.content["application/json"]?.schema ?? {}, components.schemas).map((field) => ({
        ...field,
        url,
        method,
      })),
    ),
  );
  expect(fields.length).toBeGreaterThan(7);
  const headers = { authorization: `Bearer ${await signUp("croesus@example.com")}`, "content-type": "application/json" };
  for (const { url, method, name, schema } of fields) {
    expect([url, name, JSON.stringify(schema)]).toEqual([url, name, expect.stringMatching(/(Typed|Shown)DollarsInput/)]);
    // An operator's routes refuse the customer first.
    if (url.startsWith("/api/operator/")) continue;
    for (const amount of NO_AMOUNTS) {
      const body = JSON.stringify({ on: true, [name]: amount });
      const answer = await fetch(service.url + url, { method: method.toUpperCase(), headers, body });
      const { code, errors = {} } = (await answer.json()) as { code: string; errors?: Record<string, string[]> };
      expect([url, amount, answer.status, code, errors[name]]).toEqual([
        url,
        amount,
        422,
        "validation_failed",
        ["Enter an amount in dollars, for example 10 or 12.50"],
      ]);
    }
  }
});

interface OpenApi {
  readonly paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: JsonSchema }> } }>>;
  readonly components: { readonly schemas: Record<string, JsonSchema> };
}
interface JsonSchema {
  readonly $ref?: string;
  readonly properties?: Record<string, JsonSchema>;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

function moneyFields(schema: JsonSchema, schemas: Record<string, JsonSchema>): { name: string; schema: JsonSchema }[] {
  const named = schema.$ref === undefined ? {} : (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => MONEY.test(name));
  return [
    ...own.map(([name, field]) => ({ name, schema: field })),
    ...parts.flatMap((part) => moneyFields(part, schemas)),
    ...(schema.$ref === undefined ? [] : moneyFields(named, schemas)),
  ];
}

test("spelling variants of a URL path get the same response", async () => {
  const asWritten = await fetch(`${service.url}/api/user`);
  for (const spelling of ["/%61pi/user", "/api/%75ser", "/%61%70%69/%75%73%65%72"]) {
    const answer = await fetch(service.url + spelling);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([401, "no-store"]);
    expect(answer.headers.get("referrer-policy")).toBe(asWritten.headers.get("referrer-policy"));
  }
});

test("secrets in a URL reach no log, cache or other site", async () => {
  const token = await signUp("mallory@example.com");
  logged.length = 0;
  const secrets = [token, "fl_not-a-session", "link-secret", "code-secret", "ticket-secret"];
  for (const [path, good] of [
    [`/api/contacts/export?format=csv&token=${token}`, true],
    [`/%61pi/contacts/export?format=vcf&token=${token}`, true],
    [`/api/contacts/export?token=fl_not-a-session`, false],
    [`/api/contacts/export?format=none&token=${token}`, false],
    [`/api/contacts/export/?token=${token}`, false],
    [`/api//contacts/export?token=${token}`, false],
    [`/api/contacts/export?ticket=ticket-secret`, false],
    [`/api/calls/export?ticket=ticket-secret`, false],
    [`/api/billing/document?ticket=ticket-secret`, false],
    [`/nothing/link-secret?token=${token}`, false],
    [`/verify-email?token=link-secret`, false],
    [`/auth/google/callback?code=code-secret&state=code-secret`, false],
  ] as const) {
    const answer = await fetch(service.url + path);
    await answer.text();
    expect([path.replace(token, "…"), answer.ok]).toEqual([path.replace(token, "…"), good]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
  }
  expect(logged.join("")).toContain('"route":"/api/contacts/export"');
  for (const secret of secrets) expect(logged.join("")).not.toContain(secret);
});

async function signUp(email: string): Promise<string> {
  const body = { name: "Ada Lovelace", email, password: "correct horse battery", password_confirmation: "correct horse battery" };
  const registered = await fetch(`${service.url}/api/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(registered.status).toBe(201);
  return ((await registered.json()) as { token: string }).token;
}

test("a new customer has an empty account and no calls", async () => {
  const token = await signUp("ada@example.com");
  const headers = { authorization: `Bearer ${token}` };
  expect(await (await fetch(`${service.url}/api/billing/balance`, { headers })).json()).toMatchObject({
    balance: "0.00",
    available: "0.00",
  });
  expect(await (await fetch(`${service.url}/api/calls/history`, { headers })).json()).toMatchObject({
    calls: { data: [], total: 0 },
  });
});

test("invalid bodies are refused with a clear error", async () => {
  const post = (body: string, type = "application/json") =>
    fetch(`${service.url}/api/login`, { method: "POST", headers: { "content-type": type }, body });
  for (const [body, status, code, type] of [
    ['{"email":', 400, "malformed_request", undefined],
    ["[]", 422, "validation_failed", undefined],
    ["{}", 415, "unsupported_media_type", "text/plain"],
    [JSON.stringify({ email: "a".repeat(70_000) }), 413, "body_too_large", undefined],
  ] as const) {
    const answer = await post(body, type);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code]);
  }
});

test("a service that cannot listen releases its resources", async () => {
  const port = new URL(service.url).port;
  await expect(startService(readConfig({ ...env, PORT: port }), { log: pino({ level: "silent" }) })).rejects.toThrow(
    /EADDRINUSE/,
  );
});

async function startProcess(): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(fileURLToPath(new URL("main.ts", import.meta.url)), [], {
    env: { ...env, ...SHELL },
    silent: true,
  });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`The process ended before it was ready: ${said}`)));
  const [message] = (await Promise.race([once(child, "message"), ended])) as [{ ready: boolean; url: string }];
  ended.catch(() => undefined); // caused by the test itself
  expect(message.ready).toBe(true);
  return { child, url: message.url };
}

test.each([
  ["exits cleanly on SIGTERM", (child: ChildProcess) => child.kill("SIGTERM"), [0, null]],
  ["exits cleanly on SIGINT", (child: ChildProcess) => child.kill("SIGINT"), [0, null]],
  ["does not outlive its supervisor", (child: ChildProcess) => child.disconnect(), [null, "SIGKILL"]],
])("the process reports that it is ready and %s, although a browser keeps a connection", async (_what, end, how) => {
  const { child, url } = await startProcess();
  const kept = await fetch(`${url}/api/health`, { headers: { connection: "keep-alive" } });
  expect(kept.status).toBe(200);
  const exited = once(child, "exit");
  end(child);
  expect(await exited).toEqual(how);
});

test("the process exits if its supervisor dies before it listens", async () => {
  const child = fork(fileURLToPath(new URL("main.ts", import.meta.url)), [], {
    env: { ...env, ...SHELL },
    silent: true,
  });
  const exited = once(child, "exit");
  child.disconnect();
  expect(await exited).toEqual([null, "SIGKILL"]);
});

test("a missing setting prevents the start with a message that names it", async () => {
  const { STRIPE_SECRET_KEY: _, ...rest } = env;
  const child = fork(fileURLToPath(new URL("main.ts", import.meta.url)), [], {
    env: { ...rest, ...SHELL },
    silent: true,
  });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = await once(child, "exit");
  expect(code).toBe(1);
  expect(said).toContain("STRIPE_SECRET_KEY");
});
