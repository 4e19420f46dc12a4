import type { CallContext } from "../call-context.ts";
import { maxSecondsOf } from "../record/call-price.ts";
import { readSpendingTerms } from "../record/wanted-call.ts";
import type { CallRow } from "../record/calls.tables.ts";

/** Telnyx's longest `time_limit_secs`. */
const LONGEST_SECONDS = 14_400;

/**
 * The limit that the provider is told at the start, in seconds from the answer. A provider that cannot raise it later gets a margin, within
 * which a top-up extends the call. The service ends the call at its own limit, so the margin is also the most that can be lost while
 * the service is down: there is none for expensive numbers and new customers.
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
