import { z } from "zod";
import type { Setting } from "./setting.ts";
import { count, flag, logLevel, optional, or, origin, port, postgresUrl, text } from "./value-kinds.ts";

export const installation = {
  NODE_ENV: {
    ...or(
      { type: "`development`, `test` or `production`", schema: z.enum(["development", "test", "production"]) },
      "development",
    ),
    description: "`production` enforces the production rules; a real provider always does.",
    readers: ["service", "sandbox", "start"],
  },
  PORT: {
    ...or(port, "3000"),
    description:
      "Where the web app and its API listen; the sandbox takes the next port, the exchange the one after, up to six above.",
    readers: ["start", "cli"],
    assigned: ["service"],
  },
  HOST: {
    ...or(text, "127.0.0.1"),
    description: "The address to listen on.",
    readers: ["start"],
    assigned: ["service"],
  },
  PUBLIC_URL: {
    ...optional(origin),
    default: "`http://localhost:PORT`",
    description: "The address people use; links in mails are built from it.",
    readers: ["start", "cli"],
    assigned: ["service"],
    production: "Required, with `https://`.",
  },
  DATA_DIR: {
    ...or(text, "./data"),
    description: "Folder of the database, the generated secrets and the log; a second installation needs its own.",
    readers: ["start", "cli"],
  },
  DATABASE_URL: {
    ...postgresUrl,
    default: "the built-in PostgreSQL",
    description: "A PostgreSQL of your own.",
    readers: ["start", "cli"],
    assigned: ["service"],
    secret: true,
    production: "Required, unless `ALLOW_SANDBOX=true`: the built-in PostgreSQL is for laptops.",
  },
  DATABASE_PASSWORD: {
    ...optional(text),
    default: "the one in the address",
    description:
      "The password of `DATABASE_URL` and `DATABASE_READ_URL`, with any characters: in an address some must be percent-encoded.",
    readers: ["start", "cli", "service"],
    secret: true,
  },
  DATABASE_READ_URL: {
    ...optional(postgresUrl),
    description:
      "A streaming standby of the database for operators' figures and public pages. While it is more than five seconds behind or does not answer, the primary is read.",
    readers: ["service"],
    secret: true,
  },
  DATABASE_POOL: {
    ...or(count(2, 100), "10"),
    unit: "connections",
    description: "Size of the service's database connection pool.",
    readers: ["service"],
  },
  STOP_NOTICE_SECONDS: {
    ...or(count(0, 300), "0"),
    unit: "seconds",
    description:
      "How long a service or an exchange that is told to stop (SIGTERM) still serves, while `/api/ready` or `/readyz` answers 503 so that balancers turn to others.",
    readers: ["service", "exchange"],
  },
  SECRET_KEYS: {
    ...optional(text),
    type: "`id:base64 of 32 bytes`, with commas between them",
    default: "generated in `DATA_DIR`",
    description: "The service's own secrets, which passwords depend on; the first is used for everything new.",
    readers: ["start"],
    assigned: ["service"],
    secret: true,
    production: "Required.",
  },
  TRUSTED_PROXIES: {
    ...or(count(0, 10), "0"),
    unit: "proxies",
    description: "Number of reverse proxies in front; that many entries of `X-Forwarded-For` are trusted.",
    readers: ["service", "exchange"],
    production: "A start with `https://` and 0 warns: all visitors would share the limits of one address.",
  },
  METRICS_TOKEN: {
    ...optional({ type: "text of at least 16 characters", schema: z.string().min(16, "must have at least 16 characters") }),
    default: "only this machine may read it",
    description: "Bearer token that opens `/metrics`.",
    readers: ["service"],
    secret: true,
    production: "Required.",
  },
  LIMITS_SCALE: {
    ...or({ type: "number from 0 to 1000000", schema: z.coerce.number().min(0).max(1_000_000) }, "1"),
    description: "Multiplies every abuse limit; 0 turns them off.",
    readers: ["service"],
    production: "Must be 1.",
  },
  LOG_LEVEL: {
    ...or(logLevel, "info"),
    description: "The lowest level that is logged; operator commands default to `warn`.",
    readers: ["service", "exchange", "sandbox", "cli"],
  },
} as const satisfies Record<string, Setting>;

export const sandbox = {
  ALLOW_SANDBOX: {
    ...or(flag, "false"),
    description: "Lets a demonstration with the sandbox run under production rules.",
    readers: ["service", "sandbox", "start"],
  },
  SANDBOX_PORT: {
    ...or(port, "3001"),
    default: "PORT + 1",
    description: "Where the sandbox's pages are.",
    readers: ["start", "cli"],
    assigned: ["sandbox"],
  },
  SANDBOX_SIP_PORT: {
    ...or(port, "0"),
    default: "PORT + 3",
    description: "UDP port of the sandbox's phone network.",
    readers: ["start"],
    assigned: ["sandbox"],
  },
  SANDBOX_SMTP_PORT: {
    ...optional(port),
    default: "PORT + 5",
    description: "Where the sandbox's mailbox takes mails.",
    readers: ["start"],
    assigned: ["sandbox"],
  },
  SANDBOX_RING_MS: {
    ...or(count(0, 60_000), "2000"),
    unit: "milliseconds",
    description: "How long a phone of the sandbox rings before it is answered.",
    readers: ["sandbox"],
  },
} as const satisfies Record<string, Setting>;
