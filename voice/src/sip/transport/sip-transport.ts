import type { SipSummary } from "./sip-text.ts";

/** How messages reach the far end of a trunk. */
export interface SipTransport {
  /** As Via names it (RFC 3261 §20.42). */
  readonly protocol: "UDP" | "TCP" | "TLS";
  /** Sends a message of the library. Rejects when it cannot be delivered. */
  send(text: string): Promise<void>;
  /** Forgets a request whose response no longer matters. */
  abandon(branch: string, method: string): void;
}

export interface SipReceiver {
  /** A message worth parsing. Exceptions are caught and logged. */
  message(text: string, summary: SipSummary): void;
  /** Does a call of ours have this Call-ID? */
  knows(callId: string): boolean;
}

/** Identifies a transaction among those of one transport (RFC 3261 §17.1.3). */
export function transactionKey({ branch, method }: Pick<SipSummary, "branch" | "method">): string {
  return `${branch} ${method}`;
}

/** The message as it goes out: the library writes an empty Supported header when it has no extensions. */
export function outgoingBytes(text: string): Buffer {
  return Buffer.from(text.replace(/^Supported: \r\n/m, ""), "utf8");
}
