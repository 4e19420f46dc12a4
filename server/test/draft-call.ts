import { CALL_LIMITS, scaleCallLimits } from "@farline/domain/calls/call-limits.ts";
import { priceClassOf } from "@farline/domain/calls/call-terms.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { ProposedCall } from "@farline/domain/calls/decide-call.ts";
import { uuidv7 } from "uuidv7";
import type { AuthoriseRequest } from "../src/calls/authorise/authorise-batch.ts";
import { draftCall } from "../src/calls/record/call.store.ts";
import type { CallRow } from "../src/calls/record/calls.tables.ts";

const NUMBER = "+447400123456";
const RATE: BillingRate = { ratePerMinuteMicros: 60_000n, firstIntervalSeconds: 1, nextIntervalSeconds: 1 };

/** A request to authorise a customer's call, by default a trusted customer's. */
export function authoriseRequest(
  customerId: string,
  of: {
    at: Date;
    payerId?: string | null;
    rate?: Partial<BillingRate>;
    key?: string | null;
    countryCode?: string;
    proposed?: Partial<ProposedCall>;
  },
): AuthoriseRequest {
  const { at, payerId = null, key = null, countryCode = "GB" } = of;
  const rate = { ...RATE, ...of.rate };
  const priceClass = priceClassOf(rate.ratePerMinuteMicros, null);
  const quote = {
    ...rate,
    ...{ prefix: "447", description: "United Kingdom mobile", countryCode, numberType: "mobile" },
    ...{ hasMargin: true, deckId: uuidv7(), deckEffectiveAt: at },
  };
  return {
    draft: draftCall({
      id: uuidv7(),
      customerId,
      payerId,
      sessionId: null,
      idempotencyKey: key,
      destination: { e164: NUMBER, risk: null, priceClass, quote },
      callerNumber: "+12025550143",
      createdAt: at,
      ticketHash: crypto.getRandomValues(Buffer.alloc(32)),
      ticketExpiresAt: new Date(at.getTime() + 60_000),
    }),
    proposed: {
      at,
      destination: NUMBER,
      countryCode,
      rate,
      shownRate: null,
      priceClass,
      risk: null,
      hasMargin: true,
      breakers: [],
      callerIsFrozen: false,
      isOnFamilyCredit: payerId !== null,
      payerIsFrozen: false,
      tier: "trusted",
      limits: scaleCallLimits(CALL_LIMITS.trusted, 1),
      freshPayments: [],
      hasOnlyFirstCall: false,
      ...of.proposed,
    },
  };
}

/** A call's row that no database has. */
export function unwrittenCall(): CallRow {
  const { draft } = authoriseRequest(uuidv7(), { at: new Date() });
  return { ...draft, cap_seconds: 600, held_micros: 600_000n, bounded_by: "credit", decided_by: null };
}
