import { readFileSync } from "node:fs";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { z } from "zod";
import type { TrunkConfig } from "./trunk.ts";

const hostName = z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, "must be a host name or an address");

/** The file that SIP_TRUNKS names. Every key but name and host has a default. */
const trunkFile = z
  .array(
    z.strictObject({
      name: z.string().min(1).max(64),
      host: hostName,
      port: z.int().min(1).max(65_535).default(5060),
      transport: z.literal("udp").default("udp"),
      username: z
        .string()
        .regex(/^[^"\\\r\n]{1,128}$/)
        .optional(),
      password: z.string().max(128).optional(),
      prefixes: z.array(z.string().regex(/^\+?\d{1,15}$/, "must be digits")).optional(),
      redirect_hosts: z.array(hostName).max(20).optional(),
      session_timers: z.boolean().default(true),
      number_format: z.enum(["e164_plus", "e164", "00"]).default("e164_plus"),
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
    }),
  )
  .min(1)
  .max(50)
  .refine((trunks) => new Set(trunks.map(({ name }) => name)).size === trunks.length, "two trunks have the same name");

/** @throws Error with a sentence without its full stop, which names the bad part. */
export function readTrunkFile(path: string): TrunkConfig[] {
  const parsed = trunkFile.safeParse(readJson(path));
  if (!parsed.success) throw new Error(parsed.error.issues.map(describe).join("; "));
  return parsed.data.map((trunk) => ({
    name: trunk.name,
    host: trunk.host,
    port: trunk.port,
    transport: trunk.transport,
    username: trunk.username,
    password: trunk.password,
    prefixes: trunk.prefixes,
    redirectHosts: trunk.redirect_hosts,
    sessionTimers: trunk.session_timers,
    numberFormat: trunk.number_format,
    techPrefix: trunk.tech_prefix,
    customerNumbers: trunk.customer_numbers,
    cost: trunk.price_per_minute === undefined ? undefined : bySecond(trunk.price_per_minute),
    priority: trunk.priority,
    weight: trunk.weight,
    maxCalls: trunk.max_calls,
    callsPerSecond: trunk.calls_per_second,
  }));
}

function bySecond(pricePerMinute: string): BillingRate {
  return { ratePerMinuteMicros: fromDecimalString(pricePerMinute), firstIntervalSeconds: 1, nextIntervalSeconds: 1 };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path} cannot be read as JSON (${error instanceof Error ? error.message : "unknown fault"})`, {
      cause: error,
    });
  }
}

function describe({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
