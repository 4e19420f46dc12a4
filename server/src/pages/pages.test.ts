import { DAY_MS } from "@farline/domain/durations.ts";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../platform/clock.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import type { App } from "../platform/http/http.ts";
import type { ReadyResponse } from "@farline/contract/operations.ts";
import type { Metric } from "../platform/metric.ts";
import { createTestApp } from "../../test/create-test-app.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { createMonitoring } from "./metrics.ts";
import { createReadiness, inlineCode, partMetrics, operationsRoutes, monitorGuard, securityHeaders, webApp } from "./pages.ts";
import { EXAMPLE_SELLER, noRates, testConfig, testContext } from "../../test/test-context.ts";

const log = pino({ level: "silent" });
const HTML = { accept: "text/html,application/xhtml+xml" };
const built = (body: string) =>
  `<!doctype html><html lang="en"><head><meta property="og:image" content="/og.png" /></head>${body}</html>`;
const sha256 = (code: string) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`;
const shellIn = (name: string) => built(`<style>p{margin:0}</style><script>go()</script><!-- ${name} -->`);

let database: TestDatabase;
let provider: Server;
let providerUrl: string;
let folder: string;
/** Of both providers. */
const answer = { status: 200, type: "application/json" };

beforeAll(async () => {
  database = await testDatabase();
  provider = createServer((_request, response) =>
    response.writeHead(answer.status, { "content-type": answer.type, date: new Date().toUTCString() }).end("{}"),
  );
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), "farline-web-"));
  for (const name of ["assets", "shell", ".vite"]) await mkdir(join(folder, name));
  await writeFile(join(folder, "index.html"), built("<!-- index -->"));
  await writeFile(join(folder, "mark.svg"), "<svg/>");
  await writeFile(join(folder, "assets", "index-abc123.js"), "export {};");
  await writeFile(join(folder, "assets", "index-abc123.js.br"), "packed");
  for (const name of ["en", "ar", "en-dialer", "ar-dialer", "ar-history", "ar-login"])
    await writeFile(join(folder, "shell", `${name}.html`), shellIn(name));
  for (const own of [".vite/manifest.json", ".built", "assets/index-abc123.js.map", "assets/.hidden.js"])
    await writeFile(join(folder, own), "{}");
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await new Promise((resolve) => provider.close(resolve));
  await database.close();
});

interface Setting {
  publicUrl?: string;
  wsUrl?: string | null;
  voice?: string;
  ratesReady?: boolean;
  differences?: number;
  metricsToken?: string | null;
  webFolder?: string;
  stopping?: boolean;
  closed?: boolean;
  clock?: Clock;
}

const DIFFERENCES = expect.objectContaining({ text: "2 things do not fit.", runbook: "person-needed" }) as unknown;

/** How often the metric was read. */
let reads = 0;

const madeUpMetrics = ({ differences = 0 }: Setting): Metric[] => [
  {
    name: "farline_differences",
    help: "What does not fit",
    read: async () => {
      reads += 1;
      return differences;
    },
    runbook: "person-needed",
    level: "ticket",
    warning: (value) => (value === 0 ? null : `${value} things do not fit.`),
  },
];

async function withApp(setting: Setting, run: (app: App) => Promise<void>): Promise<void> {
  const guards = { monitor: monitorGuard(testConfig({ metricsToken: setting.metricsToken ?? null })) };
  const app = createTestApp({ log, trustedProxies: 0, guards });
  const base = testConfig();
  const publicUrl = setting.publicUrl ?? "http://localhost:3000";
  const telnyx = { ...base.telnyx, apiBase: setting.voice ?? `${providerUrl}/v2`, wsUrl: setting.wsUrl ?? null };
  const ctx = testContext({
    handle: database.handle,
    clock: setting.clock ?? systemClock,
    log,
    rates: { ...noRates, ready: () => setting.ratesReady ?? true },
    config: {
      publicUrl,
      telnyx,
      stripe: { ...base.stripe, apiBase: providerUrl },
      supportEmail: "help@example.com",
      sandboxUrl: "http://localhost:3001",
      promotions: { firstCallMicros: 250_000n, referralMicros: 0n, freeCreditPerDayMicros: 0n },
      sellerNotice: EXAMPLE_SELLER,
      metricsToken: setting.metricsToken ?? null,
    },
  });
  securityHeaders(app, ctx.config, inlineCode(setting.webFolder ?? folder));
  const readiness = createReadiness(ctx, {
    watch: { trouble: () => null },
    intake: { closed: setting.closed ?? false },
  });
  operationsRoutes(app, ctx, {
    monitoring: createMonitoring(app, ctx.clock, [...partMetrics(ctx, readiness), ...madeUpMetrics(setting)]),
    readiness,
    lifecycle: { stopping: setting.stopping ?? false },
  });
  app.post("/api/echo", { config: { access: "visitor" } }, async () => ({ ok: true }));
  webApp(app, setting.webFolder ?? folder, { ...ctx.config, publicUrl: "https://farline.example" });
  try {
    await run(app);
  } finally {
    await app.close();
  }
}

describe("the web app", () => {
  test.each(["/", "/dialer", "/call/123", "/billing/success?session_id=cs_1"])(
    "%s is the page, asked for again each time",
    (url) =>
      withApp({}, async (app) => {
        const answer = await app.inject({ url, headers: HTML });
        expect(answer.statusCode).toBe(200);
        expect(answer.body).toContain("<!-- index -->");
        expect(answer.body).toContain('content="https://farline.example/og.png"');
        expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
        expect(answer.headers["cache-control"]).toBe("no-cache");
      }),
  );

  test.each([
    ["/dialer", "signed-in=1", "en-dialer"],
    ["/dialer?number=1", "language=ar; signed-in=1", "ar-dialer"],
    ["/history", "language=ar; signed-in=1", "ar-history"],
    ["/history", "language=ar", "index"],
    ["/login?x=1", "language=ar", "ar-login"],
    ["/login", "language=ar; signed-in=1", "ar"],
    ["/account/export", "signed-in=1", "en"],
    ["/dialer", "language=ar", "index"],
    ["/dialer", "signed-in=0", "index"],
    ["/reset-password?token=t", "signed-in=1", "index"],
  ])("%s with the cookies %s has what can be drawn for its reader", (url, cookie, page) =>
    withApp({}, async (app) => {
      const answer = await app.inject({ url, headers: { ...HTML, cookie } });
      expect(answer.body).toContain(`<!-- ${page} -->`);
      expect(answer.headers["cache-control"]).toBe("no-cache");
    }),
  );

  test("hashed files are cached forever, others are revalidated, and compressed copies are served", () =>
    withApp({}, async (app) => {
      const script = await app.inject({ url: "/assets/index-abc123.js" });
      expect(script.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(script.headers["content-type"]).toMatch(/^(text|application)\/javascript/);
      const packed = await app.inject({ url: "/assets/index-abc123.js", headers: { "accept-encoding": "gzip, br" } });
      expect([packed.headers["content-encoding"], packed.body]).toEqual(["br", "packed"]);
      expect((await app.inject({ url: "/mark.svg" })).headers["cache-control"]).toBe("no-cache");
    }));

  test.each([
    { url: "/api/nothing", headers: HTML },
    { url: "/api", headers: HTML },
    { url: "/assets/gone.js", headers: HTML },
    { url: "/dialer", headers: { accept: "application/json" } },
    { url: "/dialer", method: "POST" as const, headers: HTML },
    { url: "/%61pi/nothing", headers: HTML },
    { url: "/.vite/manifest.json" },
    { url: "/%2evite/manifest.json" },
    { url: "/.built" },
    { url: "/assets/index-abc123.js.map" },
    { url: "/assets/index-abc123.js.br" },
    { url: "/assets/.hidden.js" },
    { url: "/assets/../.vite/manifest.json" },
    { url: "/assets/%2e%2e/.vite/manifest.json" },
    { url: "/../package.json" },
    { url: "/%2e%2e/package.json" },
  ])("%j is not the page but a plain 404", (request) =>
    withApp({}, async (app) => {
      const answer = await app.inject(request);
      expect(answer.statusCode).toBe(404);
      expect(answer.json().code).toBe("not_found");
    }),
  );

  test("before the web app is built, the page says how to build it, and the API works", () =>
    withApp({ webFolder: join(folder, "absent") }, async (app) => {
      const answer = await app.inject({ url: "/", headers: HTML });
      expect(answer.statusCode).toBe(503);
      expect(answer.body).toContain("npm run build");
      expect((await app.inject({ url: "/api/health" })).statusCode).toBe(200);
    }));
});

describe("headers", () => {
  test.each(["/", "/api/health", "/api/nothing", "/assets/index-abc123.js"])("%s carries them all", (url) =>
    withApp({}, async (app) => {
      const { headers } = await app.inject({ url, headers: HTML });
      expect(String(headers["content-security-policy"]).split(";")).toEqual([
        "default-src 'none'",
        ...(url.startsWith("/assets/")
          ? ["script-src 'self'", "style-src 'self'"]
          : [`script-src 'self' ${sha256("go()")}`, `style-src 'self' ${sha256("p{margin:0}")}`]),
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self' wss://rtc.telnyx.com https://rtc.telnyx.com",
        "media-src 'self' blob:",
        "worker-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "object-src 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types farline-worker",
      ]);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "microphone=(self), camera=(), geolocation=(), payment=()",
      });
      expect(headers["strict-transport-security"]).toBeUndefined();
      expect(headers["x-powered-by"]).toBeUndefined();
      expect(headers.server).toBeUndefined();
    }),
  );

  test("the policy allows connections to the configured voice exchange only, by WebSocket and HTTP", () =>
    withApp({ wsUrl: "ws://localhost:3002/verto" }, async (app) => {
      const { headers } = await app.inject({ url: "/" });
      expect(headers["content-security-policy"]).toContain("connect-src 'self' ws://localhost:3002 http://localhost:3002;");
    }));

  test("Strict-Transport-Security is sent over HTTPS only", () =>
    withApp({ publicUrl: "https://farline.example" }, async (app) => {
      const { headers } = await app.inject({ url: "/" });
      expect(headers["strict-transport-security"]).toBe("max-age=63072000; includeSubDomains");
      expect(headers["content-security-policy"]).toMatch(/;upgrade-insecure-requests$/);
    }));

  test("API responses are not cached, errors included", () =>
    withApp({}, async (app) => {
      for (const url of ["/api/health", "/%61pi/config", "/api/nothing", "/%61pi/nothing", "/metrics"])
        expect((await app.inject({ url })).headers["cache-control"]).toBe("no-store");
    }));

  test("cross-site write requests are refused", () =>
    withApp({}, async (app) => {
      const post = (site?: string) =>
        app.inject({ method: "POST", url: "/api/echo", headers: site === undefined ? {} : { "sec-fetch-site": site } });
      expect((await post("cross-site")).statusCode).toBe(403);
      for (const site of ["same-origin", "none", undefined]) expect((await post(site)).statusCode).toBe(200);
    }));
});

describe("operations", () => {
  test("health reports that the process is alive, and config returns the web app's settings", () =>
    withApp({}, async (app) => {
      expect((await app.inject({ url: "/api/health" })).json()).toEqual({ status: "ok" });
      expect((await app.inject({ url: "/api/config" })).json()).toEqual({
        mode: "sandbox",
        sandbox_url: "http://localhost:3001",
        currency: "USD",
        google: false,
        first_call: "0.25",
        referral: null,
        seller: EXAMPLE_SELLER,
      });
    }));

  test("ready when database, rates and both providers are up", () =>
    withApp({}, async (app) => {
      const answer = await app.inject({ url: "/api/ready" });
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toEqual({
        status: "ready",
        parts: {
          ...{ database: "ok", rates: "ok", intake: "ok", voice: "ok", payments: "ok", mails: "ok" },
          ...{ webhooks: "ok", postings: "ok", calls: "ok" },
        },
        warnings: [],
      });
    }));

  test("a problem for an operator is reported as a warning and a metric, and readiness stays ok", () =>
    withApp({ differences: 2 }, async (app) => {
      const answer = await app.inject({ url: "/api/ready" });
      expect([answer.statusCode, answer.json().warnings]).toEqual([200, [DIFFERENCES]]);
      expect((await app.inject({ url: "/metrics" })).body).toContain("farline_differences 2");
    }));

  test("warnings are shown only to operators, and read once for concurrent callers", () =>
    withApp({ differences: 2, metricsToken: "a token of some length" }, async (app) => {
      reads = 0;
      const warningsFor = async (headers: Record<string, string>) =>
        (await app.inject({ url: "/api/ready", headers })).json().warnings as unknown[];
      expect(await warningsFor({})).toEqual([]);
      expect(await warningsFor({ authorization: "Bearer another token of it" })).toEqual([]);
      expect(reads).toBe(0);
      for (let times = 0; times < 5; times += 1)
        expect(await warningsFor({ authorization: "Bearer a token of some length" })).toEqual([DIFFERENCES]);
      expect(reads).toBe(1);
    }));

  test("not ready names the part that is down", () =>
    withApp({ ratesReady: false }, async (app) => {
      const answer = await app.inject({ url: "/api/ready" });
      expect(answer.statusCode).toBe(503);
      expect(answer.json()).toMatchObject({ code: "unavailable", message: "Not ready: rates." });
    }));

  test.each([
    [500, "application/json", "It answers with status 500."],
    [401, "application/json", "It refuses our key (status 401)."],
    [429, "application/json", "It takes no more requests of ours (status 429)."],
    [503, "text/html", "It answers with status 503."],
    [404, "text/html", "It answers with status 404."],
  ])("a provider that answers %i as %s does not work, whatever a probe would say", async (status, type, detail) => {
    Object.assign(answer, { status, type });
    try {
      await withApp({}, async (app) => {
        const read = (await app.inject({ url: "/api/ready" })).json() as ReadyResponse;
        expect(read).toMatchObject({ status: "ready", parts: { voice: "down", payments: "down" } });
        expect(read.warnings.find(({ id }) => id === "farline_part_up payments")).toMatchObject({ detail, level: "page" });
        const metrics = (await app.inject({ url: "/metrics" })).body;
        expect(metrics).toContain(
          'farline_warning{metric="farline_part_up",word="payments",level="page",runbook="payments-failing"',
        );
      });
    } finally {
      Object.assign(answer, { status: 200, type: "application/json" });
    }
  });

  test("closed intake is said to everybody, and why to operators", () =>
    withApp({ closed: true }, async (app) => {
      expect((await app.inject({ url: "/api/ready" })).json()).toMatchObject({
        ...{ status: "closed", parts: { intake: "down" } },
        warnings: [{ id: "farline_part_up intake", level: "page", runbook: "intake-closed" }],
      });
    }));

  test("a clock that differs from the provider's is a warning", () =>
    withApp({ clock: new ManualClock(new Date(Date.now() + 30_000)) }, async (app) => {
      const { warnings } = (await app.inject({ url: "/api/ready" })).json() as ReadyResponse;
      expect(warnings).toMatchObject([{ text: expect.stringMatching(/clock is (29|30|31) seconds ahead/), level: "ticket" }]);
    }));

  test("a service that is about to stop serves, but is not ready", () =>
    withApp({ stopping: true }, async (app) => {
      const answer = await app.inject({ url: "/api/ready" });
      expect([answer.statusCode, answer.json().message]).toEqual([503, "Not ready: stopping."]);
      expect((await app.inject({ url: "/api/config" })).statusCode).toBe(200);
    }));

  test("security.txt names the contact and has not expired", () =>
    withApp({ publicUrl: "https://calls.example.com" }, async (app) => {
      const answer = await app.inject({ url: "/.well-known/security.txt" });
      expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
      expect(answer.body).toContain("Contact: mailto:help@example.com\n");
      expect(answer.body).toContain("Canonical: https://calls.example.com/.well-known/security.txt\n");
      const days = (Date.parse(/^Expires: (.+)$/m.exec(answer.body)?.[1] ?? "") - Date.now()) / DAY_MS;
      expect(days).toBeGreaterThan(30);
      expect(days).toBeLessThan(365);
    }));

  test("metrics need a request from this machine, or the token", async () => {
    await withApp({}, async (app) => {
      const here = await app.inject({ url: "/metrics" });
      expect(here.statusCode).toBe(200);
      expect(here.body).toContain("process_cpu_seconds_total");
      expect((await app.inject({ url: "/metrics", remoteAddress: "203.0.113.7" })).statusCode).toBe(404);
      expect((await app.inject({ url: "/metrics", headers: { "x-forwarded-for": "203.0.113.7" } })).statusCode).toBe(404);
    });
    await withApp({ metricsToken: "a token of some length" }, async (app) => {
      expect((await app.inject({ url: "/metrics" })).statusCode).toBe(404);
      const remote = { url: "/metrics", remoteAddress: "203.0.113.7" };
      const wrong = { authorization: "Bearer a token of some lengtx" };
      expect((await app.inject({ ...remote, headers: wrong })).statusCode).toBe(404);
      const right = { authorization: "Bearer a token of some length" };
      expect((await app.inject({ ...remote, headers: right })).statusCode).toBe(200);
    });
  });
});
