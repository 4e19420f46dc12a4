import type { DeclaredRoute } from "@farline/contract/route-access.ts";
import pino from "pino";
import { describe, expect, test } from "vitest";
import { AppError } from "./app-error.ts";
import { createApp } from "./http.ts";

const log = pino({ level: "silent" });
const HUGE = "x".repeat(200_000);
const keepers = {
  customer() {
    throw new AppError("unauthenticated", "Sign in again.");
  },
};
const handler = async () => ({ ok: true });

function appWith(route: { method?: "GET"; config?: object }) {
  const app = createApp({ log, trustedProxies: 0, keepers });
  return app.route({ method: "POST", url: "/api/door", handler, ...(route as object) });
}

describe("a route", () => {
  test.each([
    ["no declaration", {}, "POST /api/door does not declare who may call it"],
    ["a word that is none", { config: { access: "anybody" } }, "POST /api/door does not declare who may call it"],
    ["an access that nobody enforces", { config: { access: "step-up" } }, "Nobody here enforces the access of /api/door"],
    ["an access of another program", { config: { access: "development" } }, "Nobody here enforces the access of /api/door"],
  ])("with %s stops the start", (_what, route, message) => {
    expect(() => appWith(route)).toThrow(message);
  });

  test.each([
    ["a body that is no JSON", "application/json", "{"],
    ["a huge body", "application/json", JSON.stringify(HUGE)],
    ["a foreign content type", "text/xml", "<a/>"],
    ["a body that does not fit", "application/json", "[]"],
  ])("refuses a stranger before %s is looked at", async (_what, type, payload) => {
    const app = appWith({ config: { access: "customer" } });
    const answer = await app.inject({ method: "POST", url: "/api/door", headers: { "content-type": type }, payload });
    expect([answer.statusCode, answer.json().code]).toEqual([401, "unauthenticated"]);
  });

  test("is kept for every method, HEAD included", async () => {
    const app = appWith({ method: "GET", config: { access: "customer" } });
    for (const method of ["GET", "HEAD"] as const) expect((await app.inject({ method, url: "/api/door" })).statusCode).toBe(401);
  });

  test("is listed with its access", () => {
    const routes: DeclaredRoute[] = [];
    const app = createApp({ log, trustedProxies: 0, routes });
    app.get("/api/door", { config: { access: "visitor" } }, handler);
    expect(routes).toEqual([
      { method: "GET", url: "/api/door", access: "visitor" },
      { method: "HEAD", url: "/api/door", access: "visitor" },
    ]);
  });
});
