import type { Contact } from "@farline/contract/contacts.ts";
import type { LiveHint } from "@farline/contract/events.ts";
import type { LightMyRequestResponse } from "fastify";
import { accountRoutes, createAccountContext, sessionGuards } from "../../src/accounts/accounts.ts";
import { contactRoutes } from "../../src/contacts/contacts.ts";
import { ManualClock } from "../manual-clock.ts";
import type { App } from "../../src/platform/http/http.ts";
import { createTestApp } from "../create-test-app.ts";
import { NOTHING_ELSEWHERE, testContext } from "../test-context.ts";
import { databaseWithRates } from "./rates-database.ts";
import type { TestDatabase } from "../test-database.ts";
import { createRates } from "../../src/rates/rates.ts";

/** A signed-in customer with contacts. */
export interface BookOwner {
  readonly id: string;
  readonly token: string;
}

/** The contacts API over HTTP, on a real database and real rates. */
export interface ContactWorld {
  readonly app: App;
  readonly database: TestDatabase;
  readonly clock: ManualClock;
  /** What open pages were told, and whose. */
  readonly hints: [customerId: string, type: string][];
  owner(): Promise<BookOwner>;
  request(
    owner: BookOwner | null,
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: object,
  ): Promise<LightMyRequestResponse>;
  /** @throws Error with a refusal */
  add(owner: BookOwner, contact: object): Promise<Contact>;
  /** Sends a file as a browser does. @param query begins with "?" */
  upload(
    owner: BookOwner | null,
    file: { name: string; content: string | Uint8Array<ArrayBuffer> } | null,
    query?: string,
  ): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

let made = 0;

/** @param limitsScale 0 turns the limits off */
export async function contactWorld(limitsScale = 0): Promise<ContactWorld> {
  const database = await databaseWithRates();
  const { handle } = database;
  const clock = new ManualClock(new Date("2026-03-01T12:00:00Z"));
  const base = testContext({ handle, clock });
  const rates = await createRates(base);
  const app = createTestApp({ log: base.log, trustedProxies: 0, guards: sessionGuards(base) });
  accountRoutes(app, createAccountContext(base, NOTHING_ELSEWHERE));
  const hints: ContactWorld["hints"] = [];
  const live = { ...base.live, publish: (id: string, { type }: LiveHint) => void hints.push([id, type]) };
  contactRoutes(app, { ...base, live, rates, config: { ...base.config, limitsScale } });

  const headersOf = (owner: BookOwner | null) => (owner === null ? {} : { authorization: `Bearer ${owner.token}` });
  const request: ContactWorld["request"] = (owner, method, url, payload) =>
    app.inject({ method, url, headers: headersOf(owner), ...(payload === undefined ? {} : { payload }) });
  return {
    app,
    database,
    clock,
    hints,
    request,
    async add(owner, contact) {
      const answer = await request(owner, "POST", "/api/contacts", contact);
      if (answer.statusCode !== 201) throw new Error(answer.body);
      return answer.json<{ contact: Contact }>().contact;
    },
    async owner() {
      made += 1;
      const password = "correct horse battery";
      const email = `book${made}.${process.pid}@example.com`;
      const payload = { name: "Grace Mensah", email, password, password_confirmation: password };
      const answer = await app.inject({ method: "POST", url: "/api/register", payload });
      const { token, user } = answer.json<{ token: string; user: { id: string } }>();
      return { id: user.id, token };
    },
    async upload(owner, file, query = "") {
      const form = new FormData();
      if (file !== null) form.set("file", new File([file.content], file.name));
      const asSent = new Response(form);
      return app.inject({
        method: "POST",
        url: `/api/contacts/import${query}`,
        headers: { ...headersOf(owner), "content-type": asSent.headers.get("content-type") ?? "" },
        payload: Buffer.from(await asSent.arrayBuffer()),
      });
    },
    async close() {
      rates.close();
      await app.close();
      await database.close();
    },
  };
}
