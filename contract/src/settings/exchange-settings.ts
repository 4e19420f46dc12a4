import type { Setting } from "./setting.ts";
import {
  count,
  ipv4,
  hostRules,
  nodeName,
  nodeUrls,
  optional,
  or,
  port,
  portRange,
  postgresUrl,
  rtpengines,
  text,
  url,
} from "./value-kinds.ts";

export const exchange = {
  SIP_TRUNKS: {
    ...text,
    type: "path of a JSON file",
    default: "the sandbox's phone network",
    description: "Carriers that the built-in exchange dials through.",
    readers: ["exchange", "start"],
  },
  MAX_CALLS: { ...or(count(1, 10_000), "200"), unit: "calls", description: "Maximum concurrent calls.", readers: ["exchange"] },
  VOICE_MEDIA_PROCESSES: {
    ...or(count(1, 64), "1"),
    unit: "processes",
    description: "Processes that carry sound, one for a core; each carries about 100 calls.",
    readers: ["exchange"],
  },
  RTPENGINES: {
    ...rtpengines,
    default: "none",
    description:
      "Instances of rtpengine that carry the sound, instead of `VOICE_MEDIA_PROCESSES`, by the address of their ng protocol.",
    readers: ["exchange"],
  },
  DRAIN_MINUTES: {
    ...or(count(0, 1_440), "30"),
    unit: "minutes",
    description: "How long live calls may go on after the exchange is asked to stop; 0 ends them at once.",
    readers: ["exchange"],
  },
  VOICE_NODE: {
    ...or(nodeName, "a"),
    description: "Name of this exchange among several behind one name.",
    readers: ["exchange"],
  },
  VOICE_NODES: {
    ...nodeUrls,
    default: "this one alone",
    description:
      "Exchanges behind one name, this one too, each with the address of its API for the service. Others announce themselves if `VOICE_NODE_HOSTS` allows it.",
    readers: ["exchange"],
  },
  VOICE_NODE_HOSTS: {
    ...hostRules,
    default: "none: only those of `VOICE_NODES`",
    description: "Where exchanges may be that announce themselves, and that this one announces itself at all.",
    readers: ["exchange"],
  },
  MAX_CALLS_PER_ACCOUNT: {
    ...or(count(1, 100), "4"),
    unit: "calls",
    description: "Maximum concurrent calls per customer at the exchange.",
    readers: ["exchange"],
  },
  ALLOWED_ORIGINS: {
    ...text,
    type: "origins with commas between them",
    default: "`PUBLIC_URL`'s origin",
    description: "Origins whose pages may open the exchange's WebSocket.",
    readers: ["exchange", "start"],
  },
  VOICE_PORT: {
    ...or(port, "3002"),
    default: "PORT + 2",
    description: "Port that browsers connect to on the exchange.",
    readers: ["start"],
    assigned: ["exchange"],
  },
  VOICE_CONTROL_PORT: {
    ...or(port, "3006"),
    default: "PORT + 6",
    description: "Port of the exchange's API for the service.",
    readers: ["start"],
    assigned: ["exchange"],
  },
  SIP_PORT: {
    ...or(port, "0"),
    default: "PORT + 4",
    description: "UDP and TCP port of the exchange's side of the trunks.",
    readers: ["start"],
    assigned: ["exchange"],
  },
  SIP_TLS_PORT: {
    ...or(port, "5061"),
    description: "TLS port for carriers, if `SIP_TLS_CERT` is set.",
    readers: ["exchange"],
  },
  SIP_TLS_CERT: {
    ...optional(text),
    type: "path of a PEM file",
    default: "none: carriers cannot open TLS connections to the exchange",
    description: "Certificate that the exchange shows to carriers that connect by TLS.",
    readers: ["exchange"],
  },
  SIP_TLS_KEY: {
    ...optional(text),
    type: "path of a PEM file",
    default: "none",
    description: "Private key of `SIP_TLS_CERT`.",
    readers: ["exchange"],
  },
  VOICE_MEDIA_IP: {
    ...or(ipv4, "127.0.0.1"),
    default: "0.0.0.0 with `npm start`, otherwise 127.0.0.1",
    description: "Address bound for browsers' audio; 0.0.0.0 for all of the machine.",
    readers: ["exchange", "start"],
    assigned: ["exchange"],
  },
  VOICE_MEDIA_ANNOUNCE: {
    ...optional(ipv4),
    default: "`VOICE_MEDIA_IP`; with 0.0.0.0 both 127.0.0.1 and the machine's address in its network",
    description: "Address that browsers are told to send their audio to: the public one of a machine behind NAT.",
    readers: ["exchange", "start"],
  },
  VOICE_MEDIA_PORTS: {
    ...optional(portRange),
    default: "any",
    description: "UDP ports for browsers' audio, two a call.",
    readers: ["exchange"],
  },
  RTP_BIND_IP: {
    ...or(ipv4, "127.0.0.1"),
    description: "Address bound for SIP and audio on the trunk side.",
    readers: ["exchange"],
  },
  RTP_ANNOUNCE: {
    ...optional(ipv4),
    default: "`RTP_BIND_IP`",
    description: "Address that carriers are told: the public one of a machine behind NAT.",
    readers: ["exchange"],
  },
  RTP_PORTS: {
    ...or(portRange, "20000-29999"),
    description: "UDP ports for audio on the trunk side, two a call.",
    readers: ["exchange"],
  },
} as const satisfies Record<string, Setting>;

