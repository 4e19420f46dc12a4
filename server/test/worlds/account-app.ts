import { sql } from "kysely";
import { randomBytes } from "node:crypto";
import type { LightMyRequestResponse } from "fastify";
import {
  accountRoutes,
  createAccountContext,
  sessionGuards,
  signInMethodRoutes,
  type AccountContext,
} from "../../src/accounts/accounts.ts";
import { endCardAccess } from "../../src/billing/billing.ts";
import { endFamilyAccess } from "../../src/family/family.ts";
import { endExports } from "../../src/personal-data/personal-data.ts";
import { endCallAccess, findSessionsInCall } from "../../src/calls/calls.ts";
import type { Clock } from "../../src/platform/clock.ts";
import type { GoogleConfig } from "../../src/platform/settings/config.ts";
import type { DatabaseHandle } from "../../src/platform/database/database.ts";
import type { App } from "../../src/platform/http/http.ts";
import { createTestApp } from "../create-test-app.ts";
import { testContext, type TestContext } from "../test-context.ts";
import type { SecretKeys } from "../../src/platform/settings/secret-keys.ts";

export const PASSWORD = "correct horse battery";
export const SECRET_KEYS: SecretKeys = [{ id: "test", secret: randomBytes(32) }];

/** The account and sign-in routes, without the rest of the service. */
export function accountApp(setting: {
  handle: DatabaseHandle;
  clock: Clock;
  publicUrl: string;
  google?: GoogleConfig | null;
  limitsScale?: number;
  secretKeys?: SecretKeys;
}): App {
  const { handle, clock, publicUrl, google = null, limitsScale = 0, secretKeys = SECRET_KEYS } = setting;
  return routesOf(accountContext({ handle, clock, config: { google, publicUrl, limitsScale, secretKeys } }));
}

/** The context of accounts, with what the other subjects keep of access. */
export function accountContext(given: TestContext): AccountContext {
  return createAccountContext(testContext(given), {
    endElsewhere: [endCallAccess, endCardAccess, endFamilyAccess, endExports],
    findSessionsInCall,
  });
}

export function routesOf(ctx: AccountContext): App {
  const app = createTestApp({ log: ctx.log, trustedProxies: 0, guards: sessionGuards(ctx) });
  accountRoutes(app, ctx);
  signInMethodRoutes(app, ctx);
  return app;
}

/** A browser that keeps cookies and sends a token if it has one. */
export class TestBrowser {
  readonly cookies: Record<string, string> = {};
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  async request(
    method: "GET" | "POST" | "DELETE",
    url: string,
    more: { payload?: object; token?: string; ip?: string } = {},
  ): Promise<LightMyRequestResponse> {
    const headers = more.token === undefined ? {} : { authorization: `Bearer ${more.token}` };
    const answer = await this.#app.inject({
      method,
      url,
      headers,
      cookies: this.cookies,
      payload: more.payload,
      remoteAddress: more.ip,
    });
    for (const { name, value, maxAge } of answer.cookies) {
      if (maxAge === 0) delete this.cookies[name];
      else this.cookies[name] = value;
    }
    return answer;
  }
}

/** Creates a customer with a password, signed in in their own browser. */
export async function registered(
  app: App,
  email: string,
): Promise<{ id: string; email: string; token: string; browser: TestBrowser }> {
  const browser = new TestBrowser(app);
  const payload = { name: "Ada Lovelace", email, password: PASSWORD, password_confirmation: PASSWORD };
  const answer = await browser.request("POST", "/api/register", { payload });
  const { token, user } = answer.json<{ token: string; user: { id: string } }>();
  return { id: user.id, email, token, browser };
}

/** The security events of an account except sign-ins, in order, and the notices mailed about them. */
export async function securityTrail(
  handle: DatabaseHandle,
  customerId: string,
): Promise<{ events: string[]; notices: string[] }> {
  const events =
    await sql<any>`select kind from security_event where customer_id = ${customerId} and kind <> 'signed_in' order by happened_at, id`.execute(
      handle.db,
    );
  const notices = await sql<any>`select data->>'event' as event from mail join customer c on c.email = mail.recipient
     where c.id = ${customerId} and template = 'security_notice' order by mail.created_at, mail.id`.execute(handle.db);
  return { events: events.rows.map((row) => row.kind), notices: notices.rows.map((row) => row.event) };
}
