import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import pino from "pino";
import { Stripe } from "stripe";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AppError } from "../app-error.ts";
import { createLog } from "../log.ts";
import { createApp } from "./http.ts";

const log = pino({ level: "silent" });
const HUGE = "x".repeat(200_000);
const guards = {
  customer() {
    throw new AppError("unauthenticated");
  },
};
const handler = async () => ({ ok: true });

function appWith(route: { method?: "GET"; config?: object }) {
  const app = createApp({ log, trustedProxies: 0, guards });
  return app.route({ method: "POST", url: "/api/door", handler, ...(route as object) });
}

describe("a route", () => {
  test.each([
    ["no declaration", {}, "POST /api/door does not declare who may call it"],
    ["an unknown access", { config: { access: "anybody" } }, "POST /api/door does not declare who may call it"],
    ["an access that has no guard", { config: { access: "step-up" } }, "No guard enforces the access of /api/door"],
    ["an access of another process", { config: { access: "development" } }, "No guard enforces the access of /api/door"],
  ])("with %s stops the start", (_what, route, message) => {
    expect(() => appWith(route)).toThrow(message);
  });

  test.each([
    ["a body that is not JSON", "application/json", "{"],
    ["a huge body", "application/json", JSON.stringify(HUGE)],
    ["a foreign content type", "text/xml", "<a/>"],
    ["a body that violates the schema", "application/json", "[]"],
  ])("refuses a signed-out caller before reading %s", async (_what, type, payload) => {
    const app = appWith({ config: { access: "customer" } });
    const answer = await app.inject({ method: "POST", url: "/api/door", headers: { "content-type": type }, payload });
    expect([answer.statusCode, answer.json().code]).toEqual([401, "unauthenticated"]);
  });

  test.each([
    ["serves", 900, 200],
    ["refuses", 1_100, 401],
  ])("%s a caller whose access ends while their body takes %i ms to arrive", async (_what, tookMs, status) => {
    let [asked, isOver] = [0, false];
    const customer = () => {
      asked += 1;
      if (isOver) throw new AppError("unauthenticated");
    };
    const app = createApp({ log, trustedProxies: 0, guards: { customer } });
    app.post("/api/door", { config: { access: "customer" } }, handler);
    await app.listen({ host: "127.0.0.1", port: 0 });
    onTestFinished(() => app.close());
    const { port } = app.server.address() as { port: number };
    const sent = request({ port, method: "POST", path: "/api/door", headers: { "content-type": "application/json" } });
    sent.write("{");
    await expect.poll(() => asked).toBe(1);
    isOver = true;
    const now = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(now + tookMs);
    onTestFinished(() => void vi.restoreAllMocks());
    sent.end("}");
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(status);
  });

  test("is guarded for every method, HEAD included", async () => {
    const app = appWith({ method: "GET", config: { access: "customer" } });
    for (const method of ["GET", "HEAD"] as const) expect((await app.inject({ method, url: "/api/door" })).statusCode).toBe(401);
  });

  test("is listed with its access", () => {
    const routes: DeclaredRoute[] = [];
    const app = createApp({ log, trustedProxies: 0, routes });
    app.get("/api/door", { config: { access: "visitor" } }, handler);
    expect(routes).toEqual([
      { method: "GET", url: "/api/door", access: "visitor", schema: {} },
      { method: "HEAD", url: "/api/door", access: "visitor", schema: {} },
    ]);
  });
});

describe("a request that cannot be read", () => {
  function open() {
    const app = createApp({ log, trustedProxies: 0 });
    app.all("/api/open/:id", { config: { access: "visitor" } }, handler);
    app.get<{ Params: { severity: string } }>("/api/number/:severity", { config: { access: "visitor" } }, async ({ params }) => {
      throw Object.assign(new Error("out of range"), { code: "22003", ...params });
    });
    return app;
  }

  test.each([
    ["NUL in a body", { method: "POST", url: "/api/open/1", payload: { name: "a\0b" } }, "name"],
    ["half a pair in a body", { method: "POST", url: "/api/open/1", payload: { list: ["\uD800"] } }, "list.0"],
    ["NUL in a query", { method: "GET", url: "/api/open/1?cursor=%00" }, "cursor"],
  ] as const)("is refused with its field: %s", async (_what, sent, field) => {
    const answer = await open().inject(sent);
    expect([answer.statusCode, answer.json().code]).toEqual([422, "validation_failed"]);
    expect(Object.keys(answer.json().errors)).toEqual([field]);
  });

  test.each(["/api/open/%", "/api/open/%ff", "/api/open/%00", "/%00", "/%c0%80"])("is refused for its path: %s", async (url) => {
    const answer = await open().inject({ url });
    expect([answer.statusCode, answer.json().code]).toEqual([400, "malformed_request"]);
  });

  test("is refused when its body is not UTF-8", async () => {
    const payload = Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')]);
    const answer = await open().inject({
      method: "POST",
      url: "/api/open/1",
      headers: { "content-type": "application/json" },
      payload,
    });
    expect([answer.statusCode, answer.json().code]).toEqual([400, "malformed_request"]);
  });

  test.each(["ERROR", "FEHLER"])(
    "with a value that only the database refuses is a client error, in any language: %s",
    async (word) => {
      const answer = await open().inject({ url: `/api/number/${word}` });
      expect([answer.statusCode, answer.json().code]).toEqual([400, "malformed_request"]);
    },
  );
});

