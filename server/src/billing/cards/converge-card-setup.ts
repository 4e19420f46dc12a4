import { isUuid } from "@farline/domain/uuid.ts";
import type Stripe from "stripe";
import type { OperatorDependencies } from "../billing-dependencies.ts";
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
async function convergeCardSetup(deps: OperatorDependencies, setup: CardSetup, sessionId = setup.session_id): Promise<void> {
  if (sessionId === null || setup.status === "saved" || setup.status === "expired") return;
  const session = await deps.stripe.checkout.sessions.retrieve(sessionId, {
    expand: ["setup_intent.payment_method", "setup_intent.latest_attempt"],
  });
  if (session.metadata?.["card_setup_id"] !== setup.id) return;
  const saved = savedMethod(session);
  if (saved === null && session.status !== "expired") return;
  const { db } = deps.handle;
  await db.transaction().execute(async (tx) => {
    await lockPaymentsOf(tx, setup.customer_id);
    const now = await lockCardSetup(tx, setup.id);
    if (now.status === "saved" || now.status === "expired") return;
    const cardId = saved === null ? null : await keepCard(tx, deps, { customerId: setup.customer_id, ...saved });
    await finishCardSetup(tx, setup.id, { status: saved === null ? "expired" : "saved", sessionId: session.id, cardId });
  });
  deps.live.publish(setup.customer_id, { type: "payment", id: setup.id });
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
export async function convergeSetupSession(deps: OperatorDependencies, session: Stripe.Checkout.Session): Promise<void> {
  const setupId = session.metadata?.["card_setup_id"] ?? "";
  const setup = isUuid(setupId) ? await readCardSetup(deps.handle.db, setupId) : undefined;
  if (setup === undefined) return deps.log.info({ session_id: session.id }, "event for an unknown card setup");
  await convergeCardSetup(deps, setup, session.id);
}

/** A quick check of a card that is being saved. A failure only means that it shows later. */
export async function refreshCardSetups(deps: OperatorDependencies, customerId: string): Promise<void> {
  const wanted = { customerId, now: deps.clock.now(), pauseMs: LOOK_PAUSE_MS, limit: LOOK_AT_MOST };
  for (const setup of await claimSetupsOf(deps.handle.db, wanted)) await convergeOrLater(deps, setup);
}

/** Checks every due visit, so that a lost event does no harm. */
export async function pollCardSetups(deps: OperatorDependencies, signal: AbortSignal): Promise<void> {
  const now = deps.clock.now();
  const { db } = deps.handle;
  const due = await claimDueSetups(db, { now, again: new Date(now.getTime() + LOOK_AGAIN_MS), limit: MAX_PER_RUN });
  for (const setup of due) {
    if (signal.aborted) return;
    await convergeOrLater(deps, setup);
    // Its page cannot save anything any more; if it did, an event says so.
    const isOver = now.getTime() >= setup.expires_at.getTime() + AFTER_EXPIRY_MS;
    const left = isOver ? await readCardSetup(db, setup.id) : undefined;
    if (left?.status === "created") await finishCardSetup(db, setup.id, { status: "expired", sessionId: null, cardId: null });
  }
}

async function convergeOrLater(deps: OperatorDependencies, setup: CardSetup): Promise<void> {
  await convergeCardSetup(deps, setup).catch((error: unknown) =>
    deps.log.warn({ err: error, card_setup_id: setup.id }, "card setup not checked"),
  );
}
