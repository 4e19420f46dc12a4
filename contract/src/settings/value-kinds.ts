import { MICROS_PER_DOLLAR, parseDollars } from "@farline/domain/money.ts";
import { parseSupportHours } from "@farline/domain/business/support-hours.ts";
import { z } from "zod";
import { cardBrands } from "../constants.ts";

const MAX_BONUS_MICROS = 100n * MICROS_PER_DOLLAR;

const MAX_BUDGET_MICROS = 100_000n * MICROS_PER_DOLLAR;

const MAX_SOCIAL_LINKS = 8;

const MAX_RTPENGINES = 32;

/** Each kind of value: its name in the reference, and the schema that reads it from an environment variable. */
export const port = { type: "port", schema: z.coerce.number().int().min(0).max(65_535) };

export const text = { type: "text", schema: z.string().min(1) };

export const url = { type: "URL", schema: z.url({ protocol: /^https?$/ }) };

/** The pages name each other from the root of their host, so they cannot be below a path. Read without a slash at its end. */
export const origin = {
  type: "URL without a path",
  schema: z
    .string()
    .refine(isOrigin, "must be like https://call.example.com, without a path")
    .transform((text) => text.replace(/\/+$/, "")),
};

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash, username } = new URL(text);
  return /^https?:$/.test(protocol) && /^\/+$/.test(pathname) && `${search}${hash}${username}` === "";
}

export const flag = { type: "`true` or `false`", schema: z.enum(["true", "false"]).transform((value) => value === "true") };

export const ipv4 = { type: "IPv4 address", schema: z.ipv4() };

/** The message does not quote the address, because it holds a password. */
export const postgresUrl = {
  type: "URL",
  schema: z
    .string()
    .refine(
      isDatabaseUrl,
      "must be like postgres://user:password@host:5432/name; in the password, write # as %23, / as %2F, ? as %3F and % as %25",
    ),
};

function isDatabaseUrl(text: string): boolean {
  try {
    const { protocol, password } = new URL(text);
    decodeURIComponent(password);
    return /^postgres(?:ql)?:$/.test(protocol);
  } catch {
    return false;
  }
}

export const phoneNumber = {
  type: "E.164 number",
  schema: z.string().regex(/^\+[1-9]\d{6,14}$/, "must be an E.164 number"),
};

export const logLevel = {
  type: "`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`",
  schema: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]),
};

