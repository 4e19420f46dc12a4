import type { SipMessage, SipRequest, SipResponse } from "../message/message.ts";

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
