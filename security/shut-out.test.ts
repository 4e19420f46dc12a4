import { createHash, randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { LIMITS, type LimitName } from "@farline/server/platform/http/limit-lanes.ts";
import { linkToken } from "@farline/server/platform/settings/secret-keys.ts";
import { solveChallenge } from "@farline/server/test/fakes/solve-challenge.ts";
import { testOperator } from "@farline/server/test/operators.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askService } from "./src/ask-service.ts";
import { Attempts } from "./src/attempts.ts";
import { startInstallation, type Installation } from "./src/product.ts";

const PASSWORD = "correct horse battery";
const FULL = 1_000_000;

const attempts = new Attempts();
let at: Installation;
beforeAll(async () => {
  at = await startInstallation({ LIMITS_SCALE: "1", TRUSTED_PROXIES: "1" });
});
afterAll(() => at?.close());

/** Somebody with a browser, at an address. */
interface Person {
  readonly ip: string;
  readonly cookie?: string;
  readonly token?: string;
}

async function ask(by: Person, request: string, body?: object) {
  const [method = "", path = ""] = request.split(" ");
  const answer = await askService(`http://127.0.0.1:${at.addresses.port}${path}`, {
    method,
    headers: {
      "x-forwarded-for": by.ip,
      ...(by.cookie === undefined ? {} : { cookie: by.cookie }),
      ...(by.token === undefined ? {} : { authorization: `Bearer ${by.token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = (text.startsWith("{") ? JSON.parse(text) : {}) as ErrorBody & { token: string; user: { id: string } };
  return { status: answer.status, json, cookie: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}

let made = 0;
const address = () => `198.51.${Math.floor((made += 1) / 250)}.${made % 250}`;
const query = (sql: string, values: unknown[] = []) => at.database.handle.pool.query(sql, values);

/** Somebody who has signed up in their own browser, with a confirmed address. */
async function owner() {
  const [email, ip] = [`${randomUUID()}@example.com`, address()];
  const payload = { name: "Ada", email, password: PASSWORD, password_confirmation: PASSWORD };
  const { json, cookie } = await ask({ ip }, "POST /api/register", payload);
  await query("update customer set email_verified = true where id = $1", [json.user.id]);
  return { id: json.user.id, email, ip, cookie, token: json.token };
}
type Owner = Awaited<ReturnType<typeof owner>>;

/** Uses a limit up, as strangers do who have as many addresses, accounts and as much time as they like. */
const useUp = (name: LimitName, key: string) =>
  query(
    `insert into rate_limit (key, points, expire) values ($1, $2, extract(epoch from now() + interval '1 day') * 1000)
     on conflict (key) do update set points = excluded.points, expire = excluded.expire`,
    [`${name}:${key}`, FULL],
  );

const junk = () => randomBytes(48).toString("base64url");
const hashOf = (value: string) => createHash("sha256").update(value).digest();
/** As the limits of sign-ins name an account. */
const accountKey = (email: string) => hashOf(email).toString("base64url");
const linkOf = (use: Parameters<typeof linkToken>[1]) => linkToken(keys(), use, randomUUID());
const keys = () => [{ id: "1", secret: Buffer.from(at.secrets.serviceSecret, "base64") }] as const;

/** A stranger is refused by the limit, its owner is not. */
interface Game {
  readonly useUp: (of: Owner) => Promise<unknown>;
  readonly stranger: (of: Owner) => Promise<{ status: number }>;
  readonly owner: (of: Owner) => Promise<{ status: number }>;
}

/** A network's limit: refused from there without a cookie, admitted from there in the owner's browser. */
function atTheDoor(name: LimitName, request: string, body?: () => object): Game {
  return {
    useUp: ({ ip }) => useUp(name, ip),
    stranger: ({ ip }) => ask({ ip }, request, body?.()),
    owner: ({ ip, cookie }) => ask({ ip, cookie }, request, body?.()),
  };
}

/** The same for a limit that is counted in the process: used up by requests. */
function inMemory(requestOf: () => [request: string, body?: object]): Game {
  return {
    async useUp({ ip }) {
      for (let asked = 0; asked < 200; asked += 1) if ((await ask({ ip }, ...requestOf())).status === 429) return;
    },
    stranger: ({ ip }) => ask({ ip }, ...requestOf()),
    owner: ({ ip, cookie }) => ask({ ip, cookie }, ...requestOf()),
  };
}

function byLink(name: LimitName, request: string, use: Parameters<typeof linkToken>[1], more: object = {}): Game {
  return {
    useUp: ({ ip }) => useUp(name, ip),
    stranger: ({ ip }) => ask({ ip }, request, { token: junk(), ...more }),
    owner: ({ ip }) => ask({ ip }, request, { token: linkOf(use), ...more }),
  };
}

function signIn(name: LimitName, keyOf: (of: Owner) => string): Game {
  const body = ({ email }: Owner) => ({ email, password: PASSWORD });
  return {
    useUp: (of) => useUp(name, keyOf(of)),
    stranger: (of) => ask({ ip: of.ip }, "POST /api/login", body(of)),
    owner: (of) => ask({ ip: of.ip, cookie: of.cookie }, "POST /api/login", body(of)),
  };
}

/** An operator's browser. No password is right here: what gets to its check has passed the limits. */
function operatorSignIn(name: LimitName, keyOf: (of: Owner) => string): Game {
  const body = { email: "grace@farline.example", password: PASSWORD, code: "123456" };
  return {
    async useUp(of) {
      await useUp(name, keyOf(of));
      await knowOperator(of);
    },
    stranger: ({ ip }) => ask({ ip }, "POST /api/operator/sign-in", body),
    owner: ({ ip, cookie }) => ask({ ip, cookie }, "POST /api/operator/sign-in", body),
  };
}

const knowOperator = ({ cookie }: Owner) =>
  query("insert into operator_browser (operator_id, browser_hash, last_used_at) values ($1, $2, now()) on conflict do nothing", [
    testOperator("grace").id,
    hashOf(cookie.split("=")[1] ?? ""),
  ]);

async function waitingSignIn({ id }: Owner): Promise<string> {
  const challenge = junk();
  await query(
    "insert into sign_in_challenge (challenge_hash, customer_id, created_at, expires_at) values ($1, $2, now(), now() + interval '10 minutes')",
    [hashOf(challenge), id],
  );
  return challenge;
}

const secondFactor = (challenge: string, by: Person) => ask(by, "POST /api/login/second-factor", { challenge, code: "123456" });

/** Limits that strangers can use up, by what is tried; or the test that tries it on a lower level. */
type Filled = { [N in LimitName]: (typeof LIMITS)[N] extends { readonly lane: string } ? N : never }[LimitName];
const GAMES: Readonly<Record<Filled, Game | string>> = {
  "code-call-all": "server/src/calls/caller-id/call-limits.test.ts",
  "code-call-network": "server/src/calls/caller-id/call-limits.test.ts",
  "code-call-number": "server/src/calls/caller-id/call-limits.test.ts",
  "code-call-number-week": "server/src/calls/caller-id/call-limits.test.ts",
  "code-guess-number": "server/src/calls/caller-id/call-limits.test.ts",
  "credit-request-open": byLink("credit-request-open", "POST /api/credit-requests/open", "credit_request"),
  "credit-request-pay": byLink("credit-request-pay", "POST /api/credit-requests/pay", "credit_request", {
    ...{ amount: "10", name: "Ada", email: "a@example.com" },
  }),
  "family-link-open": byLink("family-link-open", "POST /api/family/invitation", "family_invitation"),
  "google-callback": atTheDoor("google-callback", "POST /api/auth/google/callback", () => ({ code: "c", state: "s" })),
  "google-redirect": atTheDoor("google-redirect", "GET /api/auth/google/redirect"),
  "guest-outcome": atTheDoor("guest-outcome", "POST /api/credit-requests/outcome", () => ({ session_id: "cs_unknown" })),
  "link-network": byLink("link-network", "POST /api/email/verify", "verify_email"),
  "login-network": signIn("login-network", ({ ip }) => ip),
  "login-network-account": signIn("login-network-account", ({ ip, email }) => `${ip} ${accountKey(email)}`),
  lookup: inMemory(() => ["POST /api/rates/lookup-number", { phone_number: "+442079460958" }]),
  "newsletter-address": "security/shut-out.test.ts",
  "newsletter-link": byLink("newsletter-link", "POST /api/newsletter/confirm", "newsletter_confirm"),
  "newsletter-network": atTheDoor("newsletter-network", "POST /api/newsletter", () => ({
    email: "a@example.com",
    consent: true,
  })),
  "operator-invitation": "server/src/operator/people/sign-in.test.ts",
  "operator-login-network": operatorSignIn("operator-login-network", ({ ip }) => ip),
  "operator-login-network-account": operatorSignIn(
    "operator-login-network-account",
    ({ ip }) => `${ip} ${accountKey("operator-grace@farline.example")}`,
  ),
  "operator-passkey": {
    ...atTheDoor("operator-passkey", "POST /api/operator/sign-in/passkey/options"),
    async useUp(of) {
      await useUp("operator-passkey", of.ip);
      await knowOperator(of);
    },
  },
  "own-password": {
    async useUp(of) {
      const { rows } = await query("select id from session where customer_id = $1", [of.id]);
      await useUp("own-password", rows[0].id);
      await useUp("own-password", of.id);
    },
    // The thief of a session, whose attempts are counted in it.
    stranger: (of) => ask(of, "POST /api/reauthenticate", { current_password: PASSWORD }),
    async owner(of) {
      const { json } = await ask({ ip: of.ip, cookie: of.cookie }, "POST /api/login", { email: of.email, password: PASSWORD });
      return ask({ ...of, token: json.token }, "POST /api/reauthenticate", { current_password: PASSWORD });
    },
  },
  "passkey-options": atTheDoor("passkey-options", "POST /api/login/passkey/options"),
  "passkey-sign-in": atTheDoor("passkey-sign-in", "POST /api/login/passkey", () => ({
    credential: {
      id: junk(),
      rawId: junk(),
      type: "public-key",
      clientExtensionResults: {},
      response: { clientDataJSON: junk(), authenticatorData: junk(), signature: junk() },
    },
  })),
  "rare-page": inMemory(() => [`GET /rates?q=${randomUUID()}`]),
  "register-free": {
    useUp: ({ ip }) => useUp("register-free", ip),
    async stranger({ ip }) {
      const { status } = await ask({ ip }, "POST /api/register", newPerson());
      return { status: status === 403 ? 429 : status };
    },
    async owner({ ip }) {
      const person = newPerson();
      const { challenge } = (await ask({ ip }, "POST /api/register", person)).json;
      return ask({ ip }, "POST /api/register", { ...person, ...(challenge ? { proof: solveChallenge(challenge) } : {}) });
    },
  },
  "reset-network": atTheDoor("reset-network", "POST /api/password/forgot", () => ({ email: "a@example.com" })),
  "second-factor": {
    useUp: ({ id }) => useUp("second-factor", id),
    stranger: async (of) => secondFactor(await waitingSignIn(of), { ip: of.ip }),
    owner: async (of) => secondFactor(await waitingSignIn(of), { ip: of.ip, cookie: of.cookie }),
  },
  "second-factor-network": {
    useUp: ({ ip }) => useUp("second-factor-network", ip),
    stranger: ({ ip }) => secondFactor(junk().slice(0, 43), { ip }),
    owner: async (of) => secondFactor(await waitingSignIn(of), { ip: of.ip }),
  },
};

function newPerson() {
  const email = `${randomUUID()}@example.com`;
  return { name: "Ada", email, password: PASSWORD, password_confirmation: PASSWORD };
}

describe("whoever a stranger's requests would lock out gets in by a lane of their own", () => {
  test.each(Object.entries(GAMES))("%s", async (name, game) => {
    if (typeof game === "string") return expect([game, existsSync(game)]).toEqual([game, true]);
    const person = await owner();
    await game.useUp(person);
    expect([name, (await game.stranger(person)).status]).toEqual([name, 429]);
    const { status } = await game.owner(person);
    attempts.check("shut out by a stranger", `${name}: ${status}`, status !== 429 && status < 500);
    return undefined;
  });

  test("an account that is locked for everybody else, in its owner's browser", async () => {
    const person = await owner();
    await query(
      "insert into sign_in_guard (account_key, tries, first_try_at, last_try_at, locked_until) values ($1, 50, now(), now(), now() + interval '1 hour')",
      [accountKey(person.email)],
    );
    const body = { email: person.email, password: PASSWORD };
    expect((await ask({ ip: address() }, "POST /api/login", body)).status).toBe(429);
    const { status } = await ask({ ip: address(), cookie: person.cookie }, "POST /api/login", body);
    attempts.check("shut out by a stranger", `sign-in guard: ${status}`, status === 200);
  });
});

test("every limit that strangers can use up has a lane, or says why it has none", () => {
  const without = Object.entries(LIMITS).flatMap(([name, limit]) => ("why" in limit ? [name] : []));
  expect(without).toEqual([
    "code-call-newcomers",
    "email-code-network",
    "operator-command-line",
    "register-day",
    "register-hour",
  ]);
});

/** Mails to an address that reached the outbox. */
async function mailsTo(email: string, template: string): Promise<number> {
  const { rows } = await query("select count(*) from mail where lower(recipient) = lower($1) and template = $2", [
    email,
    template,
  ]);
  return Number(rows[0].count);
}

/** Accounts of strangers who ask for every mail that an address can be sent. */
async function strangersAskFor(email: string): Promise<void> {
  for (let stranger = 0; stranger < 6; stranger += 1) {
    const { id, ip, token, cookie } = await owner();
    const by = { ip, token, cookie };
    await ask(by, "POST /api/email/change", { email });
    await ask({ ip }, "POST /api/password/forgot", { email });
    await ask({ ip }, "POST /api/newsletter", { email, consent: true });
    const limits = { daily_cap: null, monthly_cap: null, countries: null, time_zone: "UTC" };
    for (let sent = 0; sent < 2; sent += 1) await ask(by, "POST /api/family/invitations", { email, limits });
    expect(id).not.toBe("");
  }
}

async function resetsAnswered(): Promise<void> {
  await expect.poll(async () => Number((await query("select count(*) from password_reset_request")).rows[0].count)).toBe(0);
}

test("a mailbox that strangers have filled still gets its owner's sign-up, reset and newsletter", async () => {
  const email = `${randomUUID()}@example.com`;
  await strangersAskFor(email);
  const joined = await ask({ ip: address() }, "POST /api/register", { ...newPerson(), email });
  const user = joined.json.user as { link_mailed?: boolean };
  attempts.check(
    "mailbox used up by strangers",
    "sign-up",
    (await mailsTo(email, "verify_email")) === 1 && user.link_mailed === true,
  );

  const person = await owner();
  await strangersAskFor(person.email);
  await resetsAnswered();
  const before = await mailsTo(person.email, "reset_password");
  await ask({ ip: address(), cookie: person.cookie }, "POST /api/password/forgot", { email: person.email });
  await resetsAnswered();
  attempts.check("mailbox used up by strangers", "reset", (await mailsTo(person.email, "reset_password")) === before + 1);
  const subscribed = await mailsTo(person.email, "newsletter_confirm");
  await ask({ ip: address(), cookie: person.cookie }, "POST /api/newsletter", { email: person.email, consent: true });
  attempts.check(
    "mailbox used up by strangers",
    "newsletter",
    (await mailsTo(person.email, "newsletter_confirm")) === subscribed + 1,
  );
});

test("nothing claims a mail that was not sent", async () => {
  const email = `${randomUUID()}@example.com`;
  await strangersAskFor(email);
  const person = await owner();
  const before = await mailsTo(email, "change_email_new");
  const changed = await ask(person, "POST /api/email/change", { email });
  const limits = { daily_cap: null, monthly_cap: null, countries: null, time_zone: "UTC" };
  const invited = await ask(person, "POST /api/family/invitations", { email, limits });
  expect(await mailsTo(email, "change_email_new")).toBe(before);
  attempts.check("a mail claimed that was not sent", `change: ${changed.status}`, changed.status === 429);
  attempts.check("a mail claimed that was not sent", `invitation: ${invited.status}`, invited.status === 429);
  const { rows } = await query("select from family_invitation where customer_id = $1", [person.id]);
  attempts.check("a mail claimed that was not sent", `open invitations: ${rows.length}`, rows.length === 0);
});

test("every attempt was refused", () => {
  expect(attempts.succeeded).toEqual([]);
});
