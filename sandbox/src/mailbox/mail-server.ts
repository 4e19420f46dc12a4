import type { Readable } from "node:stream";
import type { AddressInfo } from "node:net";
import PostalMime from "postal-mime";
import type { Logger } from "pino";
import { SMTPServer } from "smtp-server";
import type { ReceivedMail } from "./mailbox.store.ts";

const MOST_BYTES = 1024 * 1024;
const MOST_CLIENTS = 50;
const MOST_RECIPIENTS = 20;
const SILENCE_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 1_000;
const MOST_SUBJECT_CHARACTERS = 500;

/** Mailboxes that a mail server would not take, by the part before the @. */
export const oddMailboxes = [
  { name: "refused", code: 550, message: "No such mailbox here", description: "is refused for good: nobody has this address" },
  { name: "later", code: 451, message: "Mailbox is busy, try again later", description: "is put off each time: try again later" },
] as const;

export interface MailServer {
  readonly port: number;
  close(): Promise<void>;
}

/** An SMTP server (RFC 5321) that accepts mail for every address, once the mail is stored. */
export async function startMailServer(options: {
  host: string;
  /** 0 takes a free one. */
  port: number;
  log: Logger;
  now: () => number;
  keep: (mail: Omit<ReceivedMail, "id">) => Promise<void>;
}): Promise<MailServer> {
  const server = new SMTPServer({
    banner: "Farline sandbox: nothing leaves this machine",
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    size: MOST_BYTES,
    maxClients: MOST_CLIENTS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onRcptTo(address, session, done) {
      const odd = oddMailboxes.find((one) => address.address.toLowerCase().startsWith(`${one.name}@`));
      if (odd !== undefined) return done(refusal(odd.code, odd.message));
      if (session.envelope.rcptTo.length >= MOST_RECIPIENTS) return done(refusal(452, "Too many recipients"));
      done();
    },
    onData(stream, session, done) {
      const to = session.envelope.rcptTo.map((one) => one.address);
      void answer(done, options.log, async () => {
        const raw = await receive(stream);
        if (raw === null) throw refusal(552, "The mail is too large");
        await options.keep(await readMail(raw, { to, at: options.now() }));
      });
    },
  });
  server.on("error", (error: Error) => options.log.warn({ err: error }, "a mail connection failed"));
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

/** Accepts the mail once it is stored, else reports the error; senders retry after errors that are not theirs. */
async function answer(
  done: (error?: Error | null, message?: string) => void,
  log: Logger,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Error && "responseCode" in error) return done(error);
    log.warn({ err: error }, "a mail could not be kept");
    return done(refusal(451, "Try again later"));
  }
  done(null, "Kept in the sandbox's mailbox");
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** Reads to the end, as SMTP requires, but keeps at most the limit; null when the mail is longer. */
async function receive(stream: Readable): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) chunks.push(chunk);
  }
  return bytes <= MOST_BYTES ? Buffer.concat(chunks) : null;
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
    subject: storable(mail.subject ?? "").slice(0, MOST_SUBJECT_CHARACTERS),
    messageId: (mail.messageId ?? "").replace(/^<|>$/g, ""),
    text: storable(mail.text ?? ""),
    html: storable(mail.html ?? ""),
    receivedAt: new Date(envelope.at),
  };
}

/** The one character that PostgreSQL cannot store. */
function storable(text: string): string {
  return text.replaceAll("\0", "");
}
