import type { InitiateResponse } from "@farline/contract/calls.ts";
import { settleWithin } from "@farline/domain/settle-within.ts";
import { ServiceRefusal, type CallService } from "./call-service.ts";
import { pause } from "../../time/timers.ts";
import { PhoneError, toPhoneError } from "../phone-error.ts";
import type { DialRequest } from "../phone-state.ts";

const ANSWER_TIMEOUT_MS = 15_000;
/** After a lost response the request is repeated once with the same key, so that one call never becomes two. */
const MAX_TRIES = 2;
const RETRY_AFTER_MS = 500;

/** Identifiers that the page generates for an attempt to call. */
export interface AttemptKeys {
  /** The attempt's id: the SDK's for the leg, and the idempotency key at the service. */
  readonly id: string;
  /** The permission to dial, once the service has authorised the call. */
  readonly ticket: string;
}

/**
 * Requests a call from the service, which holds credit and opens the ticket.
 * Rejects with `initiate_failed`, carrying the service's message, code and missing credit, where it sent them.
 */
export async function askForCall(
  service: Pick<CallService, "initiate">,
  request: DialRequest,
  { id, ticket }: AttemptKeys,
): Promise<InitiateResponse> {
  const { number, country_code, rate_per_minute, first_interval_s, next_interval_s } = request.price;
  const body = {
    destination_number: number,
    destination_country: country_code,
    ticket,
    shown_price: { rate_per_minute, first_interval_s, next_interval_s },
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await settleWithin(service.initiate(body, id), ANSWER_TIMEOUT_MS, () =>
        Promise.reject(new PhoneError("initiate_failed")),
      );
    } catch (error) {
      if (error instanceof ServiceRefusal || tries >= MAX_TRIES) throw toPhoneError(error, "initiate_failed");
      await pause(RETRY_AFTER_MS);
    }
  }
}
