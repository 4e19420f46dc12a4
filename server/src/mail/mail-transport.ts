import { createTransport } from "nodemailer";
import type { Language } from "@farline/contract/languages.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const SIGN_IN_TIMEOUT_MS = 10_000;
/**
 * After the text, servers answer once their scanners have looked through it. Who gives up before sends a mail again that was accepted
 * (RFC 5321 §4.5.3.2.6, which has ten minutes for this).
 */
const SILENCE_TIMEOUT_MS = 2 * 60_000;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

const ABOUT_MAIL: ReadonlySet<string> = new Set(["RCPT TO", "DATA"]);
/** The recipient's address or mailbox. 5.1.7 and 5.1.8 are the sender's, and 5.1.0 may be anything. */
const RECIPIENT_STATUS = /^5\.(?:1\.(?![078]$)|2\.)/;

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
  const transport = openTransport(smtpUrl, SILENCE_TIMEOUT_MS);
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
  await openTransport(smtpUrl, SIGN_IN_TIMEOUT_MS).verify();
}

function openTransport(smtpUrl: string, socketTimeout: number) {
  return createTransport({
    url: smtpUrl,
    requireTLS: !LOOPBACK.has(new URL(smtpUrl).hostname),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout,
    // Content must never make us read a file or fetch a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** What nodemailer's errors have. */
interface Failure {
  readonly name?: string;
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/**
 * Whether there is no such mailbox, so that retrying is useless. Mail servers also refuse for good, at the recipient or after the text, what
 * is our fault and can be mended: a sender that is not verified, an account that is paused, a limit for the day.
 */
export function isRecipientRefused(error: unknown): boolean {
  const { responseCode = 0, command = "" } = error as Failure;
  if (responseCode < 500 || !ABOUT_MAIL.has(command)) return false;
  const status = statusOf(error);
  return status === undefined ? command === "RCPT TO" : RECIPIENT_STATUS.test(status);
}

/** The enhanced status code (RFC 3463), such as 5.1.1. */
function statusOf(error: unknown): string | undefined {
  return /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec((error as Failure).response ?? "")?.[1];
}

/** The loggable part of a failure: the server's text may contain the address. */
export function failureCode(error: unknown): string {
  const { name, code, command, responseCode } = error as Failure;
  return [code, command, responseCode, statusOf(error)].filter((part) => part !== undefined).join(" ") || String(name);
}

/** Whether the server is unreachable or refuses our login. */
export function isServerUnavailable(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && ["ECONNECTION", "ESOCKET", "ETIMEDOUT", "EDNS", "EAUTH", "ETLS", "ECONNREFUSED"].includes(code);
}
