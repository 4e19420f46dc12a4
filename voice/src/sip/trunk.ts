import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { Logger } from "pino";
import type { Address } from "../address.ts";
import type { CallCodec } from "../call-codec.ts";
import type { CallPrices, CallRoute } from "../call-route.ts";
import type { RegistrationState } from "./upkeep/registration.ts";

/**
 * The interface to SIP: dial a number over the configured trunks, follow its progress, hang up.
 * Implemented by `create-trunks.ts`. SDP passes through untouched: nothing here knows about media.
 */

/** One SIP trunk as the `SIP_TRUNKS` file defines it. */
export interface TrunkConfig {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly transport: "udp" | "tcp" | "tls";
  /** PEM texts: whom the trunk's certificate must be from instead of the usual authorities, and the exchange's own certificate. */
  readonly tls?:
    | { readonly ca?: string | undefined; readonly cert?: string | undefined; readonly key?: string | undefined }
    | undefined;
  /** Credentials for digest challenges (401 and 407, MD5 or SHA-256). */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** User and domain by which the carrier knows us: in From, and what is registered. Default: the number, and `host`. */
  readonly fromUser?: string | undefined;
  readonly fromDomain?: string | undefined;
  /** Adds ;user=phone to addresses of numbers. */
  readonly userPhone?: boolean | undefined;
  /** How a caller who shows no number is written: by the name alone, or with Privacy: id (RFC 3323, RFC 3325). */
  readonly privacy?: "none" | "id" | undefined;
  /** Where the exchange registers; absent: it does not. */
  readonly registrar?: { readonly host: string; readonly port: number } | undefined;
  /** Whether it is asked for signs of life. */
  readonly optionsPing?: boolean | undefined;
  /** E.164 prefixes this trunk takes, with or without "+" ("44", "+1"); absent or empty: all. */
  readonly prefixes?: readonly string[] | undefined;
  /** What the carrier takes, where no price list tells it for a call. */
  readonly cost?: BillingRate | undefined;
  /** Lower ones are tried first, whatever they cost. */
  readonly priority: number;
  /** The share of calls among trunks that are equal in all else; 0: after those with a weight. */
  readonly weight: number;
  readonly maxCalls?: number | undefined;
  readonly callsPerSecond?: number | undefined;
  /**
   * How numbers are written: +442079460000, 442079460000, 00442079460000, or 02079460000 as in its own country, after the tech prefix by
   * which some carriers know us.
   */
  readonly numberFormat: "e164_plus" | "e164" | "00" | { readonly national: NationalFormat };
  readonly techPrefix?: string | undefined;
  /** Hosts beside its own to which a redirect of this trunk may lead. */
  readonly redirectHosts?: readonly string[] | undefined;
  /** Whether it carries Opus as well as G.711. */
  readonly opus: boolean;
  /** Whether it is asked for session timers (RFC 4028), with which either side notices that the other is gone. */
  readonly sessionTimers: boolean;
  /**
   * How this carrier is given the proven number of a customer, if it takes any: as From and P-Asserted-Identity, as the latter alone, as
   * Remote-Party-ID (older carriers), or never (then calls show the exchange's own number).
   */
  readonly customerNumbers: "from_and_asserted" | "asserted" | "remote_party" | "never";
}

/** How a country writes its own numbers, and those of others. */
export interface NationalFormat {
  /** Digits, without "+". */
  readonly countryCode: string;
  readonly trunkPrefix: string;
  readonly internationalPrefix: string;
}

/** Where SIP is spoken unless a URI says otherwise (RFC 3261 §19.1.2). */
export function defaultPort(transport: TrunkConfig["transport"]): number {
  return transport === "tls" ? 5061 : 5060;
}

