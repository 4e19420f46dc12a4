import type { CallContext } from "../call-context.ts";
import { maxSecondsOf } from "../record/call-price.ts";
import { readSpendingTerms } from "../record/proposed-call.ts";
import type { CallRow } from "../record/calls.tables.ts";

/** Telnyx's longest `time_limit_secs`. */
const LONGEST_SECONDS = 14_400;

/**
 * The initial limit at the provider, in seconds from the answer. If the provider cannot raise it later, it includes a margin within
 * which top-ups can extend the call. The service ends the call at its own limit, so the margin bounds the loss while the service is
 * down. Expensive numbers and new customers get no margin.
 */
export async function providerSecondsFor(ctx: CallContext, call: CallRow): Promise<number> {
  const seconds = maxSecondsOf(call);
  if (await ctx.connection.has("extend")) return seconds;
  return Math.min(seconds + (await marginSeconds(ctx, call)), LONGEST_SECONDS);
}

async function marginSeconds(ctx: CallContext, call: CallRow): Promise<number> {
  if (call.price_class !== "A") return 0;
  const { tier } = await readSpendingTerms(ctx, call);
  return tier === "unverified" || tier === "new" ? 0 : ctx.config.telnyx.marginMinutes * 60;
}
