import type { Logger } from "pino";
import type { SandboxOptions } from "./sandbox.ts";
import type { Settings } from "./settings.ts";

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
