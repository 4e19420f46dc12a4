import type { CallerCheckRequest, CallerIdResponse } from "@farline/contract/caller-id.ts";
import { tierOf, type RiskTier } from "@farline/domain/calls/risk-tier.ts";
import { CLASS_A_UP_TO_MICROS } from "@farline/domain/calls/call-terms.ts";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { mayBeCallerId, isFictionalNumber } from "@farline/domain/numbers/caller-id.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import { uuidv7 } from "uuidv7";
import { requireOpen, type Customer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import { sharedNetworkLimit } from "../../platform/http/network-limit.ts";
import { sharedRateLimit, tooOften } from "../../platform/http/rate-limit.ts";
import { toNumberError } from "../../rates/rates.ts";
import { addCodeCallCost, readCallRisk, readPaymentFacts } from "../../risk/risk.ts";
import type { CallContext } from "../call-context.ts";
import type { CallNumberResult } from "../provider/number-commands.ts";
import { CODE_CALL_SECONDS, CODE_LIFE_MS, MAX_CALLER_NUMBERS } from "./caller-id-limits.ts";
import { hasOpenCheck, isBlockedNumber, isOfAnother, listCallerNumbers, startCheck } from "./caller-number.store.ts";
import { readCallerId } from "./read-caller-id.ts";

/** How long the provider may be busy with the number's previous code call. */
const BUSY_SECONDS = 60;

/** @param address the client's IP address */
type CallWithCode = (customer: Customer, request: CallerCheckRequest, address: string) => Promise<CallerIdResponse>;

/**
 * Creates the function that calls a number and reads out a code, which proves that the customer can answer it. It throws
 * AppError account_frozen, number_invalid, number_ambiguous, country_required, emergency_number, caller_number_refused, caller_number_blocked,
 * caller_number_known, too_many_caller_numbers, caller_number_not_open, caller_numbers_off, rate_limited or voice_provider_down, and
 * then makes no call. A number of another account is called like any other: only someone who hears the code learns that it
 * is taken (`confirm-code.ts`).
 */
export function createCallWithCode(ctx: CallContext): CallWithCode {
  const limits = createLimits(ctx);
  return async (customer, request, address) => {
    requireOpen(customer, "calls_while_frozen");
    const number = parseCallableNumber(ctx, customer, request);
    const tier = await requireOpenDestination(ctx, customer, number);
    await requireNewNumber(ctx, customer, number);
    await limits.account.take(customer.id);
    if (await isBlockedNumber(ctx.handle.db, number)) throw new AppError("caller_number_blocked");
    const limitKeys = [
      [limits.accountAndNumber, `${customer.id} ${number}`],
      [limits.number, number],
      [limits.accountAndNumberInWeek, `${customer.id} ${number}`],
      [limits.numberInWeek, number],
      ...(tier === "trusted" ? [] : ([[limits.network, address]] as const)),
      ...(tier === "new" ? ([[limits.newcomers, "all"]] as const) : []),
      [limits.all, "all"],
    ] as const;
    for (const [limit, key] of limitKeys) await limit.take(key);
    const result = await callNumber(ctx, customer, number);
    if (result === "calling") return readCallerId(ctx, customer);
    // If the provider did not respond, the number may still be ringing, so the attempt counts.
    if (result !== "unreachable") {
      await limits.account.giveBack(customer.id);
      for (const [limit, key] of limitKeys) await limit.giveBack(key);
    }
    throw refusalOf(result);
  };
}

function createLimits(ctx: CallContext) {
  return {
    account: sharedRateLimit(ctx, "code-call-account"),
    accountAndNumber: sharedRateLimit(ctx, "code-call-account-number"),
    number: sharedRateLimit(ctx, "code-call-number"),
    accountAndNumberInWeek: sharedRateLimit(ctx, "code-call-account-number-week"),
    numberInWeek: sharedRateLimit(ctx, "code-call-number-week"),
    network: sharedNetworkLimit(ctx, "code-call-network"),
    newcomers: sharedRateLimit(ctx, "code-call-newcomers"),
    all: sharedRateLimit(ctx, "code-call-all"),
  };
}

/** Calls the number and starts the check. The customer's earlier code stays valid until the provider accepts this call. */
async function callNumber(ctx: CallContext, customer: Customer, number: string): Promise<CallNumberResult> {
  const { db } = ctx.handle;
  const at = ctx.clock.now();
  const result = await placeCall(ctx, customer, number);
  const expiresAt = new Date(at.getTime() + CODE_LIFE_MS);
  // Counted even if nobody answers, because the carrier's charge is not known yet.
  if (result === "calling" || result === "unreachable") await addCodeCallCost(db, at, maxCostOf(ctx, number));
  if (result === "calling") await startCheck(db, { id: uuidv7(), customerId: customer.id, number, at, expiresAt });
  return result;
}

/**
 * Places the call. The provider may refuse numbers already on its list. A number that no account here has is removed from the list
 * and called again; for a number of another account, the result is the same as for one that rings.
 */
async function placeCall(ctx: CallContext, customer: Customer, number: string): Promise<CallNumberResult> {
  const { db } = ctx.handle;
  const result = await ctx.numbers.callWithCode(number, customer.language);
  if (result !== "refused") return result;
  if (await isOfAnother(db, number, customer.id)) return "calling";
  // Numbers with an open check are not on the list yet, and removing them would invalidate the code.
  if (await hasOpenCheck(db, number, ctx.clock.now())) return result;
  return (await ctx.numbers.forget(number)) ? ctx.numbers.callWithCode(number, customer.language) : "unreachable";
}

/** Upper bound of a code call's cost in micro-dollars: its list price. */
function maxCostOf(ctx: CallContext, number: string): bigint {
  const quote = ctx.rates.quote(number, "visitor");
  return quote === null ? 0n : chargeFor(CODE_CALL_SECONDS, quote);
}

/** Normalises the number. Refuses numbers that cannot be called, and kinds that are not personal phones. */
function parseCallableNumber(ctx: CallContext, customer: Customer, request: CallerCheckRequest): string {
  const number = normalizeNumber(request.phone_number, request.country_code ?? null);
  if (!number.ok) throw toNumberError(number, { number: "phone_number", country: "country_code" });
  const { e164 } = number;
  const quote = ctx.rates.quote(e164, customer);
  const isFiction = ctx.config.mode === "live" && isFictionalNumber(e164);
  if (quote === null || !quote.hasMargin || e164 === ctx.config.telnyx.callerNumber || isFiction || !mayBeCallerId(number, quote))
    throw refused();
  return e164;
}

async function requireNewNumber(ctx: CallContext, customer: Customer, number: string): Promise<void> {
  const own = await listCallerNumbers(ctx.handle.db, customer.id);
  const same = own.find((one) => one.number === number);
  if (same?.lapsed_at === null) throw new AppError("caller_number_known");
  if (same === undefined && own.length >= MAX_CALLER_NUMBERS)
    throw new AppError("too_many_caller_numbers", { params: { max: MAX_CALLER_NUMBERS } });
}

/** The service pays for the call, so it requires a paying customer and a destination that is neither expensive nor paused. */
async function requireOpenDestination(ctx: CallContext, customer: Customer, number: string): Promise<RiskTier> {
  if (ctx.config.limitsScale === 0) return "trusted";
  const quote = ctx.rates.quote(number, customer);
  if (quote === null || quote.ratePerMinuteMicros > CLASS_A_UP_TO_MICROS) throw refused();
  const now = ctx.clock.now();
  const facts = await readPaymentFacts(ctx.handle.db, customer.id, now);
  if (!customer.emailVerified || facts.paidPayments === 0) throw new AppError("caller_number_not_open");
  const subject = { customerId: customer.id, now, prefix: quote.prefix, countryCode: quote.countryCode };
  const { breakers } = await readCallRisk(ctx.handle, subject);
  if (breakers.some(({ kind }) => kind !== "spend_note")) throw new AppError("destination_paused");
  return tierOf({ ...facts, ...customer }, now);
}

function refused(): AppError {
  return new AppError("caller_number_refused", { field: "phone_number" });
}

function refusalOf(result: Exclude<CallNumberResult, "calling">): AppError {
  switch (result) {
    case "refused":
      return refused();
    case "not_possible":
      return new AppError("caller_numbers_off");
    case "too_often":
      return tooOften(BUSY_SECONDS, "caller_number_busy");
    default:
      return new AppError("voice_provider_down", { reason: "code_call_failed" });
  }
}
