import { DAY_MS } from "@farline/domain/durations.ts";
import type { MessageRef, Params, Reason } from "@farline/texts/reason.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import {
  claimDueMails,
  closeMail,
  deleteOldMails,
  dropOverdueMails,
  type DueMail,
  oldestWaitingMail,
  recordFailure,
  waitedSince,
  wasRefused,
} from "./mail.store.ts";
import {
  failureCode,
  isRecipientRefused,
  isServerUnavailable,
  type MailTransport,
  smtpTransport,
  testMailServer,
} from "./mail-transport.ts";
import type { Context, ServiceContext } from "../context.ts";
import type { Metric } from "../platform/metric.ts";
import { type MailClaim, say, tell } from "../platform/http/say.ts";
import { type Mailed, requireMailed } from "./enqueue-mail.ts";
import { mailContent } from "./mail-content.ts";
import { renderMail } from "./render-mail.ts";

const MINUTE = 60;

const HOUR = 60 * MINUTE;

/** Waits after failed attempts. With the last one repeated, a mail is retried for a day. */
const RETRY_DELAYS_SECONDS = [10, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR];

const MAX_PER_RUN = 40;

const SENT_AT_ONCE = 4;

export { askerOf, enqueueMail, requireMailed, RESETS_PER_DAY, type Asker, type Mailed } from "./enqueue-mail.ts";

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
    run: (signal) => deleteOldMails(handle.db, new Date(clock.now().getTime() - KEEP_MS), signal),
  };
  const { smtpUrl, from } = config.mail;
  if (smtpUrl === null) {
    log.warn("SMTP_URL is not set: mails stay queued until the service is restarted with one");
    return [clean];
  }
  const transport = smtpTransport(smtpUrl, { from, replyTo: config.supportEmail });
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
      level: "ticket",
      warning: (seconds) =>
        seconds < LATE_SECONDS ? null : `Mails have waited for ${Math.floor(seconds / 60)} minutes. Check SMTP_URL and the log.`,
    },
  ];
}

/** Signs in to the mail server while nobody sends, and records whether that worked. @throws Error from the server or the network */
export async function probeMailServer({ uses }: Pick<Context, "uses">, smtpUrl: string): Promise<void> {
  try {
    await testMailServer(smtpUrl);
    uses.record("mails", null, true);
  } catch (error) {
    uses.record("mails", `It answers ${failureCode(error)}.`, true);
    throw error;
  }
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

/**
 * Sends the mails that are due, each at least once: if the process dies after the server accepted a mail and before that is
 * recorded, the mail is sent again with the same Message-ID.
 */
async function sendDueMails(ctx: ServiceContext, transport: MailTransport, signal: AbortSignal): Promise<void> {
  const { db } = ctx.handle;
  const overdue = await dropOverdueMails(db, ctx.clock.now());
  if (overdue > 0) ctx.log.error({ mails: overdue }, "mails dropped: they could not be sent in time");
  for (let taken = 0; taken < MAX_PER_RUN && !signal.aborted; taken += SENT_AT_ONCE) {
    const mails = await claimDueMails(db, {
      now: ctx.clock.now(),
      limit: SENT_AT_ONCE,
      delaysSeconds: RETRY_DELAYS_SECONDS,
    });
    const ends = await Promise.all(mails.map((mail) => send(ctx, transport, mail)));
    // When the server is down, don't try the remaining mails one by one.
    if (mails.length < SENT_AT_ONCE || ends.includes("server down")) return;
  }
}

async function send(ctx: ServiceContext, transport: MailTransport, mail: DueMail): Promise<"done" | "server down"> {
  const { db } = ctx.handle;
  const facts = { mail: mail.id, template: mail.template, attempt: mail.attempts };
  const content = mailContent.safeParse({ template: mail.template, data: mail.data });
  if (!content.success) {
    ctx.log.error(facts, "mail dropped: unknown template or data");
    await closeMail(db, { id: mail.id, state: "given_up", now: ctx.clock.now(), error: "unknown content" });
    return "done";
  }
  try {
    await transport.send({
      id: mail.id,
      to: mail.recipient,
      language: mail.language,
      date: mail.created_at,
      ...renderMail(content.data, mail.language, ctx.config),
    });
  } catch (error) {
    const reason = failureCode(error);
    const isRefused = isRecipientRefused(error);
    // An address that does not exist is not the mail server's failure.
    ctx.uses.record("mails", isRefused ? null : `It answers ${reason}.`);
    if (isRefused) {
      ctx.log.warn({ ...facts, reason }, "mail dropped: there is no such mailbox");
      await closeMail(db, { id: mail.id, state: "refused", now: ctx.clock.now(), error: reason });
      return "done";
    }
    ctx.log.warn({ ...facts, reason }, "mail could not be sent and will be retried");
    await recordFailure(db, mail.id, reason);
    return isServerUnavailable(error) ? "server down" : "done";
  }
  ctx.uses.record("mails", null);
  await closeMail(db, { id: mail.id, state: "sent", now: ctx.clock.now(), error: null });
  ctx.log.info(facts, "mail sent");
  return "done";
}