export interface DialRequest {
  /** E.164 with "+". */
  readonly to: string;
  /** E.164 with "+", or "anonymous". */
  readonly from: string;
  /** Our offer, and what it offers: only trunks with Opus carry that. */
  readonly sdp: string;
  readonly codec: CallCodec;
  /** How long the far end may ring before the call is cancelled, in milliseconds, counted from `dial`. */
  readonly ringTimeoutMs: number;
  readonly displayName?: string;
  /** Which trunks may carry the call for its price; absent: any. */
  readonly prices?: CallPrices;
  /** Further headers of the INVITE, for example `X-Farline-Call`. Names and values are checked; line breaks are refused. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The far end answered with 200, which is already acknowledged. */
export interface FarAnswer {
  /** The far end's description, or that of its early media when the 200 carried none. */
  readonly sdp: string;
  /** The number that the far end was shown. */
  readonly from: string;
  /** Ends the far end after a crash: for `FarNetwork.endDialog`. */
  readonly dialog: string;
}

/** Events of one call, in order. `onEnd` comes exactly once and is the last. */
export interface FarEvents {
  /** The first 180-183 and every later one; `sdp` is early media, else null. */
  onProgress(progress: { status: 180 | 181 | 182 | 183; sdp: string | null }): void;
  onAnswer(answer: FarAnswer): void;
  onEnd(end: FarEnd): void;
  /** The far end changed the session by re-INVITE or UPDATE (hold, new address): our answer. A rejection refuses it with 488. */
  onRenegotiate(sdp: string): Promise<string>;
}

export interface FarEnd {
  /** Final SIP status as it came: 486, 404, 503 …; 200 after BYE; 487 when cancelled by us or because it rang too long; 408 when nothing came. */
  readonly sipStatus: number;
  /** Reason phrase, or the text of the Reason header. */
  readonly reason: string;
  /** Q.850 cause when the far end sent one in a Reason header (RFC 3326), else null. */
  readonly q850Cause: number | null;
  /** callee: the far end refused or hung up. us: `hangUp`. timeout: rang too long. failure: transport, no answer at all, broken protocol, a session that was not refreshed. */
  readonly by: "callee" | "us" | "timeout" | "failure";
  readonly answered: boolean;
  /** Name of the trunk that carried the call last. */
  readonly trunk: string;
}

export interface FarCall {
  /** The trunks so far; final when `onEnd` comes. */
  readonly route: CallRoute;
  /**
   * CANCEL before the answer (held back until the first provisional response, RFC 3261 §9.1), BYE after it. Idempotent. Resolves after
   * `onEnd`, when the far end has confirmed or 4 s have passed.
   */
  hangUp(reason?: string): Promise<void>;
}

/** The telephone network as calls use it. */
export interface FarNetwork {
  /**
   * Dials over the first trunk in the router's order; on a fault of the trunk or silence before any progress, over the next. Failures are
   * reported by `onEnd`, never before `dial` has returned.
   * @throws RangeError for a request that no trunk could carry: a number that is not E.164, a line break in a header.
   */
  dial(request: DialRequest, events: FarEvents): FarCall;
  /** Whether every trunk that takes an E.164 number carries Opus: then any of them may carry the call. */
  takesOpus(to: string): boolean;
  /** BYE to the far end of a dialog that an earlier process had. Rejects without an answer in 4 s, or if its trunk is gone. */
  endDialog(dialog: string): Promise<void>;
}

export interface Trunks extends FarNetwork {
  /** What is known of each trunk, in the order of the configuration. */
  states(): TrunkState[];
  /** Replaces the trunks. A trunk that is gone or changed takes no new calls and keeps its live ones until they end. */
  reload(config: readonly TrunkConfig[]): void;
  /** OPTIONS to every trunk: true when at least one answers anything within 4 s. */
  options(): Promise<boolean>;
  /** The UDP port in use. */
  readonly port: number;
  readonly activeCalls: number;
  /** Hangs up every call, waits up to 2 s for the answers, closes the socket. */
  close(): Promise<void>;
}

export interface TrunkState {
  readonly name: string;
  /** Whether its TCP or TLS connection stands; null over UDP. */
  readonly connected: boolean | null;
  /** Null when it does not register. */
  readonly registration: RegistrationState | null;
  /** Does not answer OPTIONS. */
  readonly down: boolean;
  /** No longer in the configuration: only ends its calls. */
  readonly leaving: boolean;
}

export interface TrunksOptions {
  /** What is announced stands in Via and Contact. */
  readonly address: Address;
  /** UDP port, 0 for any. */
  readonly port: number;
  /** The exchange's own caller id, E.164; any other `from` is a customer's number. */
  readonly exchangeNumber: string;
  readonly log: Logger;
  /** Calls at a time; further ones end with 503 at once. Default 500. */
  readonly maxCalls?: number;
  /** How long a trunk may stay silent before the next one is tried, in milliseconds. Default 4000; only when another trunk is left. */
  readonly firstResponseTimeoutMs?: number;
  /** Between the OPTIONS to a trunk that has them, in milliseconds. Default 30000. */
  readonly optionsPingEveryMs?: number;
}
