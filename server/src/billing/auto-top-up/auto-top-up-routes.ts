import type { AutoTopUpOrder, AutoTopUpResponse, AutoTopUpState, SavedCard } from "@farline/contract/auto-top-up.ts";
import { formatDollars, type Micros, toDecimalString } from "@farline/domain/money.ts";
import {
  customerOf,
  findCustomer,
  lockSession,
  requireOpen,
  requireStepUp,
  sessionOf,
  type SessionWithCustomer,
} from "../../accounts/accounts.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { refreshCardSetups } from "../cards/converge-card-setup.ts";
import { removeCard } from "../cards/remove-card.ts";
import { startCardSetup } from "../cards/save-card.ts";
import { orderTopUp, placeOrRetryLater, topUpOrRetryLater } from "./top-up-if-needed.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import { lockPaymentsOf, type Payment } from "../record/payment.store.ts";
import { AMOUNT_BOUNDS, AUTO_TOP_UP_RULES, DEFAULT_SETTINGS, MAX_CARDS, THRESHOLD_BOUNDS } from "../cards/auto-top-up-rules.ts";
import { type AutoTopUp, newestCharge, readAutoTopUp, switchOff, switchOn } from "../cards/auto-top-up.store.ts";
import { cardsOf, findCard, type SavedCardRow } from "../cards/saved-card.store.ts";
import { accountOldEnoughAt, decideAutoTopUp } from "./decide-auto-top-up.ts";
import { readAutoFacts } from "./read-auto-facts.ts";

/**
 * Routes for saved cards and automatic top-ups.
 * @param intake while it is closed, changed credit charges no card
 */
export function autoTopUpRoutes(app: App, ctx: Context, intake: { readonly closed: boolean }): void {
  serve(app, "GET /api/billing/auto-top-up", async (request) => {
    const { id } = customerOf(request);
    await refreshCardSetups(ctx, id);
    return presentAutoTopUp(ctx, id);
  });

  serve(app, "PUT /api/billing/auto-top-up", async (request) => {
    const payer = sessionOf(request);
    // Switching off needs no proof, because stopping charges must always be easy.
    if (request.body.on) requireStepUp(request, ctx);
    await changeAutoTopUp(ctx, payer, request.body);
    ctx.live.publish(payer.id, { type: "payment", id: payer.id });
    // The credit may already be below the threshold. The response shows the charge without waiting for the bank.
    const charge = request.body.on ? await orderTopUp(ctx, payer.id) : null;
    const answer = await presentAutoTopUp(ctx, payer.id);
    if (charge !== null) void placeOrRetryLater(ctx, charge);
    return answer;
  });

  serve(app, "POST /api/billing/cards", async (request) => {
    return { checkout_url: await startCardSetup(ctx, sessionOf(request)) };
  });

  serve(app, "DELETE /api/billing/cards/:id", async (request) => {
    const { id } = customerOf(request);
    await removeCard(ctx, id, request.params.id);
    return presentAutoTopUp(ctx, id);
  });

  // A charge, a hold or a top-up changed the credit. The job catches missed hints, and those of a restore, when the books may lack a
  // payment.
  const stopListening = ctx.live.onPublished((customerId, hint) => {
    if (hint.type === "balance" && !intake.closed) void topUpOrRetryLater(ctx, customerId);
  });
  app.addHook("onClose", async () => stopListening());
}

/**
 * Switches automatic top-up on, with card, threshold and amount, or off.
 * @throws AppError validation_failed with the field; not_found for another customer's card; conflict for an expired one; account_frozen
 */
async function changeAutoTopUp(ctx: Context, payer: SessionWithCustomer, order: AutoTopUpOrder): Promise<void> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  const customerId = payer.id;
  if (!order.on) {
    await switchOff(db, { customerId, now });
    return;
  }
  requireOpen(payer);
  const thresholdMicros = checkAmount("threshold", order.threshold, THRESHOLD_BOUNDS);
  const amountMicros = checkAmount("amount", order.amount, AMOUNT_BOUNDS);
  // A smaller amount would trigger the next top-up immediately.
  if (amountMicros < thresholdMicros)
    throw new AppError("amount_invalid", {
      reason: "auto_top_up_too_low",
      params: { min: formatDollars(thresholdMicros) },
      field: "amount",
    });
  await ctx.transaction(async (tx) => {
    await lockPaymentsOf(tx, customerId);
    await lockSession(tx, payer);
    const card = await findCard(tx, customerId, order.card_id);
    if (card === undefined) throw new AppError("not_found", { reason: "card_unknown" });
    // One that its bank renewed has its new date already.
    if (hasExpired(card, now)) throw new AppError("conflict", { reason: "card_expired" });
    await switchOn(tx, { customerId, cardId: card.id, thresholdMicros, amountMicros, now });
  });
  ctx.log.info({ customer: customerId }, "automatic top-up switched on");
}

