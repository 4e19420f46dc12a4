import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { ServiceContext } from "../../context.ts";
import type { Metric } from "../../platform/metric.ts";

/** A certificate that ends sooner is a ticket, and soon a reason to wake somebody up. */
export const CERTIFICATE_TICKET_DAYS = 30;
const CERTIFICATE_PAGE_DAYS = 3;
const ANSWER_LIMIT_MS = 5_000;
const HTTPS_PORT = 443;
const READ_EVERY_MS = 60 * 60_000;

export interface Certificate {
  /** For operators: whose it is. */
  readonly name: string;
  readonly endsAt: Date;
}

/** Follows the ends of all certificates: what browsers are shown, and those of the exchanges. */
export interface CertificateWatch {
  /** Reads what browsers are shown now, and regularly until `stop`. */
  start(): void;
  stop(): void;
  read(): Promise<void>;
  readonly metric: Metric;
}

/** @param ofExchanges those that the exchanges use and have met, now */
export function createCertificateWatch(
  { clock, config, log }: Pick<ServiceContext, "clock" | "config" | "log">,
  ofExchanges: () => readonly Certificate[],
): CertificateWatch {
  const addresses = [
    ["PUBLIC_URL", config.publicUrl],
    ["VOICE_WS_URL", config.telnyx.wsUrl],
  ] as const;
  /** The last reading counts until the next that succeeds. */
  const shown = new Map<string, Date>();
  let timer: NodeJS.Timeout | null = null;

  async function readOne(name: string, address: string | null): Promise<void> {
    if (address === null) return;
    try {
      const endsAt = await endOfShownCertificate(address);
      if (endsAt !== null) shown.set(name, endsAt);
    } catch (error) {
      log.warn({ err: error, setting: name }, "the certificate of an address could not be read");
    }
  }

  async function read(): Promise<void> {
    await Promise.all(addresses.map(([name, address]) => readOne(name, address)));
  }

  const daysLeft = (): ReadonlyMap<string, number> => {
    const all = [...[...shown].map(([name, endsAt]) => ({ name, endsAt })), ...ofExchanges()];
    return new Map(all.map(({ name, endsAt }) => [name, Math.floor((endsAt.getTime() - clock.now().getTime()) / DAY_MS)]));
  };

  return {
    start() {
      void read();
      timer = setInterval(() => void read(), READ_EVERY_MS);
    },
    stop() {
      if (timer !== null) clearInterval(timer);
    },
    read,
    metric: {
      name: "farline_certificate_expires_days",
      help: "Whole days until a certificate ends that browsers are shown, or that an exchange uses or has met; below 0 it has ended",
      label: "certificate",
      inMemory: true,
      read: async () => daysLeft(),
      runbook: "certificate-ending",
      level: (certificate) =>
        (daysLeft().get(certificate) ?? CERTIFICATE_TICKET_DAYS) < CERTIFICATE_PAGE_DAYS ? "page" : "ticket",
      warning(days, certificate) {
        if (days >= CERTIFICATE_TICKET_DAYS) return null;
        return days < 0 ? `The certificate ${certificate} has ended.` : `The certificate ${certificate} ends in ${days} days.`;
      },
    },
  };
}

/**
 * Until when the certificate holds that browsers are shown at an https or wss address; null at any other.
 * @throws the system's error if nothing answers within five seconds
 */
export async function endOfShownCertificate(address: string): Promise<Date | null> {
  const url = new URL(address);
  if (url.protocol !== "https:" && url.protocol !== "wss:") return null;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // Only its end is read: whether it is valid is for those who speak to the address.
  const socket = connect({
    host,
    port: Number(url.port) || HTTPS_PORT,
    rejectUnauthorized: false,
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    return new Date(socket.getPeerCertificate().valid_to);
  } finally {
    // An error that comes after the time limit is nobody's.
    socket.on("error", () => undefined);
    socket.destroy();
  }
}
