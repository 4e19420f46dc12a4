import { createTransport } from "nodemailer";
import type { Language } from "@farline/contract/languages.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const SILENCE_TIMEOUT_MS = 10_000;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Address that unsubscribes from a mail by one POST (RFC 8058). */
  readonly unsubscribeUrl?: string;
}

export interface MailTransport {
  /** Hands a mail to the mail server. @throws Error from the server or the network */
  send(mail: RenderedMail & { id: string; to: string; language: Language; date: Date }): Promise<void>;
}

/**
 * Sends by SMTP, one connection per mail. A remote server must offer TLS, because mails contain links that open accounts.
 * @param smtpUrl smtp:// (STARTTLS) or smtps://, including user and password
 * @param from an address, or `Name <address>`
 * @param replyTo who reads answers: the sender's address may take none
 */
export function smtpTransport(smtpUrl: string, { from, replyTo }: { from: string; replyTo: string }): MailTransport {
  const transport = openTransport(smtpUrl);
  const sender = senderOf(from);
  const domain = sender.address.split("@")[1] ?? "localhost";
  return {
    async send(mail) {
      await transport.sendMail({
        from: sender,
        replyTo: { name: "", address: replyTo },
        to: { name: "", address: mail.to },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        messageId: `<${mail.id}@${domain}>`,
        date: mail.date,
        headers: {
          "Content-Language": mail.language,
          // Both suppress out-of-office replies: RFC 3834, and Exchange, which does not follow it.
          "Auto-Submitted": "auto-generated",
          "X-Auto-Response-Suppress": "All",
          ...(mail.unsubscribeUrl === undefined
            ? {}
            : { "List-Unsubscribe": `<${mail.unsubscribeUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
        },
      });
    },
  };
}

/** In two parts, because a name such as "Farline, Ltd. (UK)" must be quoted in the header (RFC 5322 §3.4). */
function senderOf(from: string): { name: string; address: string } {
  const [, name = "", address = from] = /^(.+) <(.+)>$/.exec(from) ?? [];
  return { name, address };
}

/** Connects and signs in without sending a mail. @throws Error from the server or the network */
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
    // Content must never make us read a file or fetch a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Whether retrying is useless: a 5xx for the recipient or the content (RFC 5321 §4.2.1). A refused login or sender is
 * our misconfiguration, which can be fixed.
 */
export function isRefusedForGood(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: number; command?: string };
  return responseCode !== undefined && responseCode >= 500 && (command === "RCPT TO" || command === "DATA");
}

/** Whether a permanently refused mail's address does not exist. */
export function isRecipientRefused(error: unknown): boolean {
  return (error as { command?: string }).command === "RCPT TO";
}

/** The loggable part of a failure: the server's text may contain the address. */
export function failureCode(error: unknown): string {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number };
  return [code, command, responseCode].filter((part) => part !== undefined).join(" ") || String((error as Error).name);
}

/** Whether the server is unreachable or refuses our login. */
export function isServerUnavailable(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && ["ECONNECTION", "ESOCKET", "ETIMEDOUT", "EDNS", "EAUTH", "ETLS", "ECONNREFUSED"].includes(code);
}
