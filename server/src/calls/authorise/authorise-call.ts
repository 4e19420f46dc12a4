import type { InitiateRequest, InitiateResponse } from "@farline/contract/calls.ts";
import { chargeFor, minimumHold, type BillingRate } from "@farline/domain/calls/charge.ts";
import { uuidv7 } from "uuidv7";
import type { Customer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/http/app-error.ts";
import { CALL_LIMITS, scaled, TICKET_LIFE_SECONDS } from "./call-limits.ts";
import type { CallMachinery } from "../call-machinery.ts";
import { refusalOf } from "./call-refusal.ts";
import { checkCallRisk, type CallTerms } from "./call-risk.ts";
import { ticketHash } from "../call-secrets.ts";
import type { AuthoriseLimits } from "../call.store.ts";
import type { CallRow } from "../calls.tables.ts";
import { resolveDestination, type Destination } from "./destination.ts";
import { presentCall } from "../history/present-call.ts";
import { refuseDearOnGrant } from "./refuse-dear-on-grant.ts";
import { tellOfCall } from "../live/tell-of-call.ts";

/**
 * Decides whether this customer may make this call now, and if so sets its credit aside and gives out the ticket to
 * dial with. Whatever is refused leaves nothing behind.
 * @param idempotencyKey the client's name for this attempt: twice the same is one call, and the same ticket
 * @throws AppError as `resolveDestination` and `checkCallRisk`, and account_frozen, insufficient_credit, conflict; for the
 * tier's limits too_many_live_calls, rate_limited, too_many_destinations, calls_paused, spend_limit_reached,
 * fresh_credit; for the caller's own country_not_allowed, call_cap_too_low, daily_cap_reached
 */
export async function authoriseCall(
  m: CallMachinery,
  customer: Customer,
  request: InitiateRequest & { idempotencyKey: string | null },
): Promise<InitiateResponse> {
  if (customer.status !== "active")
    throw new AppError(
      "account_frozen",
      "Calls are not possible while your account is frozen. Write to us, and we look into it.",
    );
  const destination = resolveDestination(request.destination_number, request.destination_country ?? null, {
    rates: m.rates,
    callerNumber: m.config.telnyx.callerNumber,
  });
  const terms = await checkCallRisk(m, customer, destination);
  await refuseDearOnGrant(m, customer.id, destination);
  const call = await holdAndWrite(m, customer, { destination, terms, idempotencyKey: request.idempotencyKey });
  if (call.destination !== destination.e164)
    throw new AppError("conflict", "This Idempotency-Key was used for a call to another number.");
  tellOfCall(m.live, call, "money");
  return {
    call: presentCall(call),
    ticket: m.secrets.ticket(call.id),
    caller_number: m.config.telnyx.callerNumber,
    ticket_expires_at: call.ticket_expires_at.toISOString(),
  };
}

async function holdAndWrite(
  m: CallMachinery,
  customer: Customer,
  wanted: { destination: Destination; terms: CallTerms; idempotencyKey: string | null },
): Promise<CallRow> {
  const { e164, quote, priceClass } = wanted.destination;
  const { capSeconds } = wanted.terms;
  const id = uuidv7();
  const createdAt = m.clock.now();
  try {
    return await m.authorise({
      call: {
        id,
        customerId: customer.id,
        destination: e164,
        countryCode: quote.countryCode,
        numberType: quote.numberType,
        idempotencyKey: wanted.idempotencyKey,
        ratePrefix: quote.prefix,
        rateDescription: quote.description,
        ratePerMinuteMicros: quote.ratePerMinuteMicros,
        priceClass,
        firstIntervalSeconds: quote.firstIntervalSeconds,
        nextIntervalSeconds: quote.nextIntervalSeconds,
        deckId: quote.deckId,
        deckEffectiveAt: quote.deckEffectiveAt,
        capSeconds,
        ticketHash: ticketHash(m.secrets.ticket(id)),
        ticketExpiresAt: new Date(createdAt.getTime() + TICKET_LIFE_SECONDS * 1000),
        createdAt,
      },
      limits: limitsFor(quote, wanted.terms, m.config.limitsScale),
    });
  } catch (error) {
    throw await refusalOf(m, { customerId: customer.id, tier: wanted.terms.tier }, error);
  }
}

function limitsFor(rate: BillingRate, { tier, capSeconds, rules }: CallTerms, scale: number): AuthoriseLimits {
  const limits = CALL_LIMITS[tier];
  return {
    wantMicros: chargeFor(capSeconds, rate),
    leastMicros: minimumHold(rate),
    liveCalls: scaled(limits.liveCalls, scale),
    perMinute: scaled(limits.callsPerMinute, scale),
    perHour: scaled(limits.callsPerHour, scale),
    perDay: scaled(limits.callsPerDay, scale),
    rules,
  };
}
