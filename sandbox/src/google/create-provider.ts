import { generateKeyPairSync, randomBytes } from "node:crypto";
import {
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
  type Configuration,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import type { Logger } from "pino";
import { html } from "../pages/html.ts";
import { layout, pagePolicy } from "../pages/layout.ts";
import type { TestPeople, TestPerson } from "./test-people.ts";

const MINUTE = 60;

const HOUR = 60 * MINUTE;

interface GoogleClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

const MAX_RECORDS = 5_000;

interface Entry {
  readonly payload: AdapterPayload;
  readonly expiresAt: number;
}

/**
 * An OpenID provider with one client, configured like Google's: authorization code flow only, a client secret, an account
 * chooser on request, name and address in the ID token. It requires PKCE and never asks for consent.
 */
export function createProvider(options: {
  issuer: string;
  /** Path of the account chooser. */
  signInPath: (uid: string) => string;
  client: GoogleClient;
  people: TestPeople;
  log: Logger;
}): Provider {
  const { client, people, log } = options;
  const provider = new Provider(options.issuer, {
    adapter: memoryAdapter(Date.now),
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [...client.redirectUris],
        grant_types: ["authorization_code"],
        response_types: ["code"],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    jwks: { keys: [newSigningKey()] },
    cookies: { keys: [randomBytes(32).toString("base64url")] },
    claims: { openid: ["sub", "hd"], email: ["email", "email_verified"], profile: ["name"] },
    scopes: ["openid", "email", "profile"],
    responseTypes: ["code"],
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { policy: chooserPolicy(), url: (_ctx, interaction) => options.signInPath(interaction.uid) },
    findAccount: (_ctx, sub) => accountOf(people.find(sub)),
    loadExistingGrant: grantAllScopes,
    renderError: renderError(),
    ttl: { AccessToken: HOUR, AuthorizationCode: MINUTE, IdToken: HOUR, Interaction: HOUR, Session: HOUR, Grant: HOUR },
  } satisfies Configuration);
  // The public origin comes from the request's forwarding headers.
  provider.proxy = true;
  provider.on("server_error", (_ctx, error) => log.error({ err: error }, "OpenID provider failed"));
  return provider;
}

/** The default policy, preceded by an account chooser if the client requests it. */
function chooserPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: "select_account", requestable: true }), 0);
  return policy;
}

function accountOf(person: TestPerson | undefined) {
  if (person === undefined) return undefined;
  const { sub, name, email, emailVerified, hostedDomain } = person;
  const claims = { sub, name, email, email_verified: emailVerified, ...(hostedDomain === null ? {} : { hd: hostedDomain }) };
  return { accountId: sub, claims: async () => claims };
}

/** Grants the client all scopes without asking for consent. */
async function grantAllScopes(ctx: KoaContextWithOIDC) {
  const { client, session, provider } = ctx.oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope("openid email profile");
  await grant.save();
  return grant;
}

function renderError(): Configuration["renderError"] {
  return (ctx, out) => {
    const body = html`<div class="card">
      <h1>This sign-in does not work</h1>
      <p>${out.error_description ?? out.error}</p>
      <p class="quiet">Go back to Farline and start again.</p>
    </div>`;
    ctx.type = "html";
    ctx.set("content-security-policy", pagePolicy(null));
    ctx.body = layout({ title: "Sign in with Google", body, appUrl: null }).text;
  };
}

/** A new key per start; clients fetch it from the provider. */
function newSigningKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: randomBytes(8).toString("hex") };
}

/** Stores the provider's codes, sessions and grants in memory and evicts the oldest. A restart aborts sign-ins in progress. */
function memoryAdapter(now: () => number): AdapterFactory {
  const records = new Map<string, Entry>();
  const live = (key: string): AdapterPayload | undefined => {
    const entry = records.get(key);
    if (entry === undefined || entry.expiresAt > now()) return entry?.payload;
    records.delete(key);
    return undefined;
  };
  const findBy = (prefix: string, matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined => {
    for (const key of records.keys()) {
      const payload = key.startsWith(prefix) ? live(key) : undefined;
      if (payload !== undefined && matches(payload)) return payload;
    }
    return undefined;
  };
  return (model): Adapter => ({
    async upsert(id, payload, expiresInSeconds) {
      const key = `${model}:${id}`;
      records.delete(key);
      records.set(key, { payload, expiresAt: expiresInSeconds === undefined ? Infinity : now() + expiresInSeconds * 1000 });
      const [oldest] = records.keys();
      if (records.size > MAX_RECORDS && oldest !== undefined) records.delete(oldest);
    },
    find: async (id) => live(`${model}:${id}`),
    findByUid: async (uid) => findBy(`${model}:`, (payload) => payload.uid === uid),
    findByUserCode: async (userCode) => findBy(`${model}:`, (payload) => payload.userCode === userCode),
    async consume(id) {
      const payload = live(`${model}:${id}`);
      if (payload !== undefined) payload.consumed = Math.floor(now() / 1000);
    },
    async destroy(id) {
      records.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      for (const [key, entry] of records) if (entry.payload.grantId === grantId) records.delete(key);
    },
  });
}
