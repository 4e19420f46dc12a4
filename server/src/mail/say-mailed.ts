import type { Params, Reason, MessageRef } from "@farline/texts/reason.ts";
import type { Context } from "../context.ts";
import { say, tell, type MailClaim } from "../platform/http/say.ts";
import { requireMailed, type Mailed } from "./enqueue-mail.ts";
import { waitedSince, wasRefused } from "./mail.store.ts";

/** Mails that have waited for longer than this, while none went out, are late. */
const LATE_AFTER_MS = 2 * 60_000;

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
