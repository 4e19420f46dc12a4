import type { ExplanationResponse } from "@farline/contract/operator/prices.ts";
import { retailPrice, ruleOfPrice, type MarkUp } from "@farline/domain/business/mark-up.ts";
import { longestCallOf, priceClassOf } from "@farline/domain/calls/call-terms.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import { riskTiers } from "@farline/domain/calls/risk-tier.ts";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import { isRefusedDestination } from "@farline/domain/numbers/destination-kind.ts";
import { riskOf } from "@farline/domain/numbers/high-risk.ts";
import { formatInternational } from "@farline/domain/numbers/number-plans.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import { keepsMargin, MIN_MARGIN_PERCENT } from "@farline/domain/rates/sale-terms.ts";
import { typicalMargin } from "@farline/domain/rates/usual-price.ts";
import type { Context } from "../context.ts";
import { findDecks, findTrunkCosts, matchDeck, toNumberError, type DeckMatch, type StoredDeck } from "../rates/rates.ts";
import { readBreakers, type Breaker } from "../risk/risk.ts";

type Explained = Extract<ReturnType<typeof normalizeNumber>, { ok: true }>;

/**
 * What a number would cost, and why: how it is understood, its price in the active deck and in the next one, what trunks take for it,
 * and what limits or stops calls to it.
 * @param order.number in any form; @param order.country the ISO code for a number without a country code, or null
 * @throws AppError number_invalid, number_ambiguous, country_required or emergency_number
 */
export async function explainNumber(
  ctx: Context,
  order: { readonly number: string; readonly country: string | null },
): Promise<ExplanationResponse> {
  const number = normalizeNumber(order.number, order.country);
  if (!number.ok) throw toNumberError(number);
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  const { current, next } = await findDecks(db, now, { trunk: null, sample: ctx.config.mode === "sandbox" });
  const decks = await Promise.all(
    [current, next].flatMap((deck) =>
      deck === null ? [] : [matchDeck(db, deck.id, number.e164).then((match) => ({ deck, match, isScheduled: deck === next }))],
    ),
  );
  const row = decks.find(({ isScheduled }) => !isScheduled)?.match.row ?? null;
  const countryCode = row?.countryCode ?? number.countryCode;
  const risk = riskOf(number.e164, countryCode);
  const trunks = await findTrunkCosts(db, number.e164, now);
  const { breakers } = await readBreakers(ctx);
  return {
    number: number.e164,
    written: formatInternational(number.e164),
    country_code: countryCode,
    country_name: englishNameOf(countryCode),
    number_type: number.type,
    risk,
    price_class: row === null ? null : priceClassOf(row.ratePerMinuteMicros, risk?.level ?? null),
    decks: decks.map((one) => presentDeck(one, number, ctx.settings.current(one.deck.effectiveAt).markUp)),
    trunks: trunks.map(({ trunk, cost }) => ({ trunk, cost: cost && presentRate(cost), text: describeTrunk(cost, row) })),
    breakers: breakers.filter((one) => appliesTo(one, { e164: number.e164, countryCode })).map(describeBreaker),
    longest_calls: riskTiers.map((tier) => ({
      tier,
      seconds: row === null ? null : longestCallOf(row, risk?.level ?? null, tier),
    })),
  };
}

function presentDeck(
  { deck, match, isScheduled }: { readonly deck: StoredDeck; readonly match: DeckMatch; readonly isScheduled: boolean },
  number: Explained,
  markUp: MarkUp,
): ExplanationResponse["decks"][number] {
  const { row, blockedBy } = match;
  return {
    id: deck.id,
    name: deck.name,
    effective_at: deck.effectiveAt.toISOString(),
    is_scheduled: isScheduled,
    row:
      row === null
        ? null
        : {
            prefix: row.prefix,
            description: row.description,
            number_type: row.numberType,
            cost: presentRate(row.cost),
            price: presentRate(row),
            mark_up: describeMarkUp(row, markUp),
            typical_margin_percent: typicalMargin(row, row.cost),
          },
    blocked_prefix: blockedBy,
    ...verdictOf(match, number),
  };
}

/** Whether calls are sold at a deck's price, and why not. */
function verdictOf({ row, blockedBy }: DeckMatch, number: Explained): { is_sold: boolean; verdict: string } {
  const no = (verdict: string) => ({ is_sold: false, verdict });
  if (blockedBy !== null)
    return no(`Not sold: +${blockedBy} is closed, begins later or belongs to another country, so no shorter prefix counts.`);
  if (row === null) return no("Not sold: the deck has no price for it.");
  if (isRefusedDestination(number, row)) return no("Never called: this kind of number, or its range, exists to charge callers.");
  if (!keepsMargin(row, row.cost)) return no(`Not sold: calls of some length would earn less than ${MIN_MARGIN_PERCENT} %.`);
  return { is_sold: true, verdict: "Sold at this price." };
}

/** How the price follows from the cost. */
function describeMarkUp(row: NonNullable<DeckMatch["row"]>, markUp: MarkUp): string {
  const cost = row.cost.ratePerMinuteMicros;
  if (retailPrice(cost, markUp) !== row.ratePerMinuteMicros) return "By the mark-up that was active when the deck was stored.";
  const rules = {
    percent: `Cost plus ${markUp.percent} %`,
    min_margin: `Cost plus at least $${rateToDecimalString(markUp.minMarginMicros)} a minute`,
    min_price: `At least $${rateToDecimalString(markUp.minPriceMicros)} a minute`,
  };
  return `${rules[ruleOfPrice(cost, markUp)]}, rounded up to a tenth of a cent.`;
}

function describeTrunk(cost: BillingRate | null, row: BillingRate | null): string {
  if (cost === null) return "Does not carry it: its price list has no price for it.";
  if (row === null) return "Has a price for it, but the number is not sold.";
  if (keepsMargin(row, cost)) return `Carries it: ${typicalMargin(row, cost)} % of a typical call's price remain.`;
  return `Does not carry it: calls of some length would earn less than ${MIN_MARGIN_PERCENT} %.`;
}

function appliesTo({ kind, subject, lifted_at: liftedAt }: Breaker, number: { e164: string; countryCode: string }): boolean {
  if (liftedAt !== null) return false;
  if (kind === "prefix") return number.e164.startsWith(`+${subject}`);
  return kind === "country" ? subject === number.countryCode : kind === "carrier_spend";
}

function describeBreaker({ kind, subject, until }: Breaker): string {
  const what = {
    carrier_spend: "The day's limit of carrier costs is reached: only trusted customers may make ordinary calls",
    spend_note: "",
    prefix: `Calls to +${subject} are paused`,
    country: `Calls to ${englishNameOf(subject)} are paused`,
  };
  return `${what[kind]} until ${until.toISOString()}.`;
}

function presentRate({ ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds }: BillingRate) {
  return {
    per_minute: rateToDecimalString(ratePerMinuteMicros),
    first_interval_s: firstIntervalSeconds,
    next_interval_s: nextIntervalSeconds,
  };
}