/** Wiring between the programs. `npm start` ignores an operator's values for these. */
export const wiring = {
  VOICE_HOST: {
    ...or(text, "127.0.0.1"),
    description: "Address where the exchange listens for browsers: `HOST`.",
    readers: [],
    assigned: ["exchange"],
  },
  VOICE_CONTROL_HOST: {
    ...or(text, "127.0.0.1"),
    description: "Address where the exchange listens for commands.",
    readers: [],
    assigned: ["exchange"],
  },
  EXCHANGE_SIGNING_KEY: {
    ...text,
    type: "Ed25519 private key, PKCS#8 DER in base64, several with commas between them",
    description: "Signs the exchange's webhooks; the first is used.",
    readers: [],
    assigned: ["exchange"],
    secret: true,
  },
  EXCHANGE_TOKEN_KEY: {
    ...text,
    type: "base64 of 32 bytes, several with commas between them",
    description: "Signs browsers' voice tokens; the first is used, and all are accepted.",
    readers: [],
    assigned: ["exchange"],
    secret: true,
  },
  VOICE_JOURNAL: {
    ...optional(text),
    type: "path of a file",
    description:
      "Where the exchange keeps live calls and undelivered events for its next start, and in a folder beside it the events of a day.",
    readers: [],
    assigned: ["exchange"],
  },
  WEBHOOK_URL: { ...url, description: "Where the exchange sends its events.", readers: [], assigned: ["exchange"] },
  SANDBOX_URL: {
    ...optional(url),
    description: "The sandbox's pages; makes the service a sandbox.",
    readers: [],
    assigned: ["service"],
    production: "Must be absent.",
  },
  SANDBOX_HOST: {
    ...or(text, "127.0.0.1"),
    description:
      "Address where the sandbox's pages listen, whatever `HOST` is: they let anyone read every mail and be anyone. Open them on purpose only.",
    readers: ["start"],
    assigned: ["sandbox"],
  },
  SANDBOX_SIP_HOST: {
    ...or(ipv4, "127.0.0.1"),
    description: "Address of the sandbox's phone network.",
    readers: [],
    assigned: ["sandbox"],
  },
  SANDBOX_TRUNK_PORT: {
    ...optional(port),
    description: "UDP port of the only trunk that may call the phone network.",
    readers: [],
    assigned: ["sandbox"],
  },
  SANDBOX_DATABASE_URL: {
    ...postgresUrl,
    description: "Where the sandbox keeps its state.",
    readers: [],
    assigned: ["sandbox"],
    secret: true,
  },
  SANDBOX_PUBLIC_URL: {
    ...optional(url),
    description: "Address that browsers use for the sandbox.",
    readers: [],
    assigned: ["sandbox"],
  },
  STRIPE_WEBHOOK_URL: {
    ...optional(url),
    description: "Where the sandbox sends payment events.",
    readers: [],
    assigned: ["sandbox"],
  },
  APP_URL: {
    ...optional(url),
    description: "The web app, for the sandbox's redirects and links.",
    readers: [],
    assigned: ["sandbox"],
  },
} as const satisfies Record<string, Setting>;
