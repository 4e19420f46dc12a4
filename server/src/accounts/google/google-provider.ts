import { DAY_MS } from "@farline/domain/durations.ts";
import { findUnreadable } from "@farline/domain/text/readable-text.ts";
import * as oidc from "openid-client";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Uses } from "../../platform/uses.ts";
import type { GoogleConfig } from "../../platform/settings/config.ts";
import type { GoogleClaims } from "./decide-link.ts";
import type { AccountContext } from "../account-context.ts";

const TIMEOUT_SECONDS = 5;
const METADATA_GOOD_FOR_MS = DAY_MS;
const LONGEST_SUBJECT = 255;

/** Values that the callback of a sign-in must match. */
interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The OpenID provider: Google or the sandbox. */
interface GoogleProvider {
  readonly issuer: string;
  /** The URL of the sign-in page. @throws AppError unavailable */
  authorizationUrl(flow: FlowSecrets, redirectUri: string): Promise<URL>;
  /**
   * Exchanges a code for claims and discards all tokens.
   * @param given.iss the callback's `iss`, if present
   * @throws AppError google_failed, unavailable
   */
  claims(flow: FlowSecrets, given: { code: string; iss: string | null; redirectUri: string }): Promise<GoogleClaims>;
}

/** Fetches the provider's metadata on first use and once a day. */
export function googleProvider(config: GoogleConfig, clock: Clock, uses: Uses): GoogleProvider {
  let known: { at: number; configuration: Promise<oidc.Configuration> } | null = null;
  const discover = (): Promise<oidc.Configuration> => {
    const now = clock.now().getTime();
    if (known !== null && now - known.at < METADATA_GOOD_FOR_MS) return known.configuration;
    const fetched = { at: now, configuration: fetchMetadata(config) };
    known = fetched;
    fetched.configuration.catch(() => {
      if (known === fetched) known = null;
    });
    return fetched.configuration;
  };
  return {
    issuer: config.issuer,
    async authorizationUrl(flow, redirectUri) {
      const parameters = {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: "S256",
        prompt: "select_account",
      };
      return oidc.buildAuthorizationUrl(await callProvider(uses, discover()), parameters);
    },
    async claims(flow, given) {
      const configuration = await callProvider(uses, discover());
      const callback = new URL(given.redirectUri);
      callback.search = new URLSearchParams({ code: given.code, state: flow.state, iss: given.iss ?? config.issuer }).toString();
      const checks = {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      };
      const tokens = await callProvider(uses, oidc.authorizationCodeGrant(configuration, callback, checks));
      return readClaims(config.issuer, tokens.claims());
    },
  };
}

function fetchMetadata(config: GoogleConfig): Promise<oidc.Configuration> {
  // Verify the token's signature although it comes directly from the provider.
  const execute = [oidc.enableNonRepudiationChecks];
  // The settings allow plain HTTP for the sandbox outside production only.
  if (config.issuer.startsWith("http:")) execute.push(oidc.allowInsecureRequests);
  return oidc.discovery(
    new URL(config.issuer),
    config.clientId,
    { client_secret: config.clientSecret },
    oidc.ClientSecretPost(config.clientSecret),
    { execute, timeout: TIMEOUT_SECONDS },
  );
}

/** Distinguishes an unreachable provider from a refusal. */
async function callProvider<Result>(uses: Uses, response: Promise<Result>): Promise<Result> {
  try {
    const result = await response;
    uses.record("google", null);
    return result;
  } catch (error) {
    uses.record("google", failureOf(error));
    if (error instanceof oidc.ResponseBodyError) throw googleFailed({ reason: error.error, cause: error });
    if (isUnreachable(error)) throw new AppError("unavailable", { reason: "google_unreachable", cause: error });
    throw googleFailed({ cause: error });
  }
}

/** Errors that say that Google does not take us, not that it does not take the customer's code (RFC 6749, section 5.2). */
const REFUSES_US = new Set(["invalid_client", "unauthorized_client"]);

function failureOf(error: unknown): string | null {
  if (error instanceof oidc.ResponseBodyError) {
    if (error.status >= 500) return `It answers with status ${error.status}.`;
    return REFUSES_US.has(error.error) ? "It refuses our key." : null;
  }
  return isUnreachable(error) ? "It does not answer." : null;
}

const UNREACHABLE = new Set(["OAUTH_TIMEOUT", "OAUTH_ABORT", "OAUTH_RESPONSE_IS_NOT_CONFORM", "OAUTH_RESPONSE_IS_NOT_JSON"]);

/** No connection, a timeout, or a response that is not OpenID Connect. */
function isUnreachable(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return error instanceof TypeError || cause instanceof TypeError || UNREACHABLE.has(code ?? "");
}

function readClaims(issuer: string, claims: oidc.IDToken | undefined): GoogleClaims {
  const email = claims?.["email"];
  const name = claims?.["name"];
  const hostedDomain = claims?.["hd"];
  if (claims === undefined || claims.sub.length > LONGEST_SUBJECT || typeof email !== "string")
    throw googleFailed({ reason: "email missing" });
  if (findUnreadable(claims) !== null) throw googleFailed({ reason: "unreadable claims" });
  return {
    issuer,
    subject: claims.sub,
    email: email.normalize("NFKC"),
    emailVerified: claims["email_verified"] === true,
    name: typeof name === "string" ? name : "",
    hostedDomain: typeof hostedDomain === "string" && hostedDomain !== "" ? hostedDomain : null,
  };
}

/**
 * A failed sign-in with Google.
 * @param why.reason the provider's error code, for example "invalid_grant"; shown after a colon
 */
export function googleFailed(why: { reason?: string; cause?: unknown } = {}): AppError {
  const { reason, cause } = why;
  if (reason === undefined) return new AppError("google_failed", { cause });
  return new AppError("google_failed", { reason: "google_failed_because", detail: reason.slice(0, 100), cause });
}

/** The context while sign-in with Google is on. */
export interface GoogleContext extends AccountContext {
  readonly provider: GoogleProvider;
}
