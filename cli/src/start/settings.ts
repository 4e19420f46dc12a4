import { isIP } from "node:net";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type NameReadBy, passedTo } from "@farline/contract/settings/read-settings.ts";
import type { Program } from "@farline/contract/settings/setting.ts";
import { type SettingName, settings } from "@farline/contract/settings/settings.ts";
import { takesRealMoney } from "@farline/domain/live-key.ts";
import { isProduction, sayWhyProduction } from "@farline/server/platform/settings/production-rules.ts";
import { ownAddress } from "@farline/voice/own-address.ts";
import type { DataDirectory } from "./data-directory.ts";
import type { PartPlan } from "./part.ts";

/** An invalid setting. The message is one sentence that names it. */
export class SettingsError extends Error {}

/** How other devices in the network get in. */
export interface LanDoor {
  /** This machine's address in its network. */
  readonly address: string;
  readonly port: number;
  /** Where the service and the exchange listen. */
  readonly host: string;
  readonly servicePort: number;
  readonly voicePort: number;
}

export interface Addresses {
  readonly host: string;
  /** Independent of `host`, because its pages let anyone read every mail and sign in as anyone. */
  readonly sandboxHost: string;
  readonly publicUrl: string;
  /** The sandbox's pages. With `--lan` they stay on this machine. */
  readonly sandboxUrl: string;
  /** The exchange's WebSocket. */
  readonly voiceUrl: string;
  /** How other devices in the network get in; null without `--lan`. */
  readonly lan: LanDoor | null;
  readonly port: number;
  readonly sandboxPort: number;
  readonly voicePort: number;
  readonly sandboxSipPort: number;
  readonly exchangeSipPort: number;
  readonly sandboxSmtpPort: number;
  readonly voiceControlPort: number;
}

/** The type allows reading declared settings only. */
type Env = Readonly<Partial<Record<SettingName | SystemVariable, string | undefined>>>;

/** After the ports of the programs, and the one that `npm run dev` adds. */
const LAN_PORT_OFFSET = 8;

/**
 * This machine's address, for `--lan`.
 * @throws SettingsError
 */
export function findLanAddress(env: Env): string {
  if (env["PUBLIC_URL"]) throw new SettingsError("--lan makes an address of its own: leave out PUBLIC_URL.");
  const address = ownAddress();
  if (address === null) throw new SettingsError("--lan finds no network: this machine has no IPv4 address but its own.");
  return address;
}

/**
 * Where each program listens. All ports are derived from PORT, so that installations with different PORT and DATA_DIR can run side by
 * side.
 * @param lanAddress with `--lan`
 * @throws SettingsError
 */
export function readAddresses(env: Env, lanAddress: string | null = null): Addresses {
  const port = readPort(env, "PORT", 3000);
  const host = readHost(env, "HOST");
  const local = readPublicUrl(env) ?? `http://localhost:${port}`;
  const sandboxPort = readPort(env, "SANDBOX_PORT", port + 1);
  const voicePort = readPort(env, "VOICE_PORT", port + 2);
  const lan = lanAddress === null ? null : lanDoor(lanAddress, { host, port, voicePort });
  const publicUrl = lan === null ? local : `https://${lan.address}:${lan.port}`;
  return {
    host,
    sandboxHost: readHost(env, "SANDBOX_HOST"),
    port,
    publicUrl,
    sandboxUrl: withPort(local, sandboxPort),
    voiceUrl: (env["VOICE_WS_URL"] || (lan === null ? withPort(local, voicePort) : publicUrl)).replace(/^http/, "ws"),
    lan,
    sandboxPort,
    voicePort,
    sandboxSipPort: readPort(env, "SANDBOX_SIP_PORT", port + 3),
    exchangeSipPort: readPort(env, "SIP_PORT", port + 4),
    sandboxSmtpPort: readPort(env, "SANDBOX_SMTP_PORT", port + 5),
    voiceControlPort: readPort(env, "VOICE_CONTROL_PORT", port + 6),
  };
}

function lanDoor(address: string, { host, port, voicePort }: Pick<Addresses, "host" | "port" | "voicePort">): LanDoor {
  return { address, port: port + LAN_PORT_OFFSET, host: host === "0.0.0.0" ? "127.0.0.1" : host, servicePort: port, voicePort };
}

