import { createTransport } from "nodemailer";
import type { Language } from "@farline/contract/languages.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const SILENCE_TIMEOUT_MS = 10_000;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** URL that unsubscribes from a mail. */
  readonly unsubscribeUrl?: string;
}

export interface MailTransport {
  /** Hands a mail to the mail server. @throws Error as the server or the network gives it */
  send(mail: RenderedMail & { id: string; to: string; language: Language; date: Date }): Promise<void>;
}

/**
 * Sends by SMTP, one connection a mail. A server elsewhere must offer TLS: mails carry links that open accounts.
 * @param smtpUrl smtp:// (TLS by STARTTLS) or smtps://, with user and password in it
 * @param from RFC 5322 address, with a name or without
 */
export function smtpTransport(smtpUrl: string, from: string): MailTransport {
  const transport = openTransport(smtpUrl);
  const domain = /@([^>\s]+)>?$/.exec(from)?.[1] ?? "localhost";
  return {
    async send(mail) {
      await transport.sendMail({
        from,
        to: { name: "", address: mail.to },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: `<${mail.id}@${domain}>`,
        date: mail.date,
        headers: {
          "Content-Language": mail.language,
          // RFC 3834: no out-of-office answers to a machine.
          "Auto-Submitted": "auto-generated",
          ...(mail.unsubscribeUrl === undefined ? {} : { "List-Unsubscribe": `<${mail.unsubscribeUrl}>` }),
        },
      });
    },
  };
}

/** Connects and signs in, and sends nothing. @throws Error as the server or the network gives it */
export async function testMailServer(smtpUrl: string): Promise<void> {
  await openTransport(smtpUrl).verify();
}

function openTransport(smtpUrl: string) {
  return createTransport({
    url: smtpUrl,
    requireTLS: !LOOPBACK.has(new URL(smtpUrl).hostname),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // A mail is text that we have; nothing in it may make us read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * A 5xx for the recipient or the content (RFC 5321 §4.2.1): retrying is useless. A refused login or sender is our
 * setting, and may be mended.
 */
export function isRefusedForGood(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: number; command?: string };
  return responseCode !== undefined && responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
}

/** Of a mail that is refused for good: nobody has its address. */
export function isRecipientRefused(error: unknown): boolean {
  return (error as { command?: string }).command === "RCPT TO";
}

/** The loggable part of a failure: the server's text may contain the address. */
export function failureCode(error: unknown): string {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  return [code, command, responseCode].filter((part) => part !== undefined).join(" ") || String((error as Error).name);
}

/** The server is unreachable or refuses our login. */
export function isServerAway(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && ["ECONNECTION", "ESOCKET", "ETIMEDOUT", "EDNS", "EAUTH", "ETLS", "ECONNREFUSED"].includes(code);
}
