import { connect as connectTcp, isIP, isIPv6, type Socket } from "node:net";
import { checkServerIdentity, connect as connectTls, type PeerCertificate } from "node:tls";
import type { TrunkConfig } from "../trunk.ts";

/** TLS 1.0 and 1.1 are broken (RFC 8996). */
const MIN_TLS_VERSION = "TLSv1.2";

export interface StreamTarget {
  readonly trunk: Pick<TrunkConfig, "host" | "port" | "transport" | "tls">;
  readonly localAddress: string;
}

/** Starts a TCP or TLS connection. Wait for `readyEvent` or "error". */
export function openStream({ trunk, localAddress }: StreamTarget): Socket {
  const { host, port, tls } = trunk;
  const target = { host, port, localAddress, family: isIPv6(localAddress) ? 6 : 4 };
  if (trunk.transport === "tcp") return connectTcp(target);
  return connectTls({
    ...target,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    minVersion: MIN_TLS_VERSION,
    rejectUnauthorized: true,
    checkServerIdentity: sipServerIdentity,
    ...(tls?.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls?.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls?.key === undefined ? {} : { key: tls.key }),
  });
}

export function readyEvent(transport: TrunkConfig["transport"]): "connect" | "secureConnect" {
  return transport === "tls" ? "secureConnect" : "connect";
}

/** Checks that the certificate names the configured host, as a DNS name or as a SIP domain (RFC 5922 §7.2). */
export function sipServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const problem = checkServerIdentity(host, certificate);
  if (problem === undefined) return undefined;
  const names = certificate.subjectaltname ?? "";
  // A quoted name may contain the separator and forge a second name.
  const domains = names.includes('"') ? [] : names.split(", ");
  return domains.some((name) => name.toLowerCase() === `uri:sip:${host.toLowerCase()}`) ? undefined : problem;
}
