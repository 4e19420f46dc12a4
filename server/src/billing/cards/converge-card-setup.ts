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
import { keepCard } from "./keep-card.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 50;
const LOOK_AGAIN_MS = 10 * 60 * 1000;
/** The provider has closed its page by then, even if clocks differ. */
const AFTER_EXPIRY_MS = 5 * 60 * 1000;
const LOOK_AT_MOST = 3;
/** The provider is asked about one visit at most once in this time. */
const LOOK_PAUSE_MS = 2_000;

/**
 * Converges a visit to the provider's page to the provider's state: the card saved once, or an end without
 * one. Called by the webhook, the billing page and a job, any number of times and in parallel.
 * @param sessionId if the visit does not know its own yet
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
  const asked = attempt === null || typeof attempt === "string" ? null : attempt.payment_method_details.card?.three_d_secure;
  return { method, authenticated: asked?.result === "authenticated" };
}

/** Handles the event of a card-setup session. */
export async function convergeSetupSession(ctx: Context, session: Stripe.Checkout.Session): Promise<void> {
  const setupId = session.metadata?.["card_setup_id"] ?? "";
  const setup = isUuid(setupId) ? await readCardSetup(ctx.handle.db, setupId) : undefined;
  if (setup === undefined) return ctx.log.info({ session_id: session.id }, "event for an unknown card setup");
  await convergeCardSetup(ctx, setup, session.id);
}

/** A quick check of a card that is being saved. A failure only means that it shows later. */
export async function refreshCardSetups(ctx: Context, customerId: string): Promise<void> {
  const wanted = { customerId, now: ctx.clock.now(), pauseMs: LOOK_PAUSE_MS, limit: LOOK_AT_MOST };
  for (const setup of await claimSetupsOf(ctx.handle.db, wanted)) await convergeOrLater(ctx, setup);
}

/** Checks every due visit, so that a lost event does no harm. */
export async function pollCardSetups(ctx: Context, signal: AbortSignal): Promise<void> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  const due = await claimDueSetups(db, { now, again: new Date(now.getTime() + LOOK_AGAIN_MS), limit: MAX_PER_RUN });
  for (const setup of due) {
    if (signal.aborted) return;
    await convergeOrLater(ctx, setup);
    // Its page cannot save anything any more; if it did, an event says so.
    const isOver = now.getTime() >= setup.expires_at.getTime() + AFTER_EXPIRY_MS;
    const left = isOver ? await readCardSetup(db, setup.id) : undefined;
    if (left?.status === "created") await finishCardSetup(db, setup.id, { status: "expired", sessionId: null, cardId: null });
  }
}

async function convergeOrLater(ctx: Context, setup: CardSetup): Promise<void> {
  await convergeCardSetup(ctx, setup).catch((error: unknown) =>
    ctx.log.warn({ err: error, card_setup_id: setup.id }, "card setup not checked"),
  );
}
