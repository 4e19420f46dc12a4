import { MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { DEFAULT_CALLER_NUMBER } from "@farline/contract/caller-id.ts";
import type { SellerNotice } from "@farline/contract/public-pages.ts";
import { withDatabasePassword } from "@farline/contract/settings/database-password.ts";
import { type KeyList, readKeyList } from "@farline/contract/settings/setting.ts";
import { parseSettings, type ReadBy } from "@farline/contract/settings/read-settings.ts";
import { isSandboxed, startRefusal, startWarnings } from "./production-rules.ts";
import type { SecretKey, SecretKeys } from "./secret-keys.ts";
import { noticeOf, SAMPLE_SELLER, type Seller } from "./seller.ts";

type ServiceSettings = ReadBy<"service">;

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Origin that browsers use, without a trailing slash. Links in mails and redirects use it, never the Host header. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  /** A streaming standby. */
  readonly databaseReadUrl: string | null;
  readonly databasePool: number;
  readonly stopNoticeSeconds: number;
  /** `sandbox` while any provider is a sandbox. */
  readonly mode: "sandbox" | "live";
  readonly sandboxUrl: string | null;
  readonly telnyx: {
    readonly apiKeys: KeyList<string>;
    readonly apiBase: string | null;
    /** Ed25519, base64 of 32 bytes. */
    readonly publicKeys: KeyList<string>;
    readonly connectionId: string;
    readonly wsUrl: string | null;
    /** E.164; shown to the called person. */
    readonly callerNumber: string;
    /** Extra call time beyond the paid time, for providers that cannot raise a running call's limit. */
    readonly marginMinutes: number;
    /** TURN relays offered to browsers in addition to our exchange; null for none. */
    readonly turn: { readonly urls: readonly string[]; readonly secret: string } | null;
  };
  readonly stripe: { readonly secretKey: string; readonly webhookSecrets: readonly string[]; readonly apiBase: string | null };
  /** Null if sign-in with Google is off. */
  readonly google: GoogleConfig | null;
  /** Without `smtpUrl`, mails are queued and dropped after a day. */
  readonly mail: { readonly smtpUrl: string | null; readonly from: string };
  readonly supportEmail: string;
  readonly socialLinks: readonly string[];
  /** On receipts and statements. */
  readonly seller: Seller;
  readonly sellerNotice: SellerNotice;
  readonly receiptSeries: number;
  /** Free credit, in micro-dollars; 0n turns it off. */
  readonly promotions: {
    readonly firstCallMicros: bigint;
    readonly referralMicros: bigint;
    /** Daily limit on all free credit, reserved promo codes included. */
    readonly freeCreditPerDayMicros: bigint;
  };
  readonly secretKeys: SecretKeys;
  /** Multiplies every abuse limit; 0 turns them off. */
  readonly limitsScale: number;
  /** For /metrics; null allows only this machine. */
  readonly metricsToken: string | null;
  readonly trustedProxies: number;
  readonly logLevel: string;
  /** Warnings for the operator, one sentence each. */
  readonly warnings: readonly string[];
}

export interface GoogleConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly issuer: string;
}

/** A setting is missing or wrong. The message is one sentence that names it. */
export class ConfigError extends Error {}

