import type { TlsFiles } from "./tls-identity.ts";

/** Where a message goes, or came from: one address and port of one transport. */
export interface Target {
  readonly transport: TransportName;
  /** An IP address, without brackets. */
  readonly address: string;
  readonly port: number;
  /** The domain that a TLS certificate must name (RFC 5922 §7.1); null on other transports and for connections from the peer. */
  readonly domain: string | null;
  /** Whose connection it is. Absent: anybody's. */
  readonly owner?: ConnectionOwner;
}

/** Trunks that lead to one address have their own connections, because their certificates differ, and one may be closed before the other. */
export interface ConnectionOwner {
  readonly name: string;
  readonly tls: TlsFiles;
}

export type TransportName = "UDP" | "TCP" | "TLS";

export function isStream(transport: TransportName): boolean {
  return transport !== "UDP";
}

/** RFC 3261 §19.1.2. */
export function defaultPort(transport: TransportName): number {
  return transport === "TLS" ? 5061 : 5060;
}

/** Identifies the connection to a target. A connection verified for one domain is not used for another (RFC 5922 §8). */
export function targetKey({ transport, address, port, domain, owner }: Target): string {
  return `${transport} ${address} ${port} ${domain ?? ""} ${owner?.name ?? ""}`;
}
