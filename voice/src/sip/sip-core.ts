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
/** Supported methods. PRACK is missing: nobody calls us, so there is nothing of ours to acknowledge. */
export const ALLOWED_METHODS = ["INVITE", "ACK", "CANCEL", "BYE", "OPTIONS", "UPDATE"];
/** Extensions: session timers (RFC 4028), reliable provisional responses (RFC 3262). */
export const SUPPORTED_TAGS = ["timer", "100rel"];
export const SDP_TYPE = "application/sdp";

// sip.js sets the timers that absorb retransmissions to zero, as for TCP. On UDP they must run (RFC 3261 table 4), else the second copy
// of a refusal would stay without ACK and the second copy of a BYE would get 481.
Timers.TIMER_D = 64 * Timers.T1;
Timers.TIMER_I = Timers.T4;
Timers.TIMER_J = 64 * Timers.T1;
Timers.TIMER_K = Timers.T4;

// Its own branches come from ten million values: with a thousand transactions alive one in twenty starts would collide.
const ownId = ClientTransaction as unknown as { makeId(request: { method: string; branch?: string }): string };
const makeCancelId = ownId.makeId;
ownId.makeId = (request) => (request.method === "CANCEL" ? makeCancelId(request) : `z9hG4bK${randomBytes(9).toString("hex")}`);

export interface CoreOptions {
  readonly trunk: TrunkConfig;
  /** Tells this trunk's dialogs apart from those of the others on the same socket. */
  readonly contactUser: string;
  /** As Via and Contact name it. */
  readonly address: string;
  readonly port: number;
  readonly transport: SipTransport;
  readonly log: Logger;
}

/** sip.js' transaction user for one trunk: dialogs, digest and parsing are its own, transport is ours. */
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
    // The connection serves the carrier's requests too (RFC 5923 §5).
    viaHost: `${host}:${port}${transport.protocol === "UDP" ? "" : ";alias"}`,
    // It has all that the library uses of its own class, which has private parts besides.
    authenticationFactory: () => credentials as unknown as DigestAuthentication | undefined,
    transportAccessor: () => libraryTransport,
  });
}

/** Refuse what we do not do before the library sees it: it would answer UPDATE with 501, and ring for calls that come in. */
export function refusedStatus(request: IncomingRequestMessage): number | null {
  if (!ALLOWED_METHODS.includes(request.method)) return 405;
  if (request.method === "INVITE" && !request.toTag) return 403;
  return null;
}

/** Extensions that a request requires and we do not have (RFC 3261 §8.2.2.3, which exempts ACK and CANCEL). */
export function unsupportedTags(request: IncomingRequestMessage): string[] {
  if (request.method === "ACK" || request.method === "CANCEL") return [];
  return request
    .getHeaders("require")
    .flatMap((line) => line.split(","))
    .map((tag) => tag.trim().toLowerCase())
    .filter((tag) => tag !== "" && !SUPPORTED_TAGS.includes(tag));
}

/** The credentials of a trunk, which remember its last challenge; undefined when it has none. */
export function credentialsOf(core: UserAgentCore): DigestCredentials | undefined {
  return core.configuration.authenticationFactory() as unknown as DigestCredentials | undefined;
}

export function contactOf(core: UserAgentCore): string {
  return core.configuration.contact.toString();
}

/** The library makes responses of its own for time-outs (408) and transport errors (503); only what came over the wire has text. */
export function isReal(response: IncomingResponseMessage): boolean {
  return Boolean(response.data);
}

/** The library's warnings are about single messages and may quote them: for debugging only. */
export function createLoggerFactory(log: Logger): LoggerFactory {
  const factory = new LoggerFactory();
  factory.builtinEnabled = false;
  factory.connector = (level, category, _label, content) => {
    if (level === "error" || level === "warn") log.debug({ category, detail: String(content) }, "sip library");
  };
  return factory;
}
