import { MICROS_PER_DOLLAR, parseDollars } from "@farline/domain/money.ts";
import { DEFAULT_CALLER_NUMBER } from "@farline/contract/caller-number.ts";
import { z } from "zod";
import { GOOGLE_ISSUER, isSandboxed, whyNotStart } from "./production-rules.ts";
import type { SecretKey, SecretKeys } from "./secret-keys.ts";
import { parsePercent, SAMPLE_SELLER, type Seller } from "./seller.ts";

const flag = z.enum(["true", "false"]).transform((text) => text === "true");
const url = z.url({ protocol: /^https?$/ });

/** An amount that is given away; "0" for nothing. */
const bonus = z
  .string()
  .transform((text, context) => {
    const micros = parseDollars(text);
    if (micros === null || micros > MOST_BONUS_MICROS) context.addIssue('must be dollars from 0 to 100, like "0.25"');
    return micros ?? z.NEVER;
  })
  .optional();
const MOST_BONUS_MICROS = 100n * MICROS_PER_DOLLAR;

const environment = z.object({
  NODE_ENV: z.enum(["development", "test", "production"]).default("development"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().min(1).default("127.0.0.1"),
  PUBLIC_URL: url.optional(),
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, "must start with postgres://"),
  DATABASE_POOL: z.coerce.number().int().min(2).max(100).default(10),
  /** Set by the command that also starts the stand-ins; its presence is what makes this service a sandbox. */
  SANDBOX_URL: url.optional(),
  ALLOW_SANDBOX: flag.default(false),
  TELNYX_API_KEY: z.string().min(1),
  TELNYX_API_BASE: url.optional(),
  TELNYX_PUBLIC_KEY: z.string().min(1),
  TELNYX_CONNECTION_ID: z.string().min(1),
  VOICE_WS_URL: z.url({ protocol: /^wss?$/ }).optional(),
  CALLER_NUMBER: z
    .string()
    .regex(/^\+[1-9]\d{6,14}$/, "must be an E.164 number")
    .optional(),
  STRIPE_SECRET_KEY: z.string().min(1),
  STRIPE_WEBHOOK_SECRET: z.string().min(1),
  STRIPE_API_BASE: url.optional(),
  GOOGLE_CLIENT_ID: z.string().min(1).optional(),
  GOOGLE_CLIENT_SECRET: z.string().min(1).optional(),
  /** Only a stand-in needs it. */
  OIDC_ISSUER: url.default(GOOGLE_ISSUER),
  /** smtp:// or smtps://, with user and password where the server wants them. */
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** Who the mails come from, for example "Farline <no-reply@example.com>". */
  MAIL_FROM: z
    .string()
    .regex(/^([^<>"\r\n]+ <)?[^\s<>@,;"]+@[^\s<>@,;"]+>?$/, 'must be like "Farline <no-reply@example.com>"')
    .optional(),
  /** Where customers write to; "support@" and the host of PUBLIC_URL unless set. */
  SUPPORT_EMAIL: z.email().optional(),
  /** The operator's pages at social networks, with commas between, for the footer. */
  SOCIAL_LINKS: z
    .string()
    .default("")
    .transform((text) =>
      text
        .split(",")
        .map((link) => link.trim())
        .filter((link) => link !== ""),
    )
    .pipe(z.array(z.url({ protocol: /^https$/ })).max(8)),
  /** Who sells the credit, for receipts: name, address with "|" between its lines, tax number. */
  SELLER_NAME: z.string().trim().min(1).max(120).optional(),
  SELLER_ADDRESS: z
    .string()
    .max(400)
    .transform((text) => text.split("|").map((line) => line.trim()))
    .pipe(z.array(z.string().min(1)).min(1).max(6))
    .optional(),
  SELLER_TAX_ID: z.string().trim().min(1).max(60).optional(),
  /** Tax contained in every price, for example "19" or "8.875"; receipts state it. */
  TAX_PERCENT: z
    .string()
    .transform((text, context) => {
      const millipercent = parsePercent(text);
      if (millipercent === null) context.addIssue('must be a percentage like "19" or "8.875"');
      return millipercent ?? z.NEVER;
    })
    .optional(),
  /** A sentence about tax for every receipt. */
  TAX_NOTE: z.string().trim().min(1).max(300).optional(),
  /** Credit for the first call of everybody who proves an address, and for both sides of an invitation; nothing when live. */
  FIRST_CALL_BONUS: bonus,
  REFERRAL_BONUS: bonus,
  /** The service's own secrets, "id:base64 of 32 bytes" with commas between; the first is used for all that is new. */
  SECRET_KEYS: z.string().optional(),
  LIMITS_SCALE: z.coerce.number().min(0).max(1_000_000).default(1),
  /** Lets whoever sends it read /metrics; without it, which production refuses, only this machine may. */
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
});

export interface Config {
  readonly port: number;
  readonly host: string;
  /** Origin the browser uses, without a trailing slash. Links in mails and redirects are built from it, never from Host. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  readonly databasePool: number;
  /** `sandbox` while any stand-in is in use. */
  readonly mode: "sandbox" | "live";
  readonly sandboxUrl: string | null;
  readonly telnyx: {
    readonly apiKey: string;
    readonly apiBase: string | null;
    /** Ed25519, base64 of 32 bytes. */
    readonly publicKey: string;
    readonly connectionId: string;
    readonly wsUrl: string | null;
    /** E.164; what the called person sees. */
    readonly callerNumber: string;
  };
  readonly stripe: { readonly secretKey: string; readonly webhookSecrets: readonly string[]; readonly apiBase: string | null };
  /** Null: nobody signs in with Google here. */
  readonly google: GoogleConfig | null;
  /** `smtpUrl` null: mails wait for one, and are given up after a day. */
  readonly mail: { readonly smtpUrl: string | null; readonly from: string };
  readonly supportEmail: string;
  readonly socialLinks: readonly string[];
  /** On receipts and statements. */
  readonly seller: Seller;
  /** What is given away, in micro-dollars; 0n for nothing. */
  readonly promotions: { readonly firstCallMicros: bigint; readonly referralMicros: bigint };
  readonly secretKeys: SecretKeys;
  /** Multiplies every abuse limit; 0 turns them off. */
  readonly limitsScale: number;
  /** For /metrics; null leaves it to this machine. */
  readonly metricsToken: string | null;
  readonly trustedProxies: number;
  readonly logLevel: string;
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
 * @throws ConfigError with a sentence that names each bad setting.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = environment.safeParse(present);
  if (!parsed.success) {
    const first = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
    throw new ConfigError(`The service cannot start with these settings: ${first}.`);
  }
  const e = parsed.data;
  const refusal = whyNotStart(e);
  if (refusal !== null) throw new ConfigError(refusal);
  const sandboxed = isSandboxed(e);
  return {
    port: e.PORT,
    host: e.HOST,
    publicUrl: (e.PUBLIC_URL ?? `http://localhost:${e.PORT}`).replace(/\/+$/, ""),
    databaseUrl: e.DATABASE_URL,
    databasePool: e.DATABASE_POOL,
    mode: sandboxed ? "sandbox" : "live",
    sandboxUrl: e.SANDBOX_URL?.replace(/\/+$/, "") ?? null,
    telnyx: {
      apiKey: e.TELNYX_API_KEY,
      apiBase: e.TELNYX_API_BASE ?? null,
      publicKey: e.TELNYX_PUBLIC_KEY,
      connectionId: e.TELNYX_CONNECTION_ID,
      wsUrl: e.VOICE_WS_URL ?? null,
      callerNumber: e.CALLER_NUMBER ?? DEFAULT_CALLER_NUMBER,
    },
    stripe: {
      secretKey: e.STRIPE_SECRET_KEY,
      webhookSecrets: e.STRIPE_WEBHOOK_SECRET.split(",").map((secret) => secret.trim()),
      apiBase: e.STRIPE_API_BASE ?? null,
    },
    google: readGoogle(e),
    mail: { smtpUrl: e.SMTP_URL ?? null, from: e.MAIL_FROM ?? "Farline <no-reply@farline.localhost>" },
    supportEmail: e.SUPPORT_EMAIL ?? `support@${new URL(e.PUBLIC_URL ?? "http://localhost").hostname}`,
    socialLinks: e.SOCIAL_LINKS,
    seller: readSeller(e),
    promotions: {
      firstCallMicros: e.FIRST_CALL_BONUS ?? (sandboxed ? SANDBOX_FIRST_CALL_MICROS : 0n),
      referralMicros: e.REFERRAL_BONUS ?? (sandboxed ? SANDBOX_REFERRAL_MICROS : 0n),
    },
    secretKeys: e.SECRET_KEYS === undefined ? DEVELOPMENT_KEYS : readSecretKeys(e.SECRET_KEYS),
    limitsScale: e.LIMITS_SCALE,
    metricsToken: e.METRICS_TOKEN ?? null,
    trustedProxies: e.TRUSTED_PROXIES,
    logLevel: e.LOG_LEVEL,
  };
}

function readGoogle(e: z.output<typeof environment>): GoogleConfig | null {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret, OIDC_ISSUER: issuer } = e;
  return clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret, issuer };
}

/** What belongs to an operator's own name is never mixed with the sample's. */
function readSeller(e: z.output<typeof environment>): Seller {
  const own = e.SELLER_NAME !== undefined;
  return {
    name: e.SELLER_NAME ?? SAMPLE_SELLER.name,
    address: e.SELLER_ADDRESS ?? (own ? [] : SAMPLE_SELLER.address),
    taxId: e.SELLER_TAX_ID ?? (own ? null : SAMPLE_SELLER.taxId),
    taxMillipercent: e.TAX_PERCENT ?? null,
    taxNote: e.TAX_NOTE ?? null,
  };
}

/** A sandbox shows what can be given away; in live mode the operator decides. */
const SANDBOX_FIRST_CALL_MICROS = MICROS_PER_DOLLAR / 4n;
const SANDBOX_REFERRAL_MICROS = 2n * MICROS_PER_DOLLAR;

/** So that a service started by hand works; production refuses to start without keys of its own. */
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
