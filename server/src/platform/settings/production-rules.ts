import type { ReadBy } from "@farline/contract/settings/read-settings.ts";
import { settings } from "@farline/contract/settings/settings.ts";
import { takesRealMoney } from "@farline/domain/live-key.ts";
import { isFictionalNumber } from "@farline/domain/numbers/caller-id.ts";

/** The settings that decide whether an installation may start. */
type ProviderSettings = Pick<
  ReadBy<"service">,
  | "NODE_ENV"
  | "ALLOW_SANDBOX"
  | "PUBLIC_URL"
  | "SANDBOX_URL"
  | "STRIPE_SECRET_KEY"
  | "STRIPE_API_BASE"
  | "TELNYX_API_BASE"
  | "VOICE_WS_URL"
  | "CALLER_NUMBER"
  | "GOOGLE_CLIENT_ID"
  | "GOOGLE_CLIENT_SECRET"
  | "OIDC_ISSUER"
  | "SMTP_URL"
  | "MAIL_FROM"
  | "SELLER_NAME"
  | "SELLER_ADDRESS"
  | "SELLER_LAW"
  | "SELLER_REGISTRATION"
  | "SUPPORT_HOURS"
  | "SECRET_KEYS"
  | "METRICS_TOKEN"
  | "LIMITS_SCALE"
  | "TRUSTED_PROXIES"
>;

const GOOGLE_ISSUER = settings.OIDC_ISSUER.default;

/** Whether any provider is a sandbox. */
export function isSandboxed(e: Pick<ProviderSettings, "SANDBOX_URL" | "STRIPE_API_BASE" | "OIDC_ISSUER">): boolean {
  return e.SANDBOX_URL !== undefined || e.STRIPE_API_BASE !== undefined || e.OIDC_ISSUER !== GOOGLE_ISSUER;
}

/**
 * Whether production rules apply: with NODE_ENV=production, and with any real provider, so that forgetting NODE_ENV does not
 * leave an installation open.
 */
export function isProduction(
  e: Pick<ProviderSettings, "NODE_ENV" | "STRIPE_SECRET_KEY" | "TELNYX_API_BASE" | "GOOGLE_CLIENT_ID" | "OIDC_ISSUER">,
): boolean {
  return e.NODE_ENV === "production" || takesRealMoney(e.STRIPE_SECRET_KEY) || hasTelnyx(e) || hasGoogle(e);
}

/** Why an installation must not start: sentences that name the settings, or null. */
export function startRefusal(e: ProviderSettings): string | null {
  const missing = isProduction(e) ? missingInProduction(e) : null;
  return mixedProviders(e) ?? (missing && sayWhyProduction(missing, e));
}

/** Adds to a refusal that only NODE_ENV asks for production's rules, which on a laptop nobody meant. */
export function sayWhyProduction(refusal: string, e: Parameters<typeof isProduction>[0]): string {
  if (isProduction({ ...e, NODE_ENV: "development" })) return refusal;
  return `${refusal} Production's rules apply because NODE_ENV is production: unset it to try Farline on this machine. npm sets it if its own "omit" setting includes "dev".`;
}

/** Warnings for the operator that do not prevent the start, one sentence each. */
export function startWarnings(e: ProviderSettings): string[] {
  const warnings: string[] = [];
  if (e.TRUSTED_PROXIES === 0 && e.PUBLIC_URL?.startsWith("https://") === true)
    warnings.push(
      "PUBLIC_URL is https://, so a proxy stands in front, and TRUSTED_PROXIES is 0: all visitors share the limits of its address.",
    );
  if (!takesRealMoney(e.STRIPE_SECRET_KEY)) return warnings;
  if (e.SELLER_REGISTRATION === undefined)
    warnings.push("SELLER_REGISTRATION is missing: customers do not see where the seller is registered before they pay.");
  if (e.SUPPORT_HOURS === undefined) warnings.push("SUPPORT_HOURS is missing: customers do not see when people answer them.");
  return warnings;
}

