import { HOUR_MS } from "@farline/domain/durations.ts";
import { passwordResetAt } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { NewPayment } from "../record/payment.store.ts";
import { AUTO_TOP_UP_RULES, MAX_CARDS } from "./auto-top-up-rules.ts";
import { cardsOf, findCard } from "./saved-card.store.ts";
import type { Context } from "../../context.ts";

/**
 * Resolves the card that a payment uses. Requires the customer's lock. After a password reset, saved cards are refused for some hours,
 * so that someone who took over the mailbox cannot charge them immediately.
 * @throws AppError not_found for another customer's card; conflict above the card limit; rate_limited
 */
export async function chooseCard(
  tx: Tx,
  ctx: Context,
  { customerId, card }: { customerId: string; card: "keep" | { readonly id: string } | null },
): Promise<Pick<NewPayment, "saved_card_id" | "keeps_card">> {
  if (card === null) return {};
  if (card === "keep") {
    if ((await cardsOf(tx, customerId)).length >= MAX_CARDS) throw tooManyCards();
    return { keeps_card: true };
  }
  if ((await findCard(tx, customerId, card.id)) === undefined) throw new AppError("not_found", { reason: "card_unknown" });
  const seconds = await secondsToWait(tx, ctx, customerId);
  if (seconds > 0) throw new AppError("rate_limited", { reason: "card_after_reset", retryAfterSeconds: seconds });
  return { saved_card_id: card.id };
}

export function tooManyCards(): AppError {
  return new AppError("conflict", { reason: "cards_full", params: { max: MAX_CARDS } });
}

async function secondsToWait(tx: Tx, { clock, config }: Context, customerId: string): Promise<number> {
  const resetAt = config.limitsScale === 0 ? null : await passwordResetAt(tx, customerId);
  if (resetAt === null) return 0;
  const calmAt = resetAt.getTime() + (AUTO_TOP_UP_RULES.hoursAfterPasswordReset * HOUR_MS) / config.limitsScale;
  return Math.ceil((calmAt - clock.now().getTime()) / 1000);
}