export const mailAddress = {
  type: "`Name <address>`",
  schema: z.string().regex(/^([^<>"\r\n]+ <)?[^\s<>@,;"]+@[^\s<>@,;"]+>?$/, 'must be like "Farline <no-reply@example.com>"'),
};

const MILLIPERCENT_OF_ONE = 1000;

const MAX_PERCENT = 100;

/** An integer within bounds. */
export function count(min: number, max: number) {
  return { type: `number from ${min} to ${max}`, schema: z.coerce.number().int().min(min).max(max) };
}

/** Ports from the first to the last, both included. */
export const portRange = {
  type: "two ports with `-` between them",
  schema: z
    .string()
    .regex(/^\d{1,5}-\d{1,5}$/, "must be like 20000-29999")
    .transform((value, context) => {
      const [first = 0, last = 0] = value.split("-").map(Number);
      if (first < 1 || last > 65_535 || last - first < 3) context.addIssue("must be a range of at least four ports");
      return { first, last };
    }),
};

/** Addresses of rtpengine's ng protocol, each with its weight. */
export const rtpengines = {
  type: "`host:port` or `host:port=weight`, with spaces between them",
  schema: z
    .string()
    .default("")
    .transform((value) => value.split(/\s+/).filter((one) => one !== ""))
    .pipe(
      z
        .array(z.string().regex(/^[\w.-]{1,253}:[1-9]\d{0,4}(=[1-9]\d{0,2})?$/, "must be like 10.0.0.7:2223 or 10.0.0.7:2223=2"))
        .max(MAX_RTPENGINES),
    )
    .transform((list) =>
      list.map((one) => {
        const [address = "", weight = "1"] = one.split("=");
        const [host = "", port = ""] = address.split(":");
        return { host, port: Number(port), weight: Number(weight) };
      }),
    ),
};

/** An unguessable secret. */
export const secretText = {
  type: "text of at least 32 characters",
  schema: z.string().min(32, "must have at least 32 characters").max(200),
};

const NODE_NAME = /^[a-z0-9-]{1,20}$/;

const MAX_NODES = 50;

/** The name of one exchange node; part of its ids. */
export const nodeName = {
  type: "up to 20 small letters, digits and hyphens",
  schema: z.string().regex(NODE_NAME, "must be up to 20 small letters, digits and hyphens"),
};

/** Nodes by name, each with its control URL. */
export const nodeUrls = {
  type: "`name=URL` of each node with spaces between them",
  schema: z
    .string()
    .default("")
    .transform((value, context) => {
      const nodes = new Map<string, URL>();
      for (const one of value.split(/\s+/).filter((part) => part !== "")) {
        const [, name = "", address = ""] = /^([^=]*)=(.*)$/.exec(one) ?? [];
        const isOrigin = URL.canParse(address) && /^https?:\/\/[^/?#@]+\/?$/.test(address);
        if (!NODE_NAME.test(name) || !isOrigin || nodes.has(name))
          context.addIssue("must be like a=http://10.0.0.5:3006 b=http://10.0.0.6:3006");
        else nodes.set(name, new URL(address));
      }
      if (nodes.size > MAX_NODES) context.addIssue(`must be at most ${MAX_NODES} nodes`);
      return nodes;
    }),
};

/** Networks like 10.0.0.0/16 or fd00::/8, and names below a domain like .exchange.internal. */
export const hostRules = {
  type: "networks, such as `10.0.0.0/16`, and domains, such as `.exchange.internal`, with spaces between them",
  schema: z
    .string()
    .default("")
    .transform((value, context) => {
      const rules = value.split(/\s+/).filter((part) => part !== "");
      if (rules.some((rule) => !network.safeParse(rule).success && !DOMAIN.test(rule)))
        context.addIssue("must be networks like 10.0.0.0/16 and domains like .exchange.internal");
      return rules;
    }),
};

const DOMAIN = /^(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/;
const network = z.union([z.cidrv4(), z.cidrv6()]).refine((text) => !text.endsWith("/0"));

/** TURN addresses (RFC 7065), separated by spaces. */
export const turnUrls = {
  type: "`turn:` and `turns:` addresses with spaces between them",
  schema: z
    .string()
    .transform((value) => value.trim().split(/\s+/))
    .pipe(
      z
        .array(
          z
            .string()
            .regex(/^turns?:[\w.:[\]-]+(\?transport=(udp|tcp))?$/, "must be like turn:turn.example.com:3478?transport=udp"),
        )
        .min(1)
        .max(8),
    ),
};

/** Text on receipts. */
export function line(longest: number) {
  return { type: `text of at most ${longest} characters`, schema: z.string().trim().min(1).max(longest) };
}

/** Lines separated by `|`. */
export const addressLines = {
  type: "lines with `|` between them",
  schema: z
    .string()
    .max(400)
    .transform((value) => value.split("|").map((one) => one.trim()))
    .pipe(z.array(z.string().min(1)).min(1).max(6)),
};

/** When people answer customers. */
export const openingHours = {
  type: "days, hours and a time zone",
  schema: z.string().transform((value, context) => {
    const hours = parseSupportHours(value);
    if (hours === null) context.addIssue("must be like mon-fri 09:00-18:00, sat 10:00-14:00 Europe/London");
    return hours ?? z.NEVER;
  }),
};

/** Card brands. */
export const cardBrandList = {
  type: `${cardBrands.map((brand) => `\`${brand}\``).join(", ")} with spaces between them`,
  schema: z
    .string()
    .transform((value) => [...new Set(value.trim().split(/\s+/))])
    .pipe(z.array(z.enum(cardBrands)).min(1)),
};

/** Links separated by commas. */
export const links = {
  type: "`https://` URLs with commas between them",
  schema: z
    .string()
    .default("")
    .transform((value) =>
      value
        .split(",")
        .map((link) => link.trim())
        .filter((link) => link !== ""),
    )
    .pipe(z.array(z.url({ protocol: /^https$/ })).max(MAX_SOCIAL_LINKS)),
};

/** Thousandths of a percent. */
export const percent = {
  type: "percentage below 100",
  schema: z.string().transform((value, context) => {
    const millipercent = parsePercent(value);
    if (millipercent === null) context.addIssue('must be a percentage like "19" or "8.875"');
    return millipercent ?? z.NEVER;
  }),
};

/** A bonus in micro-dollars; "0" for none. */
export const bonus = {
  type: "dollars from 0 to 100",
  schema: z.string().transform((value, context) => {
    const micros = parseDollars(value);
    if (micros === null || micros > MAX_BONUS_MICROS) context.addIssue('must be dollars from 0 to 100, like "0.25"');
    return micros ?? z.NEVER;
  }),
};

/** A bonus budget for all customers together, in micro-dollars. */
export const budget = {
  type: "dollars from 0 to 100000",
  schema: z.string().transform((value, context) => {
    const micros = parseDollars(value);
    if (micros === null || micros > MAX_BUDGET_MICROS) context.addIssue('must be dollars from 0 to 100000, like "200"');
    return micros ?? z.NEVER;
  }),
};

/** An optional value of this kind. */
export function optional<Schema extends z.ZodType>(kind: { readonly type: string; readonly schema: Schema }) {
  return { ...kind, schema: kind.schema.optional() };
}

/** A value of this kind with a default, as written in the environment. */
export function or<Schema extends z.ZodType>(kind: { readonly type: string; readonly schema: Schema }, value: string) {
  return {
    ...kind,
    schema: z
      .string()
      .default(value)
      .pipe(kind.schema as z.ZodType<z.output<Schema>, string>),
    default: value,
  };
}

/** Parses "8.875" as 8875; null if it is not a percentage below 100 with at most three decimals. */
export function parsePercent(text: string): number | null {
  const match = /^(\d{1,2})(?:\.(\d{1,3}))?$/.exec(text);
  if (match === null) return null;
  const [, whole = "", decimals = ""] = match;
  const millipercent = Number(whole) * MILLIPERCENT_OF_ONE + Number(decimals.padEnd(3, "0"));
  return millipercent < MAX_PERCENT * MILLIPERCENT_OF_ONE ? millipercent : null;
}
