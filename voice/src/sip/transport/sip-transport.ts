import type { SipSummary } from "./sip-text.ts";

export interface SipTransport {
  /** For Via (RFC 3261 §20.42). */
  readonly protocol: "UDP" | "TCP" | "TLS";
  /** Rejects if the message cannot be delivered. */
  send(text: string): Promise<void>;
  /** Drops a request whose response no longer matters. */
  abandon(branch: string, method: string): void;
}

export interface SipReceiver {
  /** Called for each admitted message. Exceptions are caught and logged. */
  message(text: string, summary: SipSummary): void;
  hasCall(callId: string): boolean;
}

/** Identifies a transaction on one transport (RFC 3261 §17.1.3). */
export function transactionKey({ branch, method }: Pick<SipSummary, "branch" | "method">): string {
  return `${branch} ${method}`;
}

/** Removes the empty Supported header that sip.js writes if there are no extensions. */
export function outgoingBytes(text: string): Buffer {
  return Buffer.from(text.replace(/^Supported: \r\n/m, ""), "utf8");
}
