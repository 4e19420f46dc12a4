import { DAY_MS } from "@farline/domain/durations.ts";
import { deleteInBatches } from "../platform/database/in-batches.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { deleteOldMails } from "./mail.store.ts";
import { smtpTransport } from "./mail-transport.ts";
import { sendDueMails } from "./send-due-mails.ts";
import type { ServiceContext } from "../context.ts";

export { mailMetrics } from "./mail-metrics.ts";
export {
  askerOf,
  enqueueMail,
  requireMailed,
  RESETS_PER_DAY,
  type Asker,
  type Mailed,
  type OutgoingMail,
} from "./enqueue-mail.ts";
export { sayMailed, sayMaybeMailed } from "./say-mailed.ts";
export { linkUses, type LinkUse, type NoticeEvent, type RemovedAccess } from "./mail-content.ts";

const SEND_EVERY_MS = 1_000;
const CLEAN_EVERY_MS = 60 * 60 * 1000;
const KEEP_MS = 30 * DAY_MS;

/** Sends the outbox and deletes old sent mails. */
export function mailJobs(ctx: ServiceContext): Job[] {
  const { handle, clock, log, config } = ctx;
  const clean: Job = {
    name: "remove-old-mails",
    everyMs: CLEAN_EVERY_MS,
    run: (signal) => {
      const doneBefore = new Date(clock.now().getTime() - KEEP_MS);
      return deleteInBatches(signal, (limit) => deleteOldMails(handle.db, { doneBefore, limit }));
    },
  };
  const { smtpUrl, from } = config.mail;
  if (smtpUrl === null) {
    log.warn("SMTP_URL is not set: mails stay queued until the service is restarted with one");
    return [clean];
  }
  const transport = smtpTransport(smtpUrl, from);
  return [{ name: "send-mails", everyMs: SEND_EVERY_MS, run: (signal) => sendDueMails(ctx, transport, signal) }, clean];
}
