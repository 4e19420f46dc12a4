import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { withDatabasePassword } from "@farline/contract/settings/database-password.ts";
import { type KeyList, readKeyList } from "@farline/contract/settings/setting.ts";
import { settings } from "@farline/contract/settings/settings.ts";
import { CommandError } from "../command.ts";
import { localUrl, readAddresses } from "../start/settings.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The addresses and keys with which the commands of this machine reach its installation. */
export interface Installation {
  readonly databaseUrl: string;
  readonly publicUrl: string;
  readonly stripe: { readonly secretKey: string; readonly webhookSecrets: readonly string[]; readonly apiBase: string | null };
}

/**
 * Reads the installation's addresses from the same variables as the service. Missing ones come from the data directory of `npm start`,
 * which must be running.
 * @throws CommandError
 */
export function readInstallation(env: Env): Installation {
  const directory = resolve(env["DATA_DIR"] || "./data");
  const { publicUrl, sandboxHost, sandboxPort } = readAddresses(env);
  const secretKey = env["STRIPE_SECRET_KEY"];
  return {
    databaseUrl: readDatabaseUrl(env) ?? localDatabaseUrl(directory),
    publicUrl,
    stripe: {
      secretKey: secretKey || readSecret(directory, { secret: "stripeSecretKey", setting: "STRIPE_SECRET_KEY" }),
      webhookSecrets: [],
      apiBase: env["STRIPE_API_BASE"] || (secretKey ? null : localUrl(sandboxHost, sandboxPort)),
    },
  };
}

/**
 * Reads the voice provider's address and keys like `readInstallation`; a null address is Telnyx's own.
 * @throws CommandError
 */
export function readVoiceProvider(env: Env): { readonly apiKeys: KeyList<string>; readonly apiBase: string | null } {
  const apiKey = env["TELNYX_API_KEY"];
  const base = env["TELNYX_API_BASE"] || null;
  if (apiKey) return { apiKeys: readKeyList(apiKey, String), apiBase: base };
  const own = readSecret(resolve(env["DATA_DIR"] || "./data"), { secret: "telnyxApiKey", setting: "TELNYX_API_KEY" });
  return { apiKeys: [own], apiBase: base ?? `http://127.0.0.1:${readAddresses(env).voiceControlPort}` };
}

/** @returns null if it is not set @throws CommandError that does not quote it, because it holds a password */
function readDatabaseUrl(env: Env): string | null {
  const given = env["DATABASE_URL"];
  if (!given) return null;
  const read = settings.DATABASE_URL.schema.safeParse(given);
  if (!read.success) throw new CommandError(`DATABASE_URL: ${read.error.issues[0]?.message}.`);
  return withDatabasePassword(read.data, env["DATABASE_PASSWORD"]);
}

/** The URL of the PostgreSQL that `npm start` runs, from its password file and `postmaster.pid`. It has no TLS, even if PGSSLMODE asks for it. */
function localDatabaseUrl(directory: string): string {
  const password = readLine(join(directory, "postgres", "password"), 0);
  const port = readLine(join(directory, "postgres", "data", "postmaster.pid"), 3);
  return `postgres://farline:${password}@127.0.0.1:${port}/farline?sslmode=disable`;
}

function readLine(file: string, line: number): string {
  const text = existsSync(file) ? readFileSync(file, "utf8").split("\n")[line]?.trim() : undefined;
  if (text) return text;
  throw new CommandError(
    "There is no running Farline here: start it with npm start, or set DATA_DIR to its data directory or DATABASE_URL to its database.",
  );
}

function readSecret(directory: string, { secret: name, setting }: { secret: string; setting: string }): string {
  const file = join(directory, "secrets.json");
  const secrets = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, string>) : {};
  const value = secrets[name];
  if (value) return value;
  throw new CommandError(`${setting} is not set, and the data directory holds no key: set it, or set DATA_DIR.`);
}
