import { parseSettings, type Env, type ReadBy } from "@farline/contract/settings/read-settings.ts";

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
