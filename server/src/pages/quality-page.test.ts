import type { PublicPage } from "@farline/contract/public-pages.ts";
import type { QualityReport } from "@farline/contract/quality.ts";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestApp } from "../../test/create-test-app.ts";
import { testContext } from "../../test/test-context.ts";
import { openDatabase } from "../platform/database/database.ts";
import type { App } from "../platform/http/http.ts";
import { publicPages } from "./pages.ts";

const log = pino({ level: "silent" });

let app: App;
let rendered: PublicPage[];
let report: QualityReport;
beforeEach(() => {
  rendered = [];
  report = { last_day: "2026-11-25", made_at: "2026-11-26T00:01:00.000Z", destinations: [] };
  app = createTestApp({ log, trustedProxies: 0 });
  publicPages(app, testContext({ handle: openDatabase("postgres://127.0.0.1:9/unused", 1, log), config: { limitsScale: 1 } }), {
    renderer: { spokenLanguages: ["en"], renderPage: ({ page }) => `${rendered.push(page)}` },
    intake: { closed: false },
    states: async () => ({ database: "ok", rates: "ok", voice: "ok", payments: "ok" }),
    quality: { latest: async () => report },
  });
});
afterEach(() => app.close());

test("the page is rendered once for each report and order", async () => {
  for (const url of ["/quality", "/quality?sort=country", "/quality?sort=nonsense", "/quality?sort=sound", "/quality"])
    expect((await app.inject(url)).statusCode).toBe(200);
  expect(rendered).toMatchObject([
    { name: "quality", report, search: "", sort: "country" },
    { search: "", sort: "sound" },
  ]);
  report = { ...report, made_at: "2026-11-27T00:01:00.000Z" };
  await app.inject("/quality");
  expect(rendered).toHaveLength(3);
});

test("searches are cached, and new ones are limited per address", async () => {
  const codes: number[] = [];
  for (let at = 0; at < 62; at += 1) codes.push((await app.inject(`/quality?q=${at}`)).statusCode);
  expect(codes.filter((code) => code === 200)).toHaveLength(60);
  expect((await app.inject("/quality?q=0")).statusCode).toBe(200);
  expect((await app.inject("/quality")).statusCode).toBe(200);
});