function readPublicUrl(env: Env): string | undefined {
  const read = settings.PUBLIC_URL.schema.safeParse(env["PUBLIC_URL"] || undefined);
  if (!read.success) throw new SettingsError(`PUBLIC_URL ${read.error.issues[0]?.message}.`);
  return read.data;
}

function readHost(env: Env, name: "HOST" | "SANDBOX_HOST"): string {
  const host = env[name] || "127.0.0.1";
  if (isIP(host) === 0 && host !== "localhost")
    throw new SettingsError(`${name} must be an IP address or localhost, not "${host}".`);
  return host;
}

/** Where programs on this machine reach what listens on `host`. */
export function localUrl(host: string, port: number): string {
  const address = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^(?:::ffff:)?127\./.test(host);
}

/** A warning if an installation with stand-ins is opened to the network, or null. */
export function warnOfOpenSandbox(env: Env, { host, sandboxHost, sandboxPort }: Addresses): string | null {
  const missing = missingProviders(env);
  if (!missing.payments && !missing.phoneNetwork) return null;
  if (!isLoopback(sandboxHost))
    return `Warning: SANDBOX_HOST=${sandboxHost} opens port ${sandboxPort} to the network. Anyone who reaches it reads every mail, signs in as anyone and pays with play money.`;
  if (isLoopback(host)) return null;
  return `HOST=${host} opens the web app to the network. The stand-ins (payment, Google sign-in, mailbox) stay on this machine; set SANDBOX_HOST to open them too.`;
}

function readPort(env: Env, name: NameReadBy<"start">, fallback: number): number {
  const text = env[name] || String(fallback);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new SettingsError(`${name} must be a port number from 1 to 65535, not "${text}".`);
  return port;
}

/** Outside services that need a stand-in. */
interface MissingProviders {
  readonly payments: boolean;
  readonly exchange: boolean;
  readonly phoneNetwork: boolean;
  readonly google: boolean;
  readonly mail: boolean;
}

/**
 * The outside services that need a stand-in because they are not configured. The stand-in for Google lets anybody sign in as anyone, and
 * the mailbox lets anybody read every mail, so an installation with real money gets neither: it does not offer sign-in with Google, and
 * mails wait for a mail server.
 */
export function missingProviders(env: Env): MissingProviders {
  const exchange = !env["TELNYX_API_KEY"];
  const payments = !env["STRIPE_SECRET_KEY"];
  return {
    payments,
    exchange,
    phoneNetwork: exchange && !env["SIP_TRUNKS"],
    google: payments && !env["GOOGLE_CLIENT_ID"],
    mail: payments && !env["SMTP_URL"],
  };
}

/**
 * The built-in PostgreSQL has no backups and no replica, so it must not store real money.
 * @throws SettingsError
 */
export function refuseBuiltInDatabase(env: Env): void {
  if (env["DATABASE_URL"] || env["ALLOW_SANDBOX"] === "true") return;
  const missing = missingProviders(env);
  const providers: Parameters<typeof isProduction>[0] = {
    NODE_ENV: env["NODE_ENV"] === "production" ? "production" : "development",
    STRIPE_SECRET_KEY: env["STRIPE_SECRET_KEY"] || "",
    TELNYX_API_BASE: missing.exchange ? "http://127.0.0.1" : env["TELNYX_API_BASE"] || undefined,
    GOOGLE_CLIENT_ID: env["GOOGLE_CLIENT_ID"] || undefined,
    OIDC_ISSUER: env["OIDC_ISSUER"] || settings.OIDC_ISSUER.default,
  };
  const refusal = "DATABASE_URL is missing: production needs a separate PostgreSQL with backups, not the built-in one.";
  if (isProduction(providers)) throw new SettingsError(sayWhyProduction(refusal, providers));
}

type InstallationData = Pick<DataDirectory, "path" | "secrets">;

