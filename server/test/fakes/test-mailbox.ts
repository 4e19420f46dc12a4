import { emailKey } from "@farline/domain/email-address.ts";
import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

export interface TestMail extends Email {
  /** The recipient in the envelope. */
  readonly recipient: string;
  /** As it came, in ASCII. */
  readonly raw: string;
}

interface Refusal {
  readonly at: "recipient" | "text";
  readonly code: number;
  /** May begin with an enhanced status code (RFC 3463). */
  readonly text?: string;
}

/** A real SMTP server for tests that keeps all mails. */
export interface TestMailbox {
  readonly url: string;
  /** In the order of arrival. */
  readonly mails: readonly TestMail[];
  /** Mails to one address. */
  to(address: string): TestMail[];
  /** Refuses further mails with an error, after the recipient or after the text. Null accepts mails again. */
  refuse(how: Refusal | null): void;
  close(): Promise<void>;
}

export async function startTestMailbox(port = 0): Promise<TestMailbox> {
  const mails: TestMail[] = [];
  let refusal: Refusal | null = null;
  const error = ({ code, text = "refused by the test" }: Refusal) => Object.assign(new Error(text), { responseCode: code });
  const keep = async (raw: Buffer, recipients: readonly { address: string }[], done: () => void) => {
    const mail = await PostalMime.parse(raw);
    for (const { address } of recipients) mails.push({ ...mail, recipient: address, raw: raw.toString("latin1") });
    done();
  };
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    // It would put its own before those of refusals.
    hideENHANCEDSTATUSCODES: true,
    onRcptTo: (_address, _session, done) => done(refusal?.at === "recipient" ? error(refusal) : null),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (refusal?.at === "text") return done(error(refusal));
        void keep(Buffer.concat(chunks), session.envelope.rcptTo, done);
      });
    },
  });
  await new Promise<void>((settle) => server.listen(port, "127.0.0.1", settle));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    to: (address) => mails.filter((mail) => emailKey(mail.recipient) === emailKey(address)),
    refuse: (how) => {
      refusal = how;
    },
    close: () => new Promise((settle) => server.close(settle)),
  };
}

/** The token in a mail's link, which must be the same in both parts. */
export function tokenIn(mail: TestMail | undefined): string {
  const link = linkIn(mail);
  const token = /#t=([\w-]+)$/.exec(link)?.[1];
  if (token === undefined) throw new Error(`no token in ${link}`);
  return token;
}

/** The address of a mail's button, the same in both parts. */
export function linkIn(mail: TestMail | undefined): string {
  const inText = /https?:\/\/\S+/.exec(mail?.text ?? "")?.[0];
  const inHtml = /href="([^"]+)"/.exec(mail?.html ?? "")?.[1]?.replaceAll("&amp;", "&");
  if (inText === undefined || inText !== inHtml) throw new Error(`the links differ: ${inText} and ${inHtml}`);
  return inText;
}
