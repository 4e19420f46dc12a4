import type { AutoTopUpResponse, AutoTopUpState, SavedCard } from "@farline/contract/auto-top-up.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Payment } from "../record/payment.store.ts";
import { AMOUNT_BOUNDS, AUTO_TOP_UP_RULES, DEFAULT_SETTINGS, MAX_CARDS, THRESHOLD_BOUNDS } from "../cards/auto-top-up-rules.ts";
import { newestCharge, readAutoTopUp, type AutoTopUp } from "../cards/auto-top-up.store.ts";
import { decideAutoTopUp } from "./decide-auto-top-up.ts";
import { readAutoFacts } from "./read-auto-facts.ts";
import { cardsOf, type SavedCardRow } from "../cards/saved-card.store.ts";
import type { Context } from "../../context.ts";

/** Saved cards and automatic top-up, as shown on the billing page. */
export async function presentAutoTopUp(ctx: Context, customerId: string): Promise<AutoTopUpResponse> {
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

/** A card is valid until the end of its expiry month. */
function presentCard(card: SavedCardRow, now: Date): SavedCard {
  const { id, brand, last4, exp_month, exp_year } = card;
  const expired = exp_year * 12 + exp_month < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
  return { id, brand, last4, exp_month, exp_year, expired };
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