describe("a request's id", () => {
  const FROM_PROXY = "edge-7f3a9c21.42";

  function logged(trustedProxies: number) {
    const lines: Record<string, unknown>[] = [];
    const deep = createLog("debug", "service", { write: (line: string) => void lines.push(JSON.parse(line)) });
    const app = createApp({ log: deep, trustedProxies, guards });
    app.post("/api/open", { config: { access: "visitor" } }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      deep.info("a verb");
      return { ok: true };
    });
    app.get("/api/closed", { config: { access: "customer" } }, handler);
    return { app, lines };
  }

  test("is in the response and in every log line of its handlers, even if its body arrives late", async () => {
    const { app, lines } = logged(0);
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let arrived = 0;
    app.addHook("onRequest", async () => gates[arrived++]?.resolve());
    const url = await app.listen({ port: 0 });
    const requests = gates.map(() => {
      const sent = request(`${url}/api/open`, { method: "POST", headers: { "content-type": "application/json" } });
      sent.write('{"name":');
      return sent;
    });
    await Promise.all(gates.map(({ promise }) => promise));
    const answers = requests.map(async (sent) => {
      sent.end('"late"}');
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      answer.resume();
      return answer.headers["x-request-id"];
    });
    const ids = await Promise.all(answers);
    await app.close();
    expect(new Set(ids).size).toBe(2);
    for (const id of ids)
      expect(lines.filter((line) => line["request_id"] === id).map(({ msg }) => msg)).toEqual(["a verb", "request"]);
  });

  test.each([
    ["a trusted proxy, well-formed", 1, FROM_PROXY, true],
    ["a trusted proxy, with a line break", 1, "edge-7f3a\n{}", false],
    ["a trusted proxy, too long", 1, "e".repeat(65), false],
    ["a browser", 0, FROM_PROXY, false],
  ])("of %s", async (_what, trustedProxies, id, taken) => {
    const { app } = logged(trustedProxies);
    const answer = await app.inject({ method: "POST", url: "/api/open", headers: { "x-request-id": id } });
    expect(answer.headers["x-request-id"] === id).toBe(taken);
  });

  test.each([
    ["refused access", { method: "GET", url: "/api/closed" }, 401, "unauthenticated"],
    ["a body that is not JSON", { method: "POST", url: "/api/open", payload: "{" }, 400, "malformed_request"],
    ["an invalid address", { method: "GET", url: "/%" }, 400, "malformed_request"],
  ] as const)("is logged with the code of %s", async (_what, sent, status, code) => {
    const { app, lines } = logged(0);
    const answer = await app.inject({ ...sent, headers: { "content-type": "application/json" } });
    const id = answer.headers["x-request-id"];
    expect(answer.json().request_id).toBe(id);
    const route = sent.url === "/%" ? null : sent.url;
    const refused = { level: 30, msg: "request", request_id: id, method: sent.method, route, status, code };
    expect(lines).toContainEqual(expect.objectContaining(refused));
  });
});

const ofDatabase = (code: string) => Object.assign(new Error("from the database"), { code, severity: "ERROR" });

test.each<[string, Error, string]>([
  ["a deadlock", ofDatabase("40P01"), "2"],
  ["a conflict between transactions", ofDatabase("40001"), "2"],
  ["a lock that took too long", ofDatabase("55P03"), "2"],
  ["a statement that took too long", ofDatabase("57014"), "2"],
  ["a statement that a migration made stale", ofDatabase("0A000"), "2"],
  ["a full disk", ofDatabase("53100"), "2"],
  ["a failed disk", ofDatabase("58030"), "2"],
  ["a payment provider that cannot be reached", new Stripe.errors.StripeConnectionError(), "2"],
  ["a payment provider that is out of order", new Stripe.errors.StripeAPIError(), "2"],
  ["a voice provider that does not answer", new AppError("voice_provider_down"), "5"],
  ["a queue that is full", new AppError("unavailable", { reason: "busy" }), "5"],
  ["a restore", new AppError("unavailable", { reason: "restoring", retryAfterSeconds: 60 }), "60"],
])("%s answers 503 with a time to retry", async (_what, error, seconds) => {
  const app = createApp({ log, trustedProxies: 0, guards });
  app.get("/api/fails", { config: { access: "visitor" } }, async () => {
    throw error;
  });
  const { statusCode, headers } = await app.inject({ url: "/api/fails" });
  expect([statusCode, headers["retry-after"]]).toEqual([503, seconds]);
  await app.close();
});
