import pino from "pino";
import { startSandbox } from "./sandbox.ts";
import { readSettings, SettingsError, type Settings } from "./settings.ts";

const CLOSE_DEADLINE_MS = 5000;

/** The sandbox as a process: starts, says that it is ready, and closes when it is asked to or its parent is gone. */
async function main(settings: Settings): Promise<void> {
  const log = pino({ level: settings.LOG_LEVEL, base: { service: "sandbox" }, timestamp: pino.stdTimeFunctions.isoTime });
  const sandbox = await startSandbox({
    log,
    host: settings.SANDBOX_HOST,
    port: settings.SANDBOX_PORT,
    sipHost: settings.SANDBOX_SIP_HOST,
    sipPort: settings.SANDBOX_SIP_PORT,
    smtpPort: settings.SANDBOX_SMTP_PORT,
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
  });
  let closing = false;
  const close = (why: string) => {
    if (closing) return;
    closing = true;
    log.info({ why }, "closing");
    setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS).unref();
    sandbox.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, "did not close cleanly");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => close("SIGTERM"));
  process.on("SIGINT", () => close("SIGINT"));
  process.on("disconnect", () => close("parent gone"));
  const ready = { httpPort: sandbox.port, sipPort: sandbox.network.sipPort, smtpPort: sandbox.smtpPort };
  log.info(ready, "ready");
  process.send?.({ ready: true, ...ready });
}

function googleClient(settings: Settings): { clientId: string; clientSecret: string } | null {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = settings;
  return clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret };
}

try {
  await main(readSettings(process.env));
} catch (error) {
  const message = error instanceof SettingsError ? error.message : `The sandbox cannot start: ${(error as Error).message}`;
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
