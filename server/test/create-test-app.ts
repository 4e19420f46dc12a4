import { isDeepStrictEqual } from "node:util";
import { api } from "@farline/contract/api/api.ts";
import { refusalsOf, statusOf, type Endpoint } from "@farline/contract/api/endpoint.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import type { ErrorCode } from "@farline/contract/api/error-codes.ts";
import { createApp, type App } from "../src/platform/http/http.ts";

/**
 * The service's HTTP server, which also checks every response against the endpoint's declaration: status, exactly the declared
 * fields, and only declared refusals. A response that differs becomes a 500 that names the difference.
 */
export function createTestApp(options: Parameters<typeof createApp>[0]): App {
  const app = createApp(options);
  app.addHook("preSerialization", async ({ method, routeOptions }, reply, payload) => {
    const name = `${method === "HEAD" ? "GET" : method} ${routeOptions.url}`;
    const endpoint = (api as Readonly<Record<string, Endpoint>>)[name];
    if (endpoint === undefined) return payload;
    const sent: unknown = JSON.parse(JSON.stringify(payload));
    if (reply.statusCode >= 400) checkRefusal(name, endpoint, sent as ErrorBody);
    else if (endpoint.answer !== undefined) checkAnswer(name, endpoint, { status: reply.statusCode, sent });
    return payload;
  });
  return app;
}

function checkRefusal(name: string, endpoint: Endpoint, { code }: ErrorBody): void {
  if (!refusalsOf(endpoint).has(code as ErrorCode)) throw new Error(`${name} does not declare the refusal ${code}.`);
}

function checkAnswer(name: string, endpoint: Endpoint, { status, sent }: { status: number; sent: unknown }): void {
  if (status !== statusOf(endpoint)) throw new Error(`${name} answered ${status}, not ${statusOf(endpoint)}.`);
  const read = endpoint.answer!.safeParse(sent);
  if (!read.success) throw new Error(`${name} does not respond as declared: ${read.error.message}`);
  if (!isDeepStrictEqual(read.data, sent)) throw new Error(`${name} returns undeclared fields: ${JSON.stringify(sent)}`);
}