/** The programs to run with their settings, in start order. */
export function planParts(env: Env, addresses: Addresses, data: InstallationData, databaseUrl: string): PartPlan[] {
  refuseFreeCalls(env);
  const missing = missingProviders(env);
  const sandboxed = missing.payments || missing.phoneNetwork;
  const { sandboxUrl } = addresses;
  const serviceUrl = localUrl(addresses.host, addresses.port);
  const plans: PartPlan[] = [];
  if (sandboxed)
    plans.push({
      name: "sandbox",
      script: entryPoint("sandbox"),
      env: envOf("sandbox", env, {
        ...sandboxEnv(env, addresses, data, { databaseUrl, sandboxUrl, serviceUrl }),
        ...(missing.google ? googleEnv(data) : {}),
        ...(missing.mail ? { SANDBOX_SMTP_PORT: String(addresses.sandboxSmtpPort) } : {}),
      }),
    });
  if (missing.exchange)
    plans.push({
      name: "exchange",
      script: entryPoint("voice"),
      env: envOf("exchange", env, exchangeEnv(env, addresses, data, serviceUrl)),
    });
  plans.push({
    name: "service",
    script: entryPoint("server"),
    env: envOf("service", env, {
      PORT: String(addresses.port),
      HOST: addresses.host,
      PUBLIC_URL: addresses.publicUrl,
      ...behindLanDoor(addresses),
      DATABASE_URL: databaseUrl,
      // The built-in PostgreSQL has its own.
      ...(env["DATABASE_URL"] ? {} : { DATABASE_PASSWORD: "" }),
      SECRET_KEYS: env["SECRET_KEYS"] || `1:${data.secrets.serviceSecret}`,
      ...(missing.mail ? { SMTP_URL: `smtp://127.0.0.1:${addresses.sandboxSmtpPort}` } : {}),
      ...(sandboxed ? { SANDBOX_URL: sandboxUrl } : {}),
      ...(missing.payments
        ? {
            STRIPE_API_BASE: localUrl(addresses.sandboxHost, addresses.sandboxPort),
            STRIPE_SECRET_KEY: data.secrets.stripeSecretKey,
            STRIPE_WEBHOOK_SECRET: data.secrets.stripeWebhookSecret,
          }
        : {}),
      ...(missing.google ? { ...googleEnv(data), OIDC_ISSUER: `${sandboxUrl}/google` } : {}),
      ...(missing.exchange
        ? {
            TELNYX_API_BASE: `http://127.0.0.1:${addresses.voiceControlPort}/v2`,
            TELNYX_API_KEY: data.secrets.telnyxApiKey,
            TELNYX_PUBLIC_KEY: data.secrets.exchangePublicKey,
            TELNYX_CONNECTION_ID: data.secrets.connectionId,
            VOICE_WS_URL: addresses.voiceUrl,
          }
        : {}),
    }),
  });
  return plans;
}

/**
 * Play money must not pay a real carrier. A trunk on this machine costs nothing; a file that cannot be read is reported by the exchange.
 * @throws SettingsError
 */
function refuseFreeCalls(env: Env): void {
  const file = env["SIP_TRUNKS"];
  if (!file || takesRealMoney(env["STRIPE_SECRET_KEY"] ?? "")) return;
  let trunks: unknown;
  try {
    trunks = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return;
  }
  const hosts = Array.isArray(trunks) ? trunks.map((trunk: { host?: unknown } | null) => String(trunk?.host)) : [];
  const carrier = hosts.find((host) => host !== "localhost" && !/^127\.\d+\.\d+\.\d+$/.test(host));
  if (carrier !== undefined)
    throw new SettingsError(
      `SIP_TRUNKS names the carrier ${carrier}, and STRIPE_SECRET_KEY is not a live key: play money must not pay for real calls.`,
    );
}

/** Variables of the machine that every Node process uses. */
const SYSTEM_VARIABLES = ["PATH", "HOME", "TZ", "LANG", "TMPDIR", "NODE_EXTRA_CA_CERTS"] as const;
type SystemVariable = (typeof SYSTEM_VARIABLES)[number];

/** A program's environment: the operator's values of the settings it reads, overridden by assigned ones, and nothing else. */
function envOf<Who extends Program>(program: Who, env: Env, assigned: Partial<Record<NameReadBy<Who>, string>>) {
  return { ...pick(env, [...SYSTEM_VARIABLES, ...passedTo(program)]), ...assigned } as Record<string, string>;
}

