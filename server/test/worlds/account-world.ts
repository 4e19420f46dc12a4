import type { LightMyRequestResponse } from "fastify";
import { accountContext, routesOf } from "./account-app.ts";
import { accountJobs } from "../../src/accounts/accounts.ts";
import { mailJobs } from "../../src/mail/mail.ts";
import { newsletterJobs, newsletterRoutes } from "../../src/newsletter/newsletter.ts";
import { ManualClock } from "../manual-clock.ts";
import type { App } from "../../src/platform/http/http.ts";
import { CHEAP_COSTS } from "../test-context.ts";
import type { SecretKeys } from "../../src/platform/settings/secret-keys.ts";
import { testDatabase, type TestDatabase } from "../test-database.ts";
import { sendWithProof } from "../fakes/solve-challenge.ts";
import { startTestMailbox, type TestMailbox } from "../fakes/test-mailbox.ts";

export const PUBLIC_URL = "https://farline.example";
export const PASSWORD = "correct horse battery";
export const OTHER_PASSWORD = "seven blue umbrellas";
export const SECRET_KEYS: SecretKeys = [{ id: "1", secret: Buffer.alloc(32, 1) }];

export interface RequestOptions {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly ip?: string;
}

/** Accounts and newsletter over HTTP, on a real database, with a real mail server. */
export interface AccountWorld {
  readonly database: TestDatabase;
  readonly clock: ManualClock;
  readonly mailbox: TestMailbox;
  readonly app: App;
  request(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: object,
    more?: RequestOptions,
  ): Promise<LightMyRequestResponse>;
  /** Signs up a customer and waits for the verification mail. */
  signUp(change?: object, more?: RequestOptions): Promise<{ email: string; token: string; id: string; cookie: string }>;
  /** Sends a request like the web app: solves a challenge and repeats the request. */
  signIn(email: string, password: string, more?: RequestOptions): Promise<LightMyRequestResponse>;
  /** Runs the service's jobs until all due mails are sent. */
  deliver(): Promise<void>;
  close(): Promise<void>;
}

let made = 0;

/**
 * @param limitsScale 0 turns the limits off
 * @param costs of passwords and proofs of work
 */
export async function accountWorld(limitsScale = 0, costs = CHEAP_COSTS): Promise<AccountWorld> {
  const database = await testDatabase();
  const mailbox = await startTestMailbox();
  const clock = new ManualClock(new Date("2026-03-01T12:00:00Z"));
  const { handle } = database;
  const config = {
    limitsScale,
    secretKeys: SECRET_KEYS,
    publicUrl: PUBLIC_URL,
    mail: { smtpUrl: mailbox.url, from: "Farline <no-reply@farline.example>" },
    supportEmail: "help@farline.example",
  };
  const ctx = accountContext({ handle, clock, config, costs });
  const app = routesOf(ctx);
  newsletterRoutes(app, ctx);
  const jobs = [...accountJobs(ctx), ...newsletterJobs(ctx), ...mailJobs(ctx)];

  const request: AccountWorld["request"] = async (method, path, body, more = {}) =>
    app.inject({
      method,
      url: path,
      ...(body === undefined ? {} : { payload: body }),
      remoteAddress: more.ip ?? "203.0.113.1",
      headers: { ...(more.token === undefined ? {} : { authorization: `Bearer ${more.token}` }), ...more.headers },
    });
  const deliver = async () => {
    for (const job of jobs) await job.run(new AbortController().signal);
  };
  return {
    database,
    clock,
    mailbox,
    app,
    request,
    deliver,
    signIn: (email, password, more) => sendWithProof((proof) => request("POST", "/api/login", { email, password, proof }, more)),
    async signUp(change = {}, more = {}) {
      made += 1;
      const email = `Caller${made}.${process.pid}@Example.com`;
      const person = { name: "Ada Lovelace", email, password: PASSWORD, password_confirmation: PASSWORD, ...change };
      const answer = await request("POST", "/api/register", person, more);
      if (answer.statusCode !== 201) throw new Error(`signing up failed: ${answer.body}`);
      await deliver();
      const { token, user } = answer.json() as { token: string; user: { id: string; email: string } };
      return { email: user.email, token, id: user.id, cookie: cookieOf(answer) };
    },
    async close() {
      await app.close();
      await mailbox.close();
      await database.close();
    },
  };
}

/** The `cookie` header that a browser sends after this response. */
export function cookieOf(answer: LightMyRequestResponse): string {
  return [answer.headers["set-cookie"] ?? []]
    .flat()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}
