import { z } from "zod";

const url = z.url({ protocol: /^https?$/ });
const port = z.coerce.number().int().min(0).max(65_535);

const environment = z.object({
  NODE_ENV: z.string().optional(),
  /** As for the service: a production installation that is only being tried out. */
  ALLOW_SANDBOX: z.stringbool().default(false),
  SANDBOX_PORT: port.default(3001),
  SANDBOX_HOST: z.string().min(1).default("127.0.0.1"),
  SANDBOX_SIP_PORT: port.default(0),
  /** Without it there is no mailbox. */
  SANDBOX_SMTP_PORT: port.optional(),
  SANDBOX_SIP_HOST: z.ipv4().default("127.0.0.1"),
  /** UDP port of the trunk that may call the phone network; without it anybody may. */
  SANDBOX_TRUNK_PORT: port.optional(),
  SANDBOX_RING_MS: z.coerce.number().int().min(0).max(60_000).default(2000),
  SANDBOX_DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, "must start with postgres://"),
  SANDBOX_PUBLIC_URL: url.optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^sk_test_\w+$/, "must start with sk_test_: this is a stand-in, keep live keys away from it"),
  STRIPE_WEBHOOK_SECRET: z.string().min(1),
  STRIPE_WEBHOOK_URL: url.optional(),
  APP_URL: url.optional(),
  /** With both, and APP_URL, the OpenID provider runs. */
  GOOGLE_CLIENT_ID: z.string().min(1).optional(),
  GOOGLE_CLIENT_SECRET: z.string().min(16).optional(),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
});

export type Settings = z.output<typeof environment>;

/** A setting is missing or wrong. The message is one sentence that names it. */
export class SettingsError extends Error {}

/** Reads the sandbox's settings from environment variables. @throws SettingsError */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = environment.safeParse(present);
  if (parsed.success) {
    if (parsed.data.NODE_ENV === "production" && !parsed.data.ALLOW_SANDBOX)
      throw new SettingsError("The sandbox is a stand-in: it does not start with NODE_ENV=production.");
    return parsed.data;
  }
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
  throw new SettingsError(`The sandbox cannot start with these settings: ${problems}.`);
}
