import { DAY_MS } from "@farline/domain/durations.ts";
import { CERTIFICATE_TICKET_DAYS, endOfShownCertificate } from "@farline/server/calls/provider/certificates.ts";
import type { ExchangeConfig } from "@farline/voice/config.ts";
import { type CertificateEnd, certificateEnd } from "@farline/voice/sip/trunk.ts";
import { fault, type Finding, ok, reasonOf, warning } from "../findings.ts";

/** The certificates in the exchange's files: its own, and those of its trunks. */
export function checkCertificateFiles({ sipTls, trunks }: Pick<ExchangeConfig, "sipTls" | "trunks">): Finding[] {
  const files: readonly (readonly [string, string | undefined])[] = [
    ["SIP_TLS_CERT", sipTls?.read().cert],
    ...trunks.flatMap(({ name, tls }) => [
      [`tls_cert of trunk ${name}`, tls?.cert] as const,
      [`tls_ca of trunk ${name}`, tls?.ca] as const,
    ]),
  ];
  return files.flatMap(([name, pem]) => (pem === undefined ? [] : [findingOf(certificateEnd(name, pem))]));
}

/** The certificate that browsers are shown at an https or wss address; nothing to check at any other. */
export async function checkShownCertificate(name: string, address: string): Promise<Finding[]> {
  try {
    const endsAt = await endOfShownCertificate(address);
    return endsAt === null ? [] : [findingOf({ name, endsAt })];
  } catch (error) {
    return [warning(`The certificate of ${name} cannot be read: ${reasonOf(error)}.`)];
  }
}

function findingOf({ name, endsAt }: CertificateEnd): Finding {
  const days = Math.floor((endsAt.getTime() - Date.now()) / DAY_MS);
  const day = endsAt.toISOString().slice(0, 10);
  if (days < 0) return fault(`The certificate of ${name} ended on ${day}: nobody connects to it.`);
  return days < CERTIFICATE_TICKET_DAYS
    ? warning(`The certificate of ${name} ends in ${days} days, on ${day}.`)
    : ok(`The certificate of ${name} holds until ${day}.`);
}
