import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { isIP } from "node:net";
import { dirname, resolve } from "node:path";
import { createSecureContext } from "node:tls";
import { z } from "zod";
import type { TrunkConfig } from "./trunk.ts";

const hostName = z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, "must be a host name or an address");

const sipUser = z.string().regex(/^[A-Za-z0-9_.!~*'()&=+$,;?/-]{1,128}$/, "must be the user part of a SIP address");
const nationalFormat = z.strictObject({
  national: z.strictObject({
    country_code: z.string().regex(/^[1-9]\d{0,2}$/, "must be the digits of a country code"),
    trunk_prefix: z.string().regex(/^\d{0,4}$/, "must be digits, or empty"),
    international_prefix: z
      .string()
      .regex(/^\+$|^\d{1,5}$/, "must be digits or +")
      .default("00"),
  }),
});
const pemPath = z.string().min(1).max(4_096).optional();

const trunk = z
  .strictObject({
    name: z.string().min(1).max(64),
    host: hostName,
    port: z.int().min(1).max(65_535).optional(),
    transport: z.enum(["udp", "tcp", "tls"]).optional(),
    tls_ca: pemPath,
    tls_cert: pemPath,
    tls_key: pemPath,
    username: z
      .string()
      .regex(/^[^"\\\r\n]{1,128}$/)
      .optional(),
    password: z.string().max(128).optional(),
    register: z.boolean().default(false),
    registrar: z
      .string()
      .regex(/^[A-Za-z0-9.-]{1,253}(:\d{1,5})?$/, "must be a host, or a host and a port")
      .optional(),
    from_user: sipUser.optional(),
    from_domain: hostName.optional(),
    user_phone: z.boolean().default(false),
    privacy: z.enum(["none", "id"]).default("none"),
    options_ping: z.boolean().default(false),
    prefixes: z.array(z.string().regex(/^\+?\d{1,15}$/, "must be digits")).optional(),
    redirect_hosts: z.array(hostName).max(20).optional(),
    opus: z.boolean().default(false),
    session_timers: z.boolean().default(true),
    number_format: z.union([z.enum(["e164_plus", "e164", "00"]), nationalFormat]).default("e164_plus"),
    tech_prefix: z
      .string()
      .regex(/^[\d*#]{1,12}$/, "must be digits, * and #")
      .optional(),
    customer_numbers: z.enum(["from_and_asserted", "asserted", "remote_party", "never"]).default("never"),
    price_per_minute: z
      .string()
      .regex(/^\d{1,4}(\.\d{1,6})?$/, "must be a decimal string of US dollars")
      .optional(),
    priority: z.int().min(0).max(1_000).default(0),
    weight: z.int().min(0).max(1_000).default(0),
    max_calls: z.int().min(1).max(10_000).optional(),
    calls_per_second: z.int().min(1).max(1_000).optional(),
  })
  .refine(
    ({ transport, tls_ca, tls_cert, tls_key }) =>
      transport === "tls" || (tls_ca === undefined && tls_cert === undefined && tls_key === undefined),
    'tls_ca, tls_cert and tls_key need "transport": "tls"',
  )
  .refine(({ tls_cert, tls_key }) => (tls_cert === undefined) === (tls_key === undefined), "tls_cert and tls_key go together")
  .refine(
    ({ register, username, from_user }) => !register || username !== undefined || from_user !== undefined,
    "register needs username or from_user",
  )
  .refine(({ register, registrar }) => register || registrar === undefined, 'registrar needs "register": true');
type TrunkEntry = z.infer<typeof trunk>;

/** The SIP_TRUNKS file. Every key except name and host has a default. */
const trunkFile = z
  .array(trunk)
  .min(1)
  .max(50)
  .refine((trunks) => new Set(trunks.map(({ name }) => name)).size === trunks.length, "two trunks have the same name");

/** @throws Error that names each invalid part. The message has no full stop. */
export function readTrunkFile(path: string): TrunkConfig[] {
  const parsed = trunkFile.safeParse(readJson(path));
  if (!parsed.success) throw new Error(parsed.error.issues.map(describe).join("; "));
  return parsed.data.map((entry) => toTrunk(entry, dirname(path)));
}

function bySecond(pricePerMinute: string): BillingRate {
  return { ratePerMinuteMicros: fromDecimalString(pricePerMinute), firstIntervalSeconds: 1, nextIntervalSeconds: 1 };
}

function toTrunk(entry: TrunkEntry, folder: string): TrunkConfig {
  return {
    name: entry.name,
    host: entry.host,
    port: entry.port ?? null,
    transport: entry.transport ?? "udp",
    choosesTransport: entry.transport === undefined && entry.port === undefined && isIP(entry.host) === 0 ? true : undefined,
    cost: entry.price_per_minute === undefined ? undefined : bySecond(entry.price_per_minute),
    priority: entry.priority,
    weight: entry.weight,
    maxCalls: entry.max_calls,
    callsPerSecond: entry.calls_per_second,
    tls: entry.transport === "tls" ? readTlsFiles(entry, folder) : undefined,
    username: entry.username,
    password: entry.password,
    fromUser: entry.from_user,
    fromDomain: entry.from_domain,
    registrar: entry.register ? registrarOf(entry) : undefined,
    userPhone: entry.user_phone,
    privacy: entry.privacy,
    optionsPing: entry.options_ping,
    prefixes: entry.prefixes,
    redirectHosts: entry.redirect_hosts,
    opus: entry.opus,
    sessionTimers: entry.session_timers,
    numberFormat: numberFormatOf(entry.number_format),
    techPrefix: entry.tech_prefix,
    customerNumbers: entry.customer_numbers,
  };
}

function numberFormatOf(format: TrunkEntry["number_format"]): TrunkConfig["numberFormat"] {
  if (typeof format === "string") return format;
  const { country_code, trunk_prefix, international_prefix } = format.national;
  return { national: { countryCode: country_code, trunkPrefix: trunk_prefix, internationalPrefix: international_prefix } };
}

/** The trunk itself unless `registrar` names another host. */
function registrarOf(entry: TrunkEntry): NonNullable<TrunkConfig["registrar"]> {
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(entry.registrar ?? "") ?? [];
  if (!host) return { host: entry.host, port: entry.port ?? null };
  return { host, port: port === undefined ? null : Number(port) };
}

/** Reads PEM files relative to the trunk file, and validates them now instead of at the first connection. */
function readTlsFiles(entry: TrunkEntry, folder: string): NonNullable<TrunkConfig["tls"]> {
  const read = (key: "tls_ca" | "tls_cert" | "tls_key", parse: (pem: string) => unknown): string | undefined => {
    const path = entry[key];
    if (path === undefined) return undefined;
    try {
      const pem = readFileSync(resolve(folder, path), "utf8");
      parse(pem);
      return pem;
    } catch {
      throw new Error(`${entry.name}: ${key}: ${path} cannot be read as PEM`);
    }
  };
  const certificate = (pem: string): X509Certificate => new X509Certificate(pem);
  const tls = { ca: read("tls_ca", certificate), cert: read("tls_cert", certificate), key: read("tls_key", createPrivateKey) };
  try {
    createSecureContext({ ...tls });
  } catch {
    throw new Error(`${entry.name}: tls_key is not the key of tls_cert`);
  }
  return tls;
}

function readJson(path: string): unknown {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes what stands beside the mistake, which may be a password; only the place is passed on.
    const [place = ""] = / \(line \d+ column \d+\)/.exec(String(error)) ?? [];
    // oxlint-disable-next-line preserve-caught-error -- it would be logged with its message
    throw new Error(`${path} is not JSON${place}`);
  }
}

function describe({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
