import { X509Certificate } from "node:crypto";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { Destination } from "@farline/sip/transport/order-targets.ts";
import type { Dns } from "@farline/sip/transport/resolver.ts";
import type { TransportName } from "@farline/sip/transport/target.ts";
import type { CertificateAndKey, TlsFiles } from "@farline/sip/transport/tls-identity.ts";
import type { Logger } from "pino";
import type { Address } from "../address.ts";
import type { CallCodec } from "../call-codec.ts";
import type { CallPrices } from "@farline/domain/rates/find-offers.ts";
import type { CallRoute } from "../call-route.ts";
import type { RegistrationState } from "./upkeep/registration.ts";

/**
 * The interface to SIP: dial a number over the configured trunks, follow its progress, hang up. Implemented by `create-trunks.ts`. SDP
 * passes through unchanged, except for the version of ours.
 */

/** One trunk of the `SIP_TRUNKS` file. */
export interface TrunkConfig {
  readonly name: string;
  readonly host: string;
  /** Null: that of the host's SRV records, else the usual one (RFC 3263 §4.2). */
  readonly port: number | null;
  readonly transport: "udp" | "tcp" | "tls";
  /** Whether the host's NAPTR and SRV records choose the transport (RFC 3263 §4.1); then `transport` is that of a host without any. */
  readonly choosesTransport?: boolean | undefined;
  /** The name of the SRV records of the transport that they chose. */
  readonly service?: string | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Credentials for digest challenges (401 and 407, MD5 or SHA-256). */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Our account at the carrier, used in From and for registration. Default: the number, and `host`. */
  readonly fromUser?: string | undefined;
  readonly fromDomain?: string | undefined;
  /** Adds ;user=phone to phone numbers. */
  readonly userPhone?: boolean | undefined;
  /** How anonymous callers are marked: by the name alone, or with Privacy: id (RFC 3323, RFC 3325). */
  readonly privacy?: "none" | "id" | undefined;
  /** Where the exchange registers; absent: nowhere. */
  readonly registrar?: { readonly host: string; readonly port: number | null } | undefined;
  /** Whether the carrier is pinged with OPTIONS. */
  readonly optionsPing?: boolean | undefined;
  /** E.164 prefixes this trunk serves, with or without "+" ("44", "+1"); absent or empty: all. */
  readonly prefixes?: readonly string[] | undefined;
  /** The carrier's rate for calls without a price list. */
  readonly cost?: BillingRate | undefined;
  /** Lower values are tried first, regardless of cost. */
  readonly priority: number;
  /** Share of calls among otherwise equal trunks; 0: after those with a weight. */
  readonly weight: number;
  readonly maxCalls?: number | undefined;
  readonly callsPerSecond?: number | undefined;
  /**
   * How numbers are dialled: +442079460000, 442079460000, 00442079460000, or 02079460000 as in the carrier's country, after the tech
   * prefix.
   */
  readonly numberFormat: "e164_plus" | "e164" | "00" | { readonly national: NationalFormat };
  readonly techPrefix?: string | undefined;
  /** Further hosts that a redirect of this trunk may name. */
  readonly redirectHosts?: readonly string[] | undefined;
  /** Whether the trunk supports Opus as well as G.711. */
  readonly opus: boolean;
  /** Whether we negotiate session timers (RFC 4028), which detect a lost far end. */
  readonly sessionTimers: boolean;
  /**
   * How customers' verified numbers are sent: in From and P-Asserted-Identity, in the latter alone, in Remote-Party-ID (older carriers),
   * or never (calls then show the exchange's number).
   */
  readonly customerNumbers: "from_and_asserted" | "asserted" | "remote_party" | "never";
}

/** How numbers are dialled in a country. */
interface NationalFormat {
  /** Digits, without "+". */
  readonly countryCode: string;
  readonly trunkPrefix: string;
  readonly internationalPrefix: string;
}

/** Until when a certificate holds. */
export interface CertificateEnd {
  /** For operators: whose it is. */
  readonly name: string;
  readonly endsAt: Date;
}

/** Of a file with several, the first that ends: where one of a chain has ended, nobody connects. */
export function certificateEnd(name: string, pem: string): CertificateEnd {
  const ends = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((one) =>
    Date.parse(new X509Certificate(one).validTo),
  );
  return { name, endsAt: new Date(Math.min(...ends)) };
}

/** Where a trunk is. */
export function trunkDestination({ host, port, transport, service }: TrunkConfig): Destination {
  return { host, port, transport: sipTransport(transport), service };
}

/** The name of a trunk's transport in Via. */
export function sipTransport(transport: TrunkConfig["transport"]): TransportName {
  return transport === "udp" ? "UDP" : transport === "tcp" ? "TCP" : "TLS";
}

