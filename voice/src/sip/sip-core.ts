import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import {
  ClientTransaction,
  type DigestAuthentication,
  type IncomingRequestMessage,
  type IncomingResponseMessage,
  LoggerFactory,
  Timers,
  URI,
  UserAgentCore,
} from "sip.js/lib/core/index.js";
import { DigestCredentials } from "./digest.ts";
import type { SipTransport } from "./transport/sip-transport.ts";
import type { TrunkConfig } from "./trunk.ts";

const USER_AGENT = "Farline";
/** Supported methods. No PRACK: we take no incoming calls, so we send no reliable provisional responses. */
export const ALLOWED_METHODS = ["INVITE", "ACK", "CANCEL", "BYE", "OPTIONS", "UPDATE"];
/** Extensions: session timers (RFC 4028), reliable provisional responses (RFC 3262). */
export const SUPPORTED_TAGS = ["timer", "100rel"];
export const SDP_TYPE = "application/sdp";

// sip.js sets the timers that absorb retransmissions to zero, as for TCP. Over UDP they must run (RFC 3261 table 4). Otherwise a
// retransmitted final response would get no ACK, and a retransmitted BYE would get 481.
Timers.TIMER_D = 64 * Timers.T1;
Timers.TIMER_I = Timers.T4;
Timers.TIMER_J = 64 * Timers.T1;
Timers.TIMER_K = Timers.T4;

// sip.js draws branches from ten million values: with a thousand live transactions one in twenty would collide.
const branchIds = ClientTransaction as unknown as { makeId(request: { method: string; branch?: string }): string };
const makeCancelId = branchIds.makeId;
branchIds.makeId = (request) =>
  request.method === "CANCEL" ? makeCancelId(request) : `z9hG4bK${randomBytes(9).toString("hex")}`;

export interface CoreOptions {
  readonly trunk: TrunkConfig;
  /** Identifies this trunk's dialogs among those on the same socket. */
  readonly contactUser: string;
  /** Announced in Via and Contact. */
  readonly address: string;
  readonly port: number;
  readonly transport: SipTransport;
  readonly log: Logger;
}

/** The sip.js core of one trunk. It does dialogs, transactions and parsing; transport and digest are ours. */
export function createCore(options: CoreOptions): UserAgentCore {
  const { trunk, contactUser, port, transport } = options;
  const host = options.address.includes(":") ? `[${options.address}]` : options.address;
  const parameters: Record<string, string> = transport.protocol === "UDP" ? {} : { transport: transport.protocol.toLowerCase() };
  const contactUri = new URI("sip", contactUser, host, port, parameters);
  const loggerFactory = createLoggerFactory(options.log);
  const libraryTransport = { protocol: transport.protocol, send: (message: string) => transport.send(message) };
  const credentials = trunk.username === undefined ? undefined : new DigestCredentials(trunk.username, trunk.password ?? "");
  return new UserAgentCore({
    aor: new URI("sip", contactUser, trunk.host, undefined),
    contact: { pubGruu: undefined, tempGruu: undefined, uri: contactUri, toString: () => `<${contactUri.toString()}>` },
    displayName: "",
    loggerFactory,
    hackViaTcp: false,
    routeSet: [],
    sipjsId: "",
    supportedOptionTags: trunk.sessionTimers ? SUPPORTED_TAGS : ["100rel"],
    supportedOptionTagsResponse: trunk.sessionTimers ? ["timer"] : [],
    userAgentHeaderFieldValue: USER_AGENT,
    viaForceRport: true,
    // The carrier sends its requests over this connection too (RFC 5923 §5).
    viaHost: `${host}:${port}${transport.protocol === "UDP" ? "" : ";alias"}`,
    // Implements what sip.js calls; its class also has private members.
    authenticationFactory: () => credentials as unknown as DigestAuthentication | undefined,
    transportAccessor: () => libraryTransport,
  });
}

/** The status for requests to reject before sip.js sees them: it would ring for incoming calls. */
export function rejectionStatus(request: IncomingRequestMessage): number | null {
  if (!ALLOWED_METHODS.includes(request.method)) return 405;
  if (request.method === "INVITE" && !request.toTag) return 403;
  return null;
}

/** Required extensions that we do not support (RFC 3261 §8.2.2.3, which exempts ACK and CANCEL). */
export function unsupportedTags(request: IncomingRequestMessage): string[] {
  if (request.method === "ACK" || request.method === "CANCEL") return [];
  return request
    .getHeaders("require")
    .flatMap((line) => line.split(","))
    .map((tag) => tag.trim().toLowerCase())
    .filter((tag) => tag !== "" && !SUPPORTED_TAGS.includes(tag));
}

export function credentialsOf(core: UserAgentCore): DigestCredentials | undefined {
  return core.configuration.authenticationFactory() as unknown as DigestCredentials | undefined;
}

export function contactOf(core: UserAgentCore): string {
  return core.configuration.contact.toString();
}

/** Whether a response came over the wire: sip.js makes up its own for time-outs (408) and transport errors (503). */
export function isFromWire(response: IncomingResponseMessage): boolean {
  return Boolean(response.data);
}

/** Warnings of sip.js may quote messages, so they are logged only for debugging. */
export function createLoggerFactory(log: Logger): LoggerFactory {
  const factory = new LoggerFactory();
  factory.builtinEnabled = false;
  factory.connector = (level, category, _label, content) => {
    if (level === "error" || level === "warn") log.debug({ category, detail: String(content) }, "sip library");
  };
  return factory;
}