function checkAmount(
  field: "threshold" | "amount",
  micros: Micros,
  { minMicros, maxMicros }: { minMicros: Micros; maxMicros: Micros },
): Micros {
  if (micros >= minMicros && micros <= maxMicros) return micros;
  const params = { min: formatDollars(minMicros), max: formatDollars(maxMicros) };
  throw new AppError("amount_invalid", { reason: "amount_between", params, field });
}

/** Saved cards and automatic top-up, as shown on the billing page. */
async function presentAutoTopUp(ctx: Context, customerId: string): Promise<AutoTopUpResponse> {
  const { db } = ctx.handle;
  const cards = await cardsOf(db, customerId);
  const settings = await readAutoTopUp(db, customerId);
  const last = await newestCharge(db, customerId);
  const chosen = cards.find((card) => card.id === settings?.card_id) ?? cards[0];
  const { chargesPerDay, perDayMicros } = AUTO_TOP_UP_RULES;
  return {
    cards: cards.map((card) => presentCard(card, ctx.clock.now())),
    settings: {
      on: settings?.is_on ?? false,
      card_id: chosen?.id ?? null,
      threshold: toDecimalString(settings?.threshold_micros ?? DEFAULT_SETTINGS.thresholdMicros),
      amount: toDecimalString(settings?.amount_micros ?? DEFAULT_SETTINGS.amountMicros),
    },
    state: settings === undefined ? { kind: "off" } : await stateOf(ctx, settings),
    starts_at: await startsAt(ctx, customerId),
    bounds: {
      threshold: presentBounds(THRESHOLD_BOUNDS),
      amount: presentBounds(AMOUNT_BOUNDS),
      cards: MAX_CARDS,
      charges_a_day: chargesPerDay,
      dollars_a_day: toDecimalString(perDayMicros),
    },
    last: last === undefined ? null : presentCharge(last),
  };
}

/** Said before the customer turns it on. */
async function startsAt(ctx: Context, customerId: string): Promise<string | null> {
  const { limitsScale } = ctx.config;
  const customer = await findCustomer(ctx.handle.db, customerId);
  if (customer === undefined || limitsScale === 0) return null;
  const at = accountOldEnoughAt(customer.createdAt, limitsScale);
  return at > ctx.clock.now() ? at.toISOString() : null;
}

async function stateOf(ctx: Context, settings: AutoTopUp): Promise<AutoTopUpState> {
  const facts = await readAutoFacts(ctx.handle.db, ctx, settings);
  if (facts === undefined) return { kind: "off" };
  const decision = decideAutoTopUp(facts, {
    now: ctx.clock.now(),
    scale: ctx.config.limitsScale,
    limits: ctx.settings.current().topUpLimits,
  });
  if (decision.kind === "waiting") return { ...decision, until: decision.until?.toISOString() ?? null };
  if (decision.kind === "stopped") return decision;
  // A charge follows immediately, and the page then shows it.
  return { kind: decision.kind === "enough" || decision.kind === "charge" ? "ready" : decision.kind };
}

function presentBounds({ minMicros, maxMicros }: { minMicros: bigint; maxMicros: bigint }) {
  return { min: toDecimalString(minMicros), max: toDecimalString(maxMicros) };
}

function presentCard(card: SavedCardRow, now: Date): SavedCard {
  const { id, brand, last4, exp_month, exp_year } = card;
  return { id, brand, last4, exp_month, exp_year, expired: hasExpired(card, now) };
}

/** A card is valid until the end of its expiry month. */
function hasExpired({ exp_month, exp_year }: SavedCardRow, now: Date): boolean {
  return exp_year * 12 + exp_month < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
}

function presentCharge(payment: Payment): AutoTopUpResponse["last"] {
  const failed = payment.status === "failed" || payment.status === "expired";
  const status = payment.status === "paid" ? "paid" : failed ? "failed" : "charging";
  const asks = payment.failure_code === "authentication_required";
  return {
    amount: toDecimalString(payment.charge_micros),
    at: payment.created_at.toISOString(),
    status,
    reason: status !== "failed" ? null : asks ? "authentication_required" : "declined",
  };
}
