import { createHash, randomBytes } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { googleSandbox } from "./google-sandbox.ts";

const APP = "http://localhost:9";
const CLIENT = { clientId: "farline-test", clientSecret: "a secret of the tests" };
const CALLBACK = `${APP}/auth/google/callback`;

let app: FastifyInstance;
let url: string;

beforeAll(async () => {
  app = Fastify();
  googleSandbox(app, { ...CLIENT, appUrl: APP, publicUrl: () => url, log: pino({ level: "silent" }) });
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => app.close());

/** A minimal browser: it stores cookies and follows redirects within the sandbox. */
function browser() {
  const jar = new Map<string, string>();
  const go = async (address: string, fields?: Record<string, string>): Promise<Response & { at: string }> => {
    const response = await fetch(address, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(fields ? { method: "POST", body: new URLSearchParams(fields) } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      jar.set(name, value);
    }
    const next = response.headers.get("location");
    if (next === null) return Object.assign(response, { at: address });
    const target = new URL(next, address);
    return target.origin === new URL(url).origin ? go(target.href) : Object.assign(response, { at: target.href });
  };
  return go;
}

const VERIFIER = "v".repeat(43);

function authorizationUrl(change: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    client_id: CLIENT.clientId,
    redirect_uri: CALLBACK,
    response_type: "code",
    scope: "openid email profile",
    state: "the state",
    nonce: "the nonce",
    prompt: "select_account",
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
    ...change,
  });
  for (const [name, value] of Object.entries(change)) if (value === "") query.delete(name);
  return `${url}/google/auth?${query.toString()}`;
}

async function exchange(code: string | null, verifier = VERIFIER) {
  const response = await fetch(`${url}/google/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: code ?? "",
      redirect_uri: CALLBACK,
      client_id: CLIENT.clientId,
      client_secret: CLIENT.clientSecret,
      code_verifier: verifier,
    }),
  });
  return { status: response.status, body: (await response.json()) as { id_token?: string; error?: string } };
}

const claimsOf = (idToken = "") => JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString());

test("the discovery document lists all endpoints under one issuer", async () => {
  const found = (await (await fetch(`${url}/google/.well-known/openid-configuration`)).json()) as Record<string, string>;
  expect(found).toMatchObject({
    issuer: `${url}/google`,
    authorization_endpoint: `${url}/google/auth`,
    token_endpoint: `${url}/google/token`,
    jwks_uri: `${url}/google/jwks`,
  });
});

test("a new person returns with a single-use code for an ID token with their claims", async () => {
  const go = browser();
  const page = await go(authorizationUrl());
  const text = await page.text();
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(page.headers.get("content-security-policy")).toContain(`form-action 'self' ${APP}`);
  expect(text).not.toContain("<script");
  const back = new URL((await go(page.at, { person: "new" })).at);
  expect(back.href).toMatch(new RegExp(`^${CALLBACK}\\?`));
  expect(back.searchParams.get("state")).toBe("the state");
  expect(back.searchParams.get("iss")).toBe(`${url}/google`);
  const { body } = await exchange(back.searchParams.get("code"));
  const claims = claimsOf(body.id_token);
  expect(claims).toMatchObject({ aud: CLIENT.clientId, nonce: "the nonce", name: "Nia Newcomer", hd: "people.example" });
  expect(claims).toMatchObject({ sub: expect.stringMatching(/^1\d{20}$/), email_verified: true });
  expect(text).toContain(claims.email);
  expect(await exchange(back.searchParams.get("code"))).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
});

test.each([
  ["google", "Zoe@Company.example", { email_verified: true, hd: "company.example" }],
  ["google", "zoe@gmail.com", { email_verified: true }],
  ["elsewhere", "zoe@company.example", { email_verified: true }],
  ["unverified", "zoe@company.example", { email_verified: false }],
])("an address of the kind %s has the claims of that kind", async (mailbox, email, expected) => {
  const go = browser();
  const page = await go(authorizationUrl());
  const back = new URL((await go(page.at, { person: "typed", email, mailbox })).at);
  const { body } = await exchange(back.searchParams.get("code"));
  const claims = claimsOf(body.id_token);
  expect(claims).toMatchObject({ email, ...expected });
  expect("hd" in claims).toBe("hd" in expected);
});

test("the account chooser appears at every sign-in, even in a browser that has signed in before", async () => {
  const go = browser();
  await go((await go(authorizationUrl())).at, { person: "new" });
  const again = await go(authorizationUrl());
  expect(again.at).toContain("/google/sign-in/");
});

test("a cancelled sign-in returns access_denied and no code", async () => {
  const go = browser();
  const page = await go(authorizationUrl());
  const back = new URL((await go(page.at, { person: "cancel" })).at).searchParams;
  expect([back.get("error"), back.get("code"), back.get("state")]).toEqual(["access_denied", null, "the state"]);
});

test("an invalid address shows an error at its field and keeps the input", async () => {
  const go = browser();
  const page = await go(authorizationUrl());
  const answer = await go(page.at, { person: "typed", email: '"><b>x', mailbox: "elsewhere" });
  const text = await answer.text();
  expect(answer.status).toBe(422);
  expect(text).toContain("Enter an email address like name@example.com.");
  expect(text).toContain("&quot;&gt;&lt;b&gt;x");
  expect(text).toMatch(/value="elsewhere"[^>]*checked/);
});

test("a sign-in that was started in another browser, or never, cannot be finished", async () => {
  const page = await browser()(authorizationUrl());
  expect((await browser()(page.at)).status).toBe(410);
  expect((await browser()(page.at, { person: "new" })).status).toBe(410);
  expect((await browser()(`${url}/google/sign-in/unknown`)).status).toBe(410);
});

test("a code cannot be exchanged with another PKCE verifier", async () => {
  const go = browser();
  const page = await go(authorizationUrl());
  const back = new URL((await go(page.at, { person: "new" })).at);
  const other = randomBytes(32).toString("base64url");
  expect(await exchange(back.searchParams.get("code"), other)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
});

test("a request without PKCE or with an unregistered redirect URI is rejected", async () => {
  const without = new URL((await browser()(authorizationUrl({ code_challenge: "", code_challenge_method: "" }))).at);
  expect(without.searchParams.get("error")).toBe("invalid_request");
  const foreign = await browser()(authorizationUrl({ redirect_uri: "https://evil.example/" }));
  expect(foreign.status).toBe(400);
  expect(foreign.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await foreign.text()).toContain("This sign-in does not work");
});
