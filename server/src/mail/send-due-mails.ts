import { closeMail, dropOverdueMails, recordFailure, claimDueMails, type DueMail } from "./mail.store.ts";
import { mailContent } from "./mail-content.ts";
import { renderMail } from "./render-mail.ts";
import { failureCode, isRecipientRefused, isRefusedForGood, isServerUnavailable, type MailTransport } from "./mail-transport.ts";
import type { ServiceContext } from "../context.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Waits after failed attempts. With the last one repeated, a mail is retried for a day. */
const RETRY_DELAYS_SECONDS = [10, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR];
const MAX_PER_RUN = 40;
const SENT_AT_ONCE = 4;

/**
 * Sends the mails that are due, each at least once: if the process dies after the server accepted a mail and before that is
 * recorded, the mail is sent again with the same Message-ID.
 */
export async function sendDueMails(ctx: ServiceContext, transport: MailTransport, signal: AbortSignal): Promise<void> {
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
    if (isRefusedForGood(error)) {
      ctx.log.warn({ ...facts, reason }, "mail dropped: the mail server refused it");
      const state = isRecipientRefused(error) ? "refused" : "given_up";
      await closeMail(db, { id: mail.id, state, now: ctx.clock.now(), error: reason });
      return "done";
    }
    ctx.log.warn({ ...facts, reason }, "mail could not be sent and will be retried");
    await recordFailure(db, mail.id, reason);
    return isServerUnavailable(error) ? "server down" : "done";
  }
  await closeMail(db, { id: mail.id, state: "sent", now: ctx.clock.now(), error: null });
  ctx.log.info(facts, "mail sent");
  return "done";
}
