import type { CallQuoteResponse, QuoteRequest } from "@farline/contract/calls.ts";
import { longestCallSeconds } from "@farline/domain/calls/charge.ts";
import { decideCall } from "@farline/domain/calls/decide-call.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Customer } from "../../accounts/accounts.ts";
import type { CallContext } from "../call-context.ts";
import { presentPrice } from "../../rates/rates.ts";
import { readCaller } from "./callers.store.ts";
import { resolveDestination } from "../record/destination.ts";
import { refusalError } from "./refusal-error.ts";
import { proposeCall } from "./initiate-call.ts";

/**
 * Returns what `initiateCall` would decide now: the same rules, without the lock, so the answer may change at any time.
 * @throws AppError as `resolveDestination`
 */
export async function quoteCall(ctx: CallContext, customer: Customer, request: QuoteRequest): Promise<CallQuoteResponse> {
  const destination = resolveDestination(request.destination_number, request.destination_country ?? null, {
    rates: ctx.rates,
    callerNumber: ctx.config.telnyx.callerNumber,
  });
  const price = presentPrice(destination.e164, destination.quote);
  if (customer.status === "closing")
    return {
      price,
      max_seconds: null,
      is_free_first_call: false,
      refusal: presentRefusal(new AppError("account_closing")),
    };
  const proposed = await proposeCall(ctx, customer, { destination, shownRate: null });
  const query = { customerId: customer.id, payerId: customer.payerId, proposed, idempotencyKey: null, excludedCallId: null };
  const { counters } = await readCaller(ctx.handle.db, query);
  const { allowed, refused } = decideCall(proposed, counters);
  if (refused !== undefined) {
    return { price, max_seconds: null, is_free_first_call: false, refusal: presentRefusal(refusalError(refused, price)) };
  }
  const maxSeconds = longestCallSeconds(allowed.holdMicros, proposed.rate, allowed.capSeconds);
  return { price, max_seconds: maxSeconds, is_free_first_call: allowed.isFreeFirstCall, refusal: null };
}

function presentRefusal({ code, message, messageRef }: AppError): CallQuoteResponse["refusal"] {
  return { code, message, ...messageRef };
}
