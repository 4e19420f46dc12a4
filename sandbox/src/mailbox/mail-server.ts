import type { Readable } from "node:stream";
import type { AddressInfo } from "node:net";
import PostalMime from "postal-mime";
import type { Logger } from "pino";
import { SMTPServer } from "smtp-server";
import type { ReceivedMail } from "./mailbox.store.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_CLIENTS = 50;
const MAX_RECIPIENTS = 20;
const SILENCE_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 1_000;
const MAX_SUBJECT_CHARACTERS = 500;

/** Local parts of addresses that refuse mail. */
export const refusingMailboxes = [
  {
    name: "refused",
    code: 550,
    message: "No such mailbox here",
    description: "is rejected permanently: there is no such address",
  },
  {
    name: "later",
    code: 451,
    message: "Mailbox is busy, try again later",
    description: "is deferred every time: try again later",
  },
] as const;

export interface MailServer {
  readonly port: number;
  close(): Promise<void>;
}

/** An SMTP server (RFC 5321) that accepts mail for almost every address. */
export async function startMailServer(options: {
  host: string;
  /** 0 picks a free port. */
  port: number;
  log: Logger;
  now: () => number;
  store: (mail: Omit<ReceivedMail, "id">) => Promise<void>;
}): Promise<MailServer> {
  const server = new SMTPServer({
    banner: "Farline sandbox: nothing leaves this machine",
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    size: MAX_BYTES,
    maxClients: MAX_CLIENTS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onRcptTo(address, session, done) {
      const odd = refusingMailboxes.find((one) => address.address.toLowerCase().startsWith(`${one.name}@`));
      if (odd !== undefined) return done(refusal(odd.code, odd.message));
      if (session.envelope.rcptTo.length >= MAX_RECIPIENTS) return done(refusal(452, "Too many recipients"));
      done();
    },
    onData(stream, session, done) {
      const to = session.envelope.rcptTo.map((one) => one.address);
      void answer(done, options.log, async () => {
        const raw = await receive(stream);
        if (raw === null) throw refusal(552, "The mail is too large");
        await options.store(await readMail(raw, { to, at: options.now() }));
      });
    },
  });
  server.on("error", (error: Error) => options.log.warn({ err: error }, "mail connection failed"));
  await new Promise<void>((settle, fail) => {
    server.server.once("error", fail);
    server.listen(options.port, options.host, () => {
      server.server.off("error", fail);
      settle();
    });
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((settle) => server.close(() => settle())),
  };
}

/** Accepts the mail once it is stored. Errors that are not the sender's are temporary, so that the sender retries. */
async function answer(
  done: (error?: Error | null, message?: string) => void,
  log: Logger,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Error && "responseCode" in error) return done(error);
    log.warn({ err: error }, "mail could not be stored");
    return done(refusal(451, "Try again later"));
  }
  done(null, "Stored in the sandbox's mailbox");
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** Reads to the end, as SMTP requires; null if the mail exceeds the limit. */
async function receive(stream: Readable): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
  }
  return bytes <= MAX_BYTES ? Buffer.concat(chunks) : null;
}

async function readMail(raw: Buffer, envelope: { to: string[]; at: number }): Promise<Omit<ReceivedMail, "id">> {
  const mail = await PostalMime.parse(raw);
  return {
    from:
      mail.from === undefined
        ? ""
        : mail.from.name
          ? `${mail.from.name} <${mail.from.address ?? ""}>`
          : (mail.from.address ?? ""),
    to: envelope.to,
    subject: withoutNul(mail.subject ?? "").slice(0, MAX_SUBJECT_CHARACTERS),
    messageId: (mail.messageId ?? "").replace(/^<|>$/g, ""),
    text: withoutNul(mail.text ?? ""),
    html: withoutNul(mail.html ?? ""),
    receivedAt: new Date(envelope.at),
  };
}

/** PostgreSQL cannot store NUL in text. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "");
}
