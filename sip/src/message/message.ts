/** SIP messages as data (RFC 3261 §7). Each field stands in one place: what is parsed is not repeated among `headers`. */

/** Parameters by lower-case name, in the order they are written. A parameter without a value, such as `lr`, is null. */
export type Parameters = ReadonlyMap<string, string | null>;

/** `From`, `To`, `Contact`, `Route`, `Record-Route` …: `"Name" <uri>;parameters` (RFC 3261 §20.10). */
export interface NameAddress {
  /** Unquoted; empty if absent. */
  readonly display: string;
  /** The URI as received, with its own parameters, without angle brackets. */
  readonly uri: string;
  /** The header's own parameters, for example `tag`. */
  readonly parameters: Parameters;
}

/** One hop of a message's way (RFC 3261 §20.42). */
export interface Via {
  /** Upper-case: UDP, TCP, TLS … */
  readonly transport: string;
  /** Without brackets for IPv6. */
  readonly host: string;
  readonly port: number | null;
  /** `branch`, `received`, `rport` … */
  readonly parameters: Parameters;
}

interface Common {
  /** The topmost first; at least one. */
  readonly vias: readonly Via[];
  readonly from: NameAddress;
  readonly to: NameAddress;
  readonly callId: string;
  /** RFC 3261 §8.1.1.5: below 2**31. The method equals the request's. */
  readonly cseq: { readonly number: number; readonly method: string };
  /**
   * All other headers except Content-Length: values by lower-case long name, in order. Comma-separated lists are split into
   * one value an element; challenges and credentials are not.
   */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Uint8Array;
}

/** The fields of a request that each response to it repeats, as they were received (RFC 3261 §8.2.6.2). Empty: missing. */
export interface ReceivedFields {
  readonly vias: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly callId: string;
  readonly cseq: string;
}

export interface SipRequest extends Common {
  readonly kind: "request";
  /** Absent in requests of ours. */
  readonly received?: ReceivedFields;
  /** What is malformed, although the request can be understood; for logs. A stranger gets 400, a call goes on. */
  readonly flaw?: string;
  /** Case-sensitive, upper-case for all methods in use. */
  readonly method: string;
  readonly uri: string;
}

export interface SipResponse extends Common {
  readonly kind: "response";
  /** Written instead of the fields of the same names. */
  readonly repeats?: ReceivedFields;
  /** 100 to 699. */
  readonly status: number;
  /** May be empty. */
  readonly reason: string;
}

export type SipMessage = SipRequest | SipResponse;
