import type { SipMessage, SipRequest, SipResponse } from "../message/message.ts";

/** RFC 3261 table 4, in milliseconds. */
export const T1_MS = 500;
export const T2_MS = 4_000;
export const T4_MS = 5_000;
/** Timers B, F, H and J, and of RFC 6026 timers L and M. */
export const GIVE_UP_MS = 64 * T1_MS;
/** Timer D over unreliable transports. */
export const TIMER_D_MS = 32_000;
/** A server transaction sends 100 if its user has not responded by then (§17.2.1). */
export const TRYING_MS = 200;

/** `transport`: the message could not be sent. `full`: the transaction was refused because there are too many. */
export type FailureCause = "timeout" | "transport" | "full";

/** What a state machine wants done. */
export type Output =
  | { readonly kind: "send"; readonly message: SipMessage }
  /** A response for the transaction's user. */
  | { readonly kind: "deliver"; readonly response: SipResponse }
  /** Send a CANCEL for the request. */
  | { readonly kind: "cancel" }
  | { readonly kind: "failed"; readonly cause: FailureCause };

/** The deadlines of a transaction, on the driver's clock. Infinity: none. */
export interface Deadlines {
  readonly retransmitAt: number;
  readonly endAt: number;
}

export interface Step<State> {
  readonly state: State;
  readonly outputs: readonly Output[];
}

export type ClientEvent =
  | { readonly kind: "response"; readonly response: SipResponse }
  | { readonly kind: "cancel" }
  | { readonly kind: "timer" }
  /** The request could not be sent. */
  | { readonly kind: "transport_error" }
  /** The connection that carried the request broke. */
  | { readonly kind: "connection_lost" };

export type ServerEvent =
  /** A retransmission of the request, or the ACK to a final response other than 2xx. */
  | { readonly kind: "request"; readonly request: SipRequest }
  /** The ACK to a 2xx, which is a transaction of its own. */
  | { readonly kind: "acknowledged" }
  | { readonly kind: "respond"; readonly response: SipResponse }
  | { readonly kind: "timer" }
  | { readonly kind: "transport_error" };

export function stay<State>(state: State): Step<State> {
  return { state, outputs: [] };
}

export function send(message: SipMessage): Output {
  return { kind: "send", message };
}

export function failed(cause: FailureCause): Output {
  return { kind: "failed", cause };
}
