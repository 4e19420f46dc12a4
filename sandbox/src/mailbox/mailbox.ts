import type { FastifyInstance } from "fastify";
import type { Pool } from "pg";
import type { Logger } from "pino";
import { createTables } from "../database.ts";
import { startMailServer, type MailServer } from "./mail-server.ts";
import { MAILBOX_TABLES, storeMail } from "./mailbox.store.ts";
import { mailboxPages } from "./mailbox-pages.ts";

/** Starts the mail server and its pages. Mails survive a restart; only the newest are kept. */
export async function startMailbox(
  app: FastifyInstance,
  options: { pool: Pool; log: Logger; now: () => number; host: string; port: number; appUrl: string | null },
): Promise<MailServer> {
  const { pool, appUrl } = options;
  await createTables(pool, MAILBOX_TABLES);
  mailboxPages(app, { pool, appUrl });
  return startMailServer({ ...options, store: (mail) => storeMail(pool, mail) });
}
