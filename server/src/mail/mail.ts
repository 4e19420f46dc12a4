import { DAY_MS } from "@farline/domain/durations.ts";
import type { Params, Reason, MessageRef } from "@farline/texts/reason.ts";
import { deleteInBatches } from "../platform/database/in-batches.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { deleteOldMails, oldestWaitingMail, waitedSince, wasRefused } from "./mail.store.ts";
import { smtpTransport } from "./mail-transport.ts";
import { sendDueMails } from "./send-due-mails.ts";
import type { ServiceContext, Context } from "../context.ts";
import type { Metric } from "../platform/metric.ts";
import { say, tell, type MailClaim } from "../platform/http/say.ts";
import { requireMailed, type Mailed } from "./enqueue-mail.ts";

export {
  askerOf,
  enqueueMail,
  requireMailed,
  RESETS_PER_DAY,
  type Asker,
  type Mailed,
  type OutgoingMail,
} from "./enqueue-mail.ts";
export { linkUses, type LinkUse, type NoticeEvent, type RemovedAccess } from "./mail-content.ts";

/** Mails that have waited for longer than this, while none went out, are late. */
const LATE_AFTER_MS = 2 * 60_000;
/** Sign-in codes and receipts are wanted at once. */
const LATE_SECONDS = 15 * 60;
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

/** Metrics of the outbox for monitoring. */
export function mailMetrics({ handle, clock }: Context): Metric[] {
  return [
    {
      name: "farline_mail_waiting_seconds",
      help: "Age of the oldest mail that has not been sent",
      read: async () => {
        const since = await oldestWaitingMail(handle.db);
        return since === null ? 0 : Math.max(0, Math.floor((clock.now().getTime() - since.getTime()) / 1_000));
      },
      runbook: "mails-waiting",
      warning: (seconds) =>
        seconds < LATE_SECONDS ? null : `Mails have waited for ${Math.floor(seconds / 60)} minutes. Check SMTP_URL and the log.`,
    },
  ];
}

type Sayer = Pick<Context, "handle" | "clock">;
type SentMessage = Promise<MessageRef & { readonly message: string }>;

/**
 * Says that a mail was sent, if that is so: a mailbox that refused the last one, and a mail server that takes none at present, are
 * mentioned instead.
 * @param mailed of all the mails that the text claims
 * @throws AppError rate_limited if one was dropped
 */
export async function sayMailed(
  ctx: Sayer,
  mailed: readonly Mailed[],
  claim: { readonly reason: MailClaim; readonly params?: Params },
): SentMessage {
  for (const one of mailed) {
    const { to } = requireMailed(one);
    if (await wasRefused(ctx.handle.db, to)) return say("mail_refused_before", { email: to });
    if (await areMailsLate(ctx)) return say("mail_late", { email: to });
  }
  return tell(claim);
}

/** Says what is true whether or not a mail goes, because the answer must not tell if somebody has an account. */
export async function sayMaybeMailed(ctx: Sayer, reason: Exclude<Reason, MailClaim>, params: Params): SentMessage {
  return (await areMailsLate(ctx)) ? say("mails_late") : say(reason, params);
}

function areMailsLate({ handle, clock }: Sayer): Promise<boolean> {
  return waitedSince(handle.db, new Date(clock.now().getTime() - LATE_AFTER_MS));
}
