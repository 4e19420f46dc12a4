import { isUuid } from "@farline/domain/uuid.ts";
import type Stripe from "stripe";
import { lockPaymentsOf } from "../record/payment.store.ts";
import {
  claimDueSetups,
  claimSetupsOf,
  finishCardSetup,
  lockCardSetup,
  readCardSetup,
  type CardSetup,
} from "./card-setup.store.ts";
import { isMissing } from "../record/provider-refusals.ts";
import { keepCard } from "./keep-card.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 50;
const RECHECK_MS = 10 * 60 * 1000;
/** By then the provider has closed its page, even with clock skew. */
const AFTER_EXPIRY_MS = 5 * 60 * 1000;
const MAX_CHECKS = 3;
/** Minimum time between two checks of a setup at the provider. */
const CHECK_PAUSE_MS = 2_000;

/**
 * Converges a card setup to the provider's state: saves the card once, or ends without one. Called by the webhook, the billing page
 * and a job, any number of times and concurrently.
 * @param sessionId for a setup whose session is not stored yet
 * @throws errors of the provider or the database
 */
async function convergeCardSetup(ctx: Context, setup: CardSetup, sessionId = setup.session_id): Promise<void> {
  if (sessionId === null || setup.status === "saved" || setup.status === "expired") return;
  const session = await ctx.stripe.checkout.sessions.retrieve(sessionId, {
    expand: ["setup_intent.payment_method", "setup_intent.latest_attempt"],
  });
  if (session.metadata?.["card_setup_id"] !== setup.id) return;
  const saved = savedMethod(session);
  if (saved === null && session.status !== "expired") return;
  await ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, setup.customer_id);
    const now = await lockCardSetup(tx, setup.id);
    if (now.status === "saved" || now.status === "expired") return;
    const cardId = saved === null ? null : await keepCard(tx, ctx, { customerId: setup.customer_id, ...saved });
    await finishCardSetup(tx, setup.id, { status: saved === null ? "expired" : "saved", sessionId: session.id, cardId });
  });
  ctx.live.publish(setup.customer_id, { type: "payment", id: setup.id });
}

interface Saved {
  readonly method: Stripe.PaymentMethod;
  readonly authenticated: boolean;
}

function savedMethod({ setup_intent: intent }: Stripe.Checkout.Session): Saved | null {
  if (intent === null || typeof intent === "string" || intent.status !== "succeeded") return null;
  const { payment_method: method, latest_attempt: attempt } = intent;
  if (method === null || typeof method === "string") return null;
  const threeDSecure =
    attempt === null || typeof attempt === "string" ? null : attempt.payment_method_details.card?.three_d_secure;
  return { method, authenticated: threeDSecure?.result === "authenticated" };
}

/** Handles the event of a card-setup session. */
export async function convergeSetupSession(ctx: Context, session: Stripe.Checkout.Session): Promise<void> {
  const setupId = session.metadata?.["card_setup_id"] ?? "";
  const setup = isUuid(setupId) ? await readCardSetup(ctx.handle.db, setupId) : undefined;
  if (setup === undefined) return ctx.log.info({ session_id: session.id }, "event for an unknown card setup");
  await convergeCardSetup(ctx, setup, session.id);
}

/** Checks the customer's open setups for the billing page. After a failure, the card appears later. */
export async function refreshCardSetups(ctx: Context, customerId: string): Promise<void> {
  const claim = { customerId, now: ctx.clock.now(), pauseMs: CHECK_PAUSE_MS, limit: MAX_CHECKS };
  for (const setup of await claimSetupsOf(ctx.handle.db, claim)) await convergeOrRetryLater(ctx, setup);
}

/** Job: checks every due setup, in case events were lost. */
export async function pollCardSetups(ctx: Context, signal: AbortSignal): Promise<void> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  const due = await claimDueSetups(db, { now, again: new Date(now.getTime() + RECHECK_MS), limit: MAX_PER_RUN });
  for (const setup of due) {
    if (signal.aborted) return;
    const isUnknown = await convergeOrRetryLater(ctx, setup);
    // Its page can no longer save a card. If it already has, an event follows.
    const isOver = now.getTime() >= setup.expires_at.getTime() + AFTER_EXPIRY_MS;
    const left = isOver ? await readCardSetup(db, setup.id) : undefined;
    if (left?.status === "created" || (left?.status === "open" && isUnknown))
      await finishCardSetup(db, setup.id, { status: "expired", sessionId: left.session_id, cardId: null });
  }
}

/** @returns whether the provider does not know the setup's page */
async function convergeOrRetryLater(ctx: Context, setup: CardSetup): Promise<boolean> {
  try {
    await convergeCardSetup(ctx, setup);
    return false;
  } catch (error) {
    ctx.log.warn({ err: error, card_setup_id: setup.id }, "card setup not checked");
    return isMissing(error);
  }
}
