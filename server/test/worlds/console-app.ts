import type { Context, ServiceContext } from "../../src/context.ts";
import { operatorGuard } from "../../src/operator/operator.ts";
import type { App } from "../../src/platform/http/http.ts";
import { createTestApp } from "../create-test-app.ts";
import { operatorToken } from "../operators.ts";

/** The operators' API with these routes alone. */
export function consoleApp(ctx: ServiceContext, ...routes: readonly ((app: App, ctx: ServiceContext) => void)[]) {
  const app = createTestApp({ log: ctx.log, trustedProxies: 0, guards: { operator: operatorGuard(ctx) } });
  for (const add of routes) add(app, ctx);
  return {
    app,
    close: () => app.close(),
    /** What a test operator who has just signed in is answered. @param path below `/api/operator/` */
    async as(operator: string, method: "GET" | "POST" | "PUT", path: string, payload?: object) {
      const headers = { cookie: await consoleCookie(ctx, operator) };
      const request = { method, url: `/api/operator/${path}`, headers };
      const answer = await app.inject(payload === undefined ? request : { ...request, payload });
      return { status: answer.statusCode, body: answer.body === "" ? null : answer.json() };
    },
  };
}

export type ConsoleApp = ReturnType<typeof consoleApp>;

/** The cookie of a test operator who has just signed in to the console. */
export async function consoleCookie({ handle, clock }: Pick<Context, "handle" | "clock">, operator: string): Promise<string> {
  const token = await operatorToken((text, values) => handle.pool.query(text, values), operator, { at: clock.now() });
  return `__Host-operator=${token}`;
}