function pick(env: Env, names: readonly (SettingName | SystemVariable)[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

function sandboxEnv(
  env: Env,
  addresses: Addresses,
  data: InstallationData,
  urls: { databaseUrl: string; sandboxUrl: string; serviceUrl: string },
): Partial<Record<NameReadBy<"sandbox">, string>> {
  return {
    SANDBOX_PORT: String(addresses.sandboxPort),
    SANDBOX_HOST: addresses.sandboxHost,
    SANDBOX_SIP_PORT: String(addresses.sandboxSipPort),
    SANDBOX_TRUNK_PORT: String(addresses.exchangeSipPort),
    SANDBOX_DATABASE_URL: env["SANDBOX_DATABASE_URL"] || urls.databaseUrl,
    SANDBOX_PUBLIC_URL: urls.sandboxUrl,
    APP_URL: addresses.publicUrl,
    STRIPE_SECRET_KEY: data.secrets.stripeSecretKey,
    STRIPE_WEBHOOK_SECRET: data.secrets.stripeWebhookSecret,
    STRIPE_WEBHOOK_URL: `${urls.serviceUrl}/api/webhooks/stripe`,
  };
}

function googleEnv(data: InstallationData) {
  return { GOOGLE_CLIENT_ID: data.secrets.googleClientId, GOOGLE_CLIENT_SECRET: data.secrets.googleClientSecret };
}

function exchangeEnv(
  env: Env,
  addresses: Addresses,
  data: InstallationData,
  serviceUrl: string,
): Partial<Record<NameReadBy<"exchange">, string>> {
  return {
    ...behindLanDoor(addresses),
    VOICE_PORT: String(addresses.voicePort),
    VOICE_HOST: addresses.host,
    VOICE_CONTROL_PORT: String(addresses.voiceControlPort),
    VOICE_CONTROL_HOST: "127.0.0.1",
    // Unless the operator says where, browsers reach it on this machine and in its network.
    VOICE_MEDIA_IP: env["VOICE_MEDIA_IP"] || "0.0.0.0",
    SIP_PORT: String(addresses.exchangeSipPort),
    TELNYX_API_KEY: data.secrets.telnyxApiKey,
    TELNYX_CONNECTION_ID: data.secrets.connectionId,
    EXCHANGE_SIGNING_KEY: data.secrets.exchangeSigningKey,
    EXCHANGE_TOKEN_KEY: data.secrets.exchangeTokenKey,
    WEBHOOK_URL: `${serviceUrl}/api/webhooks/telnyx`,
    VOICE_JOURNAL: join(data.path, "exchange.journal"),
    ALLOWED_ORIGINS: env["ALLOWED_ORIGINS"] || originsOf(addresses.publicUrl).join(","),
    SIP_TRUNKS: env["SIP_TRUNKS"] || sandboxTrunkFile(data),
  };
}

/** The door names the address of each visitor. */
function behindLanDoor({ lan }: Addresses): { TRUSTED_PROXIES?: string } {
  return lan === null ? {} : { TRUSTED_PROXIES: "1" };
}

/** Browsers may use localhost or 127.0.0.1. */
function originsOf(publicUrl: string): string[] {
  const url = new URL(publicUrl);
  if (url.hostname !== "localhost") return [url.origin];
  return [url.origin, url.origin.replace("localhost", "127.0.0.1")];
}

function sandboxTrunkFile(data: InstallationData): string {
  return join(data.path, "sandbox-trunk.json");
}

/** Writes the trunk file for the sandbox's phone network, if no carrier is configured. */
export function writeSandboxTrunk(env: Env, addresses: Addresses, data: InstallationData): void {
  if (!missingProviders(env).phoneNetwork) return;
  const trunk = {
    name: "sandbox",
    host: "127.0.0.1",
    port: addresses.sandboxSipPort,
    transport: "udp",
    // Only some of its test numbers demand them.
    username: "sandbox",
    password: "sandbox",
    customer_numbers: "from_and_asserted",
  };
  writeFileSync(sandboxTrunkFile(data), JSON.stringify([trunk], null, 2));
}

function withPort(url: string, port: number): string {
  const other = new URL(url);
  other.port = String(port);
  return other.origin;
}

function entryPoint(workspace: string): string {
  return fileURLToPath(import.meta.resolve(`@farline/${workspace}/main.ts`));
}
