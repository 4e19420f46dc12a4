import type { FastifyInstance } from "fastify";
import type { Pool } from "pg";
import type { Logger } from "pino";
import { startMailServer, type MailServer } from "./mail-server.ts";
import { createMailboxSchema, storeMail } from "./mailbox.store.ts";
import { mailboxPages } from "./mailbox-pages.ts";

/** Starts the mail server and the pages that show its mails. Mails survive a restart; only the newest are kept. */
export async function startMailbox(
  app: FastifyInstance,
  options: { pool: Pool; log: Logger; now: () => number; host: string; port: number; appUrl: string | null },
): Promise<MailServer> {
  const { pool, appUrl } = options;
  await createMailboxSchema(pool);
  mailboxPages(app, { pool, appUrl });
  return startMailServer({ ...options, keep: (mail) => storeMail(pool, mail) });
}
