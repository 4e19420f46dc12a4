import type { Params, Told } from "@farline/texts/reason.ts";
import type { Context } from "../context.ts";
import { say, tell, type MailClaim } from "../platform/http/say.ts";
import { requireMailed, type Mailed } from "./enqueue-mail.ts";
import { readDelivery } from "./mail.store.ts";

/** Mails that have waited for longer than this, while none went out, are late. */
const LATE_AFTER_MS = 2 * 60_000;

/**
 * Says that a mail was sent, if that is so: a mailbox that refused the last one, and a mail server that takes none at present, are
 * mentioned instead.
 * @param mailed of all the mails that the text claims
 * @throws AppError rate_limited if one was dropped
 */
export async function sayMailed(
  { handle, clock }: Pick<Context, "handle" | "clock">,
  mailed: readonly Mailed[],
  claim: { readonly reason: MailClaim; readonly params?: Params },
): Promise<Told & { readonly message: string }> {
  const now = clock.now();
  for (const one of mailed) {
    const { to } = requireMailed(one);
    const { refused, late } = await readDelivery(handle.db, { to, now, lateSince: new Date(now.getTime() - LATE_AFTER_MS) });
    if (refused) return say("mail_refused_before", { email: to });
    if (late) return say("mail_late", { email: to });
  }
  return tell(claim);
}