export interface DialRequest {
  /** The session's id, a UUID, with which the Call-ID of each attempt begins. */
  readonly sessionId: string;
  /** E.164 with "+". */
  readonly to: string;
  /** E.164 with "+", or "anonymous". */
  readonly from: string;
  readonly sdp: string;
  /** The codec that `sdp` offers first. Opus calls use only trunks that support it. */
  readonly codec: CallCodec;
  /** How long the far end may ring before the call is cancelled, counted from `dial`. */
  readonly ringTimeoutMs: number;
  readonly displayName?: string | undefined;
  /** Prices that restrict the choice of trunks; absent: any trunk. */
  readonly prices?: CallPrices | undefined;
  /** Names the call in its lines. */
  readonly log: Logger;
  /** Extra headers of the INVITE, for example `X-Farline-Call`. Line breaks are refused. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The far end's 200, already acknowledged. */
export interface FarAnswer {
  /** The far end's SDP, or that of its early media if the 200 had none. */
  readonly sdp: string;
  readonly from: string;
  /** For `FarNetwork.endDialog`, which hangs up after a crash. */
  readonly dialog: string;
}

/** Events of one call, in order. `onEnd` is called exactly once, last. */
export interface FarEvents {
  /**
   * An INVITE is sent, to the first trunk or another, or the far end moved.
   * @param dialog for `FarNetwork.endDialog`, until another comes
   */
  onDialog(dialog: string): void;
  /** Each response 180 to 183. `sdp` is early media, or null. */
  onProgress(progress: { status: 180 | 181 | 182 | 183; sdp: string | null }): void;
  onAnswer(answer: FarAnswer): void;
  onEnd(end: FarEnd): void;
  /** Answers an offer in a re-INVITE or UPDATE (hold, new address). A rejection refuses it with 488. */
  onRenegotiate(sdp: string): Promise<string>;
}

export interface FarEnd {
  /** The carrier's final status; 200 after BYE; 487 if cancelled by us or by the ring time-out; 408 without a response. */
  readonly sipStatus: number;
  /** Reason phrase, or the text of the Reason header. */
  readonly reason: string;
  /** From a Reason header (RFC 3326), or null. */
  readonly q850Cause: number | null;
  /** Of a 503 with Retry-After: for how long the carrier wants no calls. */
  readonly retryAfterSeconds?: number | undefined;
  /**
   * callee: the far end refused or hung up. us: `hangUp`. timeout: it rang too long. failure: transport error, no response, protocol error
   * or expired session.
   */
  readonly by: "callee" | "us" | "timeout" | "failure";
  readonly answered: boolean;
  /** The last trunk tried. */
  readonly trunk: string;
}

export interface FarCall {
  /** The trunks so far; final at `onEnd`. */
  readonly route: CallRoute;
  /** The addresses of the trunk that carries the call: its `host` and `redirect_hosts`, resolved. */
  readonly trunkAddresses: readonly string[];
  /**
   * Sends CANCEL before the answer (after the first provisional response, RFC 3261 §9.1), BYE after it. Idempotent. Resolves after
   * `onEnd`, once the far end has confirmed or 4 s have passed.
   */
  hangUp(reason?: string): Promise<void>;
}

/** The telephone network as calls use it. */
export interface FarNetwork {
  /**
   * Dials over the first trunk in the router's order. If it fails or does not respond before any progress, tries the next. Failures are
   * reported through `onEnd`, never before `dial` has returned.
   * @throws RangeError for an invalid request: a number that is not E.164, a line break in a header.
   */
  dial(request: DialRequest, events: FarEvents): FarCall;
  /** Whether every trunk that serves an E.164 number supports Opus. */
  supportsOpus(to: string): boolean;
  /** Ends a call of an earlier process by CANCEL or BYE. Rejects without a response in 4 s, or if its trunk no longer exists. */
  endDialog(dialog: string): Promise<void>;
}

export interface Trunks extends FarNetwork {
  /** The state of each trunk, in configuration order. */
  states(): TrunkState[];
  /** Replaces the trunks. A removed or changed trunk takes no new calls and keeps its live ones until they end. */
  reload(config: readonly TrunkConfig[]): void;
  /** Every certificate that we show, trust by a trunk's settings, or have been shown by a carrier. */
  certificates(): CertificateEnd[];
  /** Shows a renewed certificate to carriers that connect from now on. */
  useCertificate(certificate: CertificateAndKey): void;
  /** Sends OPTIONS to every trunk: true if at least one responds within 4 s. */
  options(): Promise<boolean>;
  readonly port: number;
  readonly activeCalls: number;
  /** Hangs up every call, waits up to 2 s for confirmation, and closes the socket. */
  close(): Promise<void>;
}

export interface TrunkState {
  readonly name: string;
  /** Null over UDP. */
  readonly connected: boolean | null;
  /** Null if the trunk does not register. */
  readonly registration: RegistrationState | null;
  /** Whether it fails OPTIONS. */
  readonly down: boolean;
  /** The status by which the carrier refused our account in the last call, such as 403; null if it accepted the last one. */
  readonly refusedWith: number | null;
  /** Whether its circuit breaker has opened, and no call has succeeded since: it comes after the others. */
  readonly failing: boolean;
  /** Removed from the configuration, but still has calls. */
  readonly leaving: boolean;
}

/** Whether it can carry calls: metrics, the service's list of trunks and its overview say the same. */
export function isTrunkUp({ connected, registration, down, failing, refusedWith }: TrunkState): boolean {
  const isRegistered = registration === null || registration === "registered";
  return connected !== false && isRegistered && !down && !failing && refusedWith === null;
}

export interface TrunksOptions {
  /** The announced one is used in Via and Contact. */
  readonly address: Address;
  /** UDP and TCP port, 0 for any. */
  readonly port: number;
  /** Where carriers may connect by TLS; null: nowhere. PEM texts. */
  readonly tls?: (CertificateAndKey & { readonly port: number }) | null | undefined;
  /** The exchange's caller id, E.164; any other `from` is a customer's number. */
  readonly exchangeNumber: string;
  readonly log: Logger;
  /** Concurrent calls; further ones end with 503 at once. Default 500. */
  readonly maxCalls?: number;
  /** How long to wait for a trunk's first response before the next one is tried. Default 4000. */
  readonly firstResponseTimeoutMs?: number;
  /** Interval of OPTIONS pings. Default 30000. */
  readonly optionsPingEveryMs?: number;
  /** Default: the machine's. */
  readonly dns?: Dns;
}
