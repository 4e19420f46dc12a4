import { once } from "node:events";
import { request } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import pino from "pino";
import { afterEach, expect, test } from "vitest";
import { createApp, type App } from "./http.ts";

type Line = Record<string, unknown>;

let lines: Line[];
let app: App;
let logged: PromiseWithResolvers<Line>;
afterEach(() => app.close());

/** A service with one route, and its log. */
function serve(handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): void {
  lines = [];
  logged = Promise.withResolvers();
  const log = pino(
    { level: "info" },
    {
      write(text: string) {
        const line = JSON.parse(text) as Line;
        lines.push(line);
        if (line["msg"] === "request") logged.resolve(line);
      },
    },
  );
  app = createApp({ log, trustedProxies: 0 });
  app.get("/api/long", { config: { access: "visitor" } }, handler);
}

/** Asks for the route and leaves when `until` says so. */
async function leave(until: (sent: ReturnType<typeof request>) => Promise<unknown>): Promise<void> {
  const sent = request(`${await app.listen({ port: 0 })}/api/long`);
  sent.on("error", () => {});
  sent.end();
  await until(sent);
  sent.destroy();
}

test("work that ends because its client has left is no failure of the service", async () => {
  const begun = Promise.withResolvers<void>();
  serve(async (_request, reply) => {
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    begun.resolve();
    await pause(60_000, null, { signal: gone.signal });
  });
  await leave(() => begun.promise);
  expect(await logged.promise).toMatchObject({ status: 400, code: "malformed_request", level: 30 });
  expect(lines.filter(({ level }) => Number(level) > 30)).toEqual([]);
});

test("a download that its client leaves is no failure of the service", async () => {
  const ended = Promise.withResolvers<void>();
  serve(async (_request, reply) => {
    const endless = new Readable({ read: () => void endless.push("line\n") });
    endless.once("close", () => ended.resolve());
    return reply.type("text/csv").send(endless);
  });
  await leave(async (sent) => {
    const [answer] = (await once(sent, "response")) as [NodeJS.ReadableStream];
    await once(answer, "data");
  });
  await ended.promise;
  expect(lines.filter(({ level, status }) => Number(level) > 30 || Number(status) >= 500)).toEqual([]);
});

test("a download whose client left before it began is no failure of the service", async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  serve(async (_request, reply) => {
    const left = once(reply.raw, "close");
    begun.resolve();
    await left;
    const file = Readable.from(["line\n"]);
    file.once("close", () => ended.resolve());
    return reply.type("text/csv").send(file);
  });
  await leave(() => begun.promise);
  await ended.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(lines.filter(({ level, status }) => Number(level) > 30 || Number(status) >= 500)).toEqual([]);
});

test("a mistake of ours is logged as one, although its client has left", async () => {
  const begun = Promise.withResolvers<void>();
  serve(async (_request, reply) => {
    const left = once(reply.raw, "close");
    begun.resolve();
    await left;
    throw new TypeError("undefined is not a function");
  });
  const failed = Promise.withResolvers<void>();
  app.addHook("onError", async () => failed.resolve());
  await leave(() => begun.promise);
  await failed.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(lines).toContainEqual(expect.objectContaining({ level: 50, msg: "request failed", status: 500 }));
});
