import { parseSettings, type ReadBy } from "@farline/contract/settings/read-settings.ts";
import type { Env } from "@farline/contract/settings/setting.ts";
import type { Logger } from "pino";
import type { SandboxOptions } from "./sandbox.ts";

export type Settings = ReadBy<"sandbox">;

/** A missing or invalid setting. The message is one sentence that names it. */
export class SettingsError extends Error {}

const PLAY_KEY = /^sk_test_\w+$/;

/** Reads the sandbox's settings from environment variables. @throws SettingsError */
export function readSettings(env: Env): Settings {
  const parsed = parseSettings("sandbox", env);
  if ("problems" in parsed) throw new SettingsError(`The sandbox cannot start with these settings: ${parsed.problems}.`);
  const { values } = parsed;
  if (values.NODE_ENV === "production" && !values.ALLOW_SANDBOX)
    throw new SettingsError("The sandbox is a stand-in: it does not start with NODE_ENV=production.");
  if (!PLAY_KEY.test(values.STRIPE_SECRET_KEY))
    throw new SettingsError("STRIPE_SECRET_KEY must start with sk_test_: this is a stand-in, keep live keys away from it.");
  return values;
}

export function sandboxOptions(settings: Settings, log: Logger): SandboxOptions {
  return {
    log,
    host: settings.SANDBOX_HOST,
    port: settings.SANDBOX_PORT,
    sipHost: settings.SANDBOX_SIP_HOST,
    sipPort: settings.SANDBOX_SIP_PORT,
    smtpPort: settings.SANDBOX_SMTP_PORT,
    trunkPort: settings.SANDBOX_TRUNK_PORT,
    ringMs: settings.SANDBOX_RING_MS,
    databaseUrl: settings.SANDBOX_DATABASE_URL,
    stripe: {
      secretKey: settings.STRIPE_SECRET_KEY,
      webhookSecrets: settings.STRIPE_WEBHOOK_SECRET.split(",").map((secret) => secret.trim()),
      webhookUrl: settings.STRIPE_WEBHOOK_URL ?? null,
    },
    google: googleClient(settings),
    publicUrl: settings.SANDBOX_PUBLIC_URL,
    appUrl: settings.APP_URL ?? null,
  };
}

function googleClient(settings: Settings): { clientId: string; clientSecret: string } | null {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = settings;
  return clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret };
}