function hasTelnyx({ TELNYX_API_BASE: base }: Pick<ProviderSettings, "TELNYX_API_BASE">): boolean {
  return base === undefined || /(^|\.)telnyx\.com$/.test(new URL(base).hostname);
}

function hasGoogle(e: Pick<ProviderSettings, "GOOGLE_CLIENT_ID" | "OIDC_ISSUER">): boolean {
  return e.GOOGLE_CLIENT_ID !== undefined && e.OIDC_ISSUER === GOOGLE_ISSUER;
}

/** Combinations that are refused even with ALLOW_SANDBOX. */
function mixedProviders(e: ProviderSettings): string | null {
  const live = takesRealMoney(e.STRIPE_SECRET_KEY);
  if ((e.GOOGLE_CLIENT_ID === undefined) !== (e.GOOGLE_CLIENT_SECRET === undefined))
    return "GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET belong together: set both or neither.";
  if (live && e.STRIPE_API_BASE !== undefined)
    return "STRIPE_SECRET_KEY is a live key, and STRIPE_API_BASE points to a sandbox: set only one of them.";
  if (live && isSandboxed(e))
    return "STRIPE_SECRET_KEY is a live key, and SANDBOX_URL or OIDC_ISSUER names a sandbox: real money buys nothing there.";
  if (hasTelnyx(e) && !live)
    return "TELNYX_API_KEY is for real calls, and STRIPE_SECRET_KEY is not a live key: play money must not pay for them.";
  return null;
}

function missingInProduction(e: ProviderSettings): string | null {
  const missing = alwaysMissing(e);
  return missing ?? (e.ALLOW_SANDBOX ? null : missingForCustomers(e));
}

/** Required for public demonstrations too. */
function alwaysMissing(e: ProviderSettings): string | null {
  if (isSandboxed(e) && !e.ALLOW_SANDBOX)
    return "The service does not start in production while a sandbox is in use: unset SANDBOX_URL, STRIPE_API_BASE and OIDC_ISSUER, or set ALLOW_SANDBOX=true.";
  if (e.PUBLIC_URL === undefined || !e.PUBLIC_URL.startsWith("https://"))
    return "PUBLIC_URL must be the https:// address that people use: links in mails and the safety of cookies depend on it.";
  if (e.SECRET_KEYS === undefined)
    return 'SECRET_KEYS is missing: set it to "1:" and 32 random bytes in base64, and keep it secret.';
  if (e.METRICS_TOKEN === undefined) return "METRICS_TOKEN is missing: without it a proxy could show /metrics to everybody.";
  if (e.SMTP_URL === undefined) return "SMTP_URL is missing: in production the service must be able to send mail.";
  if (e.VOICE_WS_URL?.startsWith("ws://") === true)
    return "VOICE_WS_URL must be a wss:// address: browsers open no other from an https:// page, and voice tokens would be readable.";
  return null;
}

/** Required except in demonstrations. */
function missingForCustomers(e: ProviderSettings): string | null {
  if (!takesRealMoney(e.STRIPE_SECRET_KEY)) return "STRIPE_SECRET_KEY is a test key: everybody could pay with a test card.";
  if (e.LIMITS_SCALE !== 1) return "LIMITS_SCALE must be 1 in production.";
  if (e.CALLER_NUMBER === undefined) return "CALLER_NUMBER is missing: the number that called people see must be your own.";
  if (isFictionalNumber(e.CALLER_NUMBER))
    return "CALLER_NUMBER is reserved for fiction: the number that called people see must be your own.";
  if (e.MAIL_FROM === undefined) return "MAIL_FROM is missing: say who the mails come from.";
  if (e.SELLER_NAME === undefined || e.SELLER_ADDRESS === undefined || e.SELLER_LAW === undefined)
    return "SELLER_NAME, SELLER_ADDRESS or SELLER_LAW is missing: receipts, terms and the page of payment say who sells the credit.";
  return null;
}