/**
 * Reads the service's settings from environment variables.
 * @throws ConfigError with a message that names each bad setting.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const parsed = parseSettings("service", env);
  if ("problems" in parsed) throw new ConfigError(`The service cannot start with these settings: ${parsed.problems}.`);
  const e = parsed.values;
  if ((e.TURN_URLS === undefined) !== (e.TURN_SECRET === undefined))
    throw new ConfigError("The service cannot start with these settings: TURN_URLS and TURN_SECRET belong together.");
  const refusal = startRefusal(e);
  if (refusal !== null) throw new ConfigError(refusal);
  const sandboxed = isSandboxed(e);
  const seller = readSeller(e);
  const supportEmail = e.SUPPORT_EMAIL ?? `support@${new URL(e.PUBLIC_URL ?? "http://localhost").hostname}`;
  return {
    port: e.PORT,
    host: e.HOST,
    publicUrl: e.PUBLIC_URL ?? `http://localhost:${e.PORT}`,
    databaseUrl: withDatabasePassword(e.DATABASE_URL, e.DATABASE_PASSWORD),
    databaseReadUrl: e.DATABASE_READ_URL === undefined ? null : withDatabasePassword(e.DATABASE_READ_URL, e.DATABASE_PASSWORD),
    databasePool: e.DATABASE_POOL,
    stopNoticeSeconds: e.STOP_NOTICE_SECONDS,
    mode: sandboxed ? "sandbox" : "live",
    sandboxUrl: e.SANDBOX_URL?.replace(/\/+$/, "") ?? null,
    telnyx: {
      apiKeys: readKeyList(e.TELNYX_API_KEY, String),
      apiBase: e.TELNYX_API_BASE ?? null,
      publicKeys: readKeyList(e.TELNYX_PUBLIC_KEY, String),
      connectionId: e.TELNYX_CONNECTION_ID,
      wsUrl: e.VOICE_WS_URL ?? null,
      callerNumber: e.CALLER_NUMBER ?? DEFAULT_CALLER_NUMBER,
      marginMinutes: e.CALL_MARGIN_MINUTES,
      turn: e.TURN_URLS === undefined || e.TURN_SECRET === undefined ? null : { urls: e.TURN_URLS, secret: e.TURN_SECRET },
    },
    stripe: {
      secretKey: e.STRIPE_SECRET_KEY,
      webhookSecrets: readKeyList(e.STRIPE_WEBHOOK_SECRET, String),
      apiBase: e.STRIPE_API_BASE ?? null,
    },
    google: readGoogle(e),
    mail: { smtpUrl: e.SMTP_URL ?? null, from: e.MAIL_FROM ?? "Farline <no-reply@farline.localhost>" },
    supportEmail,
    socialLinks: e.SOCIAL_LINKS,
    seller,
    receiptSeries: e.RECEIPT_SERIES,
    sellerNotice: noticeOf(seller, {
      law: e.SELLER_LAW,
      registration: e.SELLER_REGISTRATION,
      supportHours: e.SUPPORT_HOURS,
      supportEmail,
      cards: e.CARD_BRANDS,
    }),
    promotions: {
      firstCallMicros: e.FIRST_CALL_BONUS ?? (sandboxed ? SANDBOX_FIRST_CALL_MICROS : 0n),
      referralMicros: e.REFERRAL_BONUS ?? (sandboxed ? SANDBOX_REFERRAL_MICROS : 0n),
      freeCreditPerDayMicros: e.FREE_CREDIT_PER_DAY,
    },
    secretKeys: e.SECRET_KEYS === undefined ? DEVELOPMENT_KEYS : readSecretKeys(e.SECRET_KEYS),
    limitsScale: e.LIMITS_SCALE,
    metricsToken: e.METRICS_TOKEN ?? null,
    trustedProxies: e.TRUSTED_PROXIES,
    logLevel: e.LOG_LEVEL,
    warnings: startWarnings(e),
  };
}

function readGoogle(e: ServiceSettings): GoogleConfig | null {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, OIDC_ISSUER: issuer } = e;
  return clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret, issuer };
}

/** All of the operator's details or all of the sample's, never a mix. */
function readSeller(e: ServiceSettings): Seller {
  const own = e.SELLER_NAME !== undefined;
  return {
    name: e.SELLER_NAME ?? SAMPLE_SELLER.name,
    address: e.SELLER_ADDRESS ?? (own ? [] : SAMPLE_SELLER.address),
    taxId: e.SELLER_TAX_ID ?? (own ? null : SAMPLE_SELLER.taxId),
    taxMillipercent: e.TAX_PERCENT ?? null,
    taxNote: e.TAX_NOTE ?? null,
  };
}

/** Defaults that demonstrate free credit in a sandbox; in live mode, the operator sets it. */
const SANDBOX_FIRST_CALL_MICROS = MICROS_PER_DOLLAR / 4n;
const SANDBOX_REFERRAL_MICROS = 2n * MICROS_PER_DOLLAR;

/** For services started by hand in development; production requires its own keys. */
const DEVELOPMENT_KEYS: SecretKeys = [{ id: "development", secret: Buffer.alloc(32, "not a secret") }];
const KEY_ID = /^[a-z0-9-]{1,20}$/;

function readSecretKeys(text: string): SecretKeys {
  const keys = text.split(",").map((entry): SecretKey => {
    const [id = "", value = ""] = entry.trim().split(":");
    const secret = Buffer.from(value, "base64");
    if (!KEY_ID.test(id) || secret.length !== 32)
      throw new ConfigError('SECRET_KEYS: each key must be an id of small letters and digits, ":", and 32 bytes in base64.');
    return { id, secret };
  });
  const [first, ...others] = keys;
  if (first === undefined) throw new ConfigError("SECRET_KEYS holds no key.");
  if (new Set(keys.map((key) => key.id)).size < keys.length) throw new ConfigError("SECRET_KEYS: two keys have the same id.");
  return [first, ...others];
}
