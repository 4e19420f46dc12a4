import { isIP } from "node:net";
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from "node:tls";

/** TLS 1.0 and 1.1 are broken (RFC 8996). */
export const MIN_TLS_VERSION = "TLSv1.2";

/** What a server shows, in PEM. */
export interface CertificateAndKey {
  readonly cert: string;
  readonly key: string;
}

/** Certificates of a trunk, in PEM. Without `ca` the system's authorities are trusted. */
export interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Demands a valid certificate for the configured domain, which is not the name that SRV records lead to (RFC 5922 §7.1). */
export function tlsOptions(domain: string, { ca, cert, key }: TlsFiles): ConnectionOptions {
  return {
    ...(isIP(domain) === 0 ? { servername: domain } : {}),
    minVersion: MIN_TLS_VERSION,
    rejectUnauthorized: true,
    checkServerIdentity: (_host, certificate) => sipServerIdentity(domain, certificate),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

/** Checks that the certificate names the domain, as a DNS name or as a SIP domain (RFC 5922 §7.2). */
function sipServerIdentity(domain: string, certificate: PeerCertificate): Error | undefined {
  const problem = checkServerIdentity(domain, certificate);
  if (problem === undefined) return undefined;
  const names = certificate.subjectaltname ?? "";
  // A quoted name may contain the separator and forge a second name.
  const domains = names.includes('"') ? [] : names.split(", ");
  return domains.some((name) => name.toLowerCase() === `uri:sip:${domain.toLowerCase()}`) ? undefined : problem;
}
