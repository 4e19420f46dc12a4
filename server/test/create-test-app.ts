import { isDeepStrictEqual } from "node:util";
import { apiResponses } from "@farline/contract/api-responses.ts";
import { createApp, type App } from "../src/platform/http/http.ts";

/**
 * The service's HTTP server, which also checks every success response against the contract (`api-responses.ts`): status, all
 * fields, and no others. A response that differs becomes a 500 that names the difference.
 */
export function createTestApp(options: Parameters<typeof createApp>[0]): App {
  const app = createApp(options);
  app.addHook("preSerialization", async ({ method, routeOptions }, reply, payload) => {
    const route = `${method === "HEAD" ? "GET" : method} ${routeOptions.url}`;
    const declared = apiResponses[route];
    if (declared?.content === undefined || reply.statusCode >= 400) return payload;
    if (reply.statusCode !== declared.status) throw new Error(`${route} answered ${reply.statusCode}, not ${declared.status}.`);
    const sent: unknown = JSON.parse(JSON.stringify(payload));
    const read = declared.content.schema.safeParse(sent);
    if (!read.success) throw new Error(`${route} does not answer as declared: ${read.error.message}`);
    if (!isDeepStrictEqual(read.data, sent))
      throw new Error(`${route} answers fields that are not declared: ${JSON.stringify(sent)}`);
    return payload;
  });
  return app;
}
