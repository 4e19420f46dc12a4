import type { Setting } from "./setting.ts";
import { count, ipv4, optional, or, port, portRange, postgresUrl, text, url } from "./value-kinds.ts";

export const exchange = {
  SIP_TRUNKS: {
    ...text,
    type: "path of a JSON file",
    default: "the sandbox's phone network",
    says: "Carriers that the built-in exchange dials through.",
    readers: ["exchange", "start"],
  },
  MAX_CALLS: { ...or(count(1, 10_000), "200"), unit: "calls", says: "Maximum concurrent calls.", readers: ["exchange"] },
  VOICE_MEDIA_PROCESSES: {
    ...or(count(1, 64), "1"),
    unit: "processes",
    says: "Processes that carry sound, one for a core; each carries about 100 calls.",
    readers: ["exchange"],
  },
  DRAIN_MINUTES: {
    ...or(count(0, 1_440), "30"),
    unit: "minutes",
    says: "How long live calls may go on after the exchange is asked to stop; 0 ends them at once.",
    readers: ["exchange"],
  },
  MAX_CALLS_PER_ACCOUNT: {
    ...or(count(1, 100), "4"),
    unit: "calls",
    says: "Maximum concurrent calls per customer at the exchange.",
    readers: ["exchange"],
  },
  ALLOWED_ORIGINS: {
    ...text,
    type: "origins with commas between them",
    default: "`PUBLIC_URL`'s origin",
    says: "Origins whose pages may open the exchange's WebSocket.",
    readers: ["exchange", "start"],
  },
  VOICE_PORT: {
    ...or(port, "3002"),
    default: "PORT + 2",
    says: "Port that browsers connect to on the exchange.",
    readers: ["start"],
    assigned: ["exchange"],
  },
  VOICE_CONTROL_PORT: {
    ...or(port, "3006"),
    default: "PORT + 6",
    says: "Port of the exchange's API for the service.",
    readers: ["start"],
    assigned: ["exchange"],
  },
  SIP_PORT: {
    ...or(port, "0"),
    default: "PORT + 4",
    says: "UDP port of the exchange's side of the trunks.",
    readers: ["start"],
    assigned: ["exchange"],
  },
  VOICE_MEDIA_IP: { ...or(ipv4, "127.0.0.1"), says: "Address bound for browsers' audio.", readers: ["exchange"] },
  VOICE_MEDIA_ANNOUNCE: {
    ...optional(ipv4),
    default: "`VOICE_MEDIA_IP`",
    says: "Address that browsers are told to send their audio to: the public one of a machine behind NAT.",
    readers: ["exchange"],
  },
  VOICE_MEDIA_PORTS: {
    ...optional(portRange),
    default: "any",
    says: "UDP ports for browsers' audio, two a call.",
    readers: ["exchange"],
  },
  RTP_BIND_IP: { ...or(ipv4, "127.0.0.1"), says: "Address bound for SIP and audio on the trunk side.", readers: ["exchange"] },
  RTP_ANNOUNCE: {
    ...optional(ipv4),
    default: "`RTP_BIND_IP`",
    says: "Address that carriers are told: the public one of a machine behind NAT.",
    readers: ["exchange"],
  },
  RTP_PORTS: {
    ...or(portRange, "20000-29999"),
    says: "UDP ports for audio on the trunk side, two a call.",
    readers: ["exchange"],
  },
} as const satisfies Record<string, Setting>;

/** Wiring between the programs. A value that an operator sets is not passed on. */
export const wiring = {
  VOICE_HOST: {
    ...or(text, "127.0.0.1"),
    says: "Address where the exchange listens for browsers: `HOST`.",
    readers: [],
    assigned: ["exchange"],
  },
  VOICE_CONTROL_HOST: {
    ...or(text, "127.0.0.1"),
    says: "Address where the exchange listens for commands.",
    readers: [],
    assigned: ["exchange"],
  },
  EXCHANGE_SIGNING_KEY: {
    ...text,
    type: "Ed25519 private key, PKCS#8 DER in base64",
    says: "Signs the exchange's webhooks.",
    readers: [],
    assigned: ["exchange"],
    secret: true,
  },
  EXCHANGE_TOKEN_KEY: {
    ...text,
    type: "base64 of 32 bytes",
    says: "Signs browsers' voice tokens.",
    readers: [],
    assigned: ["exchange"],
    secret: true,
  },
  VOICE_JOURNAL: {
    ...optional(text),
    type: "path of a file",
    says: "Where the exchange keeps live calls and undelivered events for its next start.",
    readers: [],
    assigned: ["exchange"],
  },
  WEBHOOK_URL: { ...url, says: "Where the exchange sends its events.", readers: [], assigned: ["exchange"] },
  SANDBOX_URL: {
    ...optional(url),
    says: "The sandbox's pages; makes the service a sandbox.",
    readers: [],
    assigned: ["service"],
    production: "Must be absent.",
  },
  SANDBOX_HOST: {
    ...or(text, "127.0.0.1"),
    says: "Address where the sandbox listens: `HOST`.",
    readers: [],
    assigned: ["sandbox"],
  },
  SANDBOX_SIP_HOST: {
    ...or(ipv4, "127.0.0.1"),
    says: "Address of the sandbox's phone network.",
    readers: [],
    assigned: ["sandbox"],
  },
  SANDBOX_TRUNK_PORT: {
    ...optional(port),
    says: "UDP port of the only trunk that may call the phone network.",
    readers: [],
    assigned: ["sandbox"],
  },
  SANDBOX_DATABASE_URL: {
    ...postgresUrl,
    says: "Where the sandbox keeps its state.",
    readers: [],
    assigned: ["sandbox"],
    secret: true,
  },
  SANDBOX_PUBLIC_URL: {
    ...optional(url),
    says: "Address that browsers use for the sandbox.",
    readers: [],
    assigned: ["sandbox"],
  },
  STRIPE_WEBHOOK_URL: { ...optional(url), says: "Where the sandbox sends payment events.", readers: [], assigned: ["sandbox"] },
  APP_URL: { ...optional(url), says: "The web app, for the sandbox's redirects and links.", readers: [], assigned: ["sandbox"] },
} as const satisfies Record<string, Setting>;
