import type { InitiateRequest, InitiateResponse } from "@farline/contract/calls.ts";
import { chargeFor, minimumHold, type BillingRate } from "@farline/domain/charge.ts";
import { uuidv7 } from "uuidv7";
import type { Customer } from "../accounts/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import { countLimits, rulesFor, scaled, TICKET_LIFE_SECONDS } from "./call-limits.ts";
import type { CallMachinery } from "./call-machinery.ts";
import { refusalOf } from "./call-refusal.ts";
import { ticketHash } from "./call-secrets.ts";
import { insertCall, type AuthoriseLimits } from "./call.store.ts";
import type { CallRow } from "./calls.tables.ts";
import { resolveDestination, type Destination } from "./destination.ts";
import { presentCall } from "./present-call.ts";
import { refuseDearOnGrant } from "./refuse-dear-on-grant.ts";
import { tellOfCall } from "./tell-of-call.ts";

/**
 * Decides whether this customer may make this call now, and if so sets its credit aside and gives out the ticket to
 * dial with. Whatever is refused leaves nothing behind.
 * @param idempotencyKey the client's name for this attempt: twice the same is one call, and the same ticket
 * @throws AppError as `resolveDestination`, and account_frozen, insufficient_credit, too_many_live_calls, rate_limited,
 * conflict, and for the caller's own limits country_not_allowed, call_cap_too_low, daily_cap_reached
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
  await refuseDearOnGrant(m, customer.id, destination);
  const call = await holdAndWrite(m, customer, { destination, idempotencyKey: request.idempotencyKey });
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
  wanted: { destination: Destination; idempotencyKey: string | null },
): Promise<CallRow> {
  const { e164, quote, capSeconds } = wanted.destination;
  const id = uuidv7();
  const createdAt = m.clock.now();
  try {
    return await insertCall(
      m.handle,
      {
        id,
        customerId: customer.id,
        destination: e164,
        countryCode: quote.countryCode,
        numberType: quote.numberType,
        idempotencyKey: wanted.idempotencyKey,
        ratePrefix: quote.prefix,
        rateDescription: quote.description,
        ratePerMinuteMicros: quote.ratePerMinuteMicros,
        firstIntervalSeconds: quote.firstIntervalSeconds,
        nextIntervalSeconds: quote.nextIntervalSeconds,
        deckId: quote.deckId,
        deckEffectiveAt: quote.deckEffectiveAt,
        capSeconds,
        ticketHash: ticketHash(m.secrets.ticket(id)),
        ticketExpiresAt: new Date(createdAt.getTime() + TICKET_LIFE_SECONDS * 1000),
        createdAt,
      },
      limitsFor(quote, capSeconds, m.config.limitsScale),
    );
  } catch (error) {
    throw await refusalOf(m, customer.id, error);
  }
}

function limitsFor(rate: BillingRate, capSeconds: number, scale: number): AuthoriseLimits {
  return {
    wantMicros: chargeFor(capSeconds, rate),
    leastMicros: minimumHold(rate),
    liveCalls: scaled(countLimits.liveCalls, scale),
    perMinute: scaled(countLimits.callsPerMinute, scale),
    perHour: scaled(countLimits.callsPerHour, scale),
    perDay: scaled(countLimits.callsPerDay, scale),
    rules: rulesFor(scale),
  };
}
