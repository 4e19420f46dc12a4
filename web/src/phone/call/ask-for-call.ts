import type { InitiateResponse } from "@farline/contract/calls.ts";
import { ServiceRefusal, type CallService } from "./call-service.ts";
import { pause, withDeadline } from "./deadline.ts";
import { PhoneError, toPhoneError } from "../phone-error.ts";
import type { DialRequest } from "../phone-state.ts";

const ANSWER_TIMEOUT_MS = 15_000;
/** A lost answer is asked for once more under the same key, so that one call never becomes two. */
const MAX_TRIES = 2;
const RETRY_AFTER_MS = 500;

/** What the service allowed, and how its clock differs from ours. */
export interface CallGrant extends InitiateResponse {
  /** Service clock minus this machine's clock, milliseconds; exact to half the time the answer took. */
  clockSkewMs: number;
}

/**
 * Asks the service for a call, which sets credit aside.
 * Rejects with `initiate_failed`, carrying the service's sentence, code and missing credit where it gave them.
 */
export async function askForCall(service: Pick<CallService, "initiate">, request: DialRequest): Promise<CallGrant> {
  const key = crypto.randomUUID();
  const body = {
    destination_number: request.number,
    ...(request.countryCode === null ? {} : { destination_country: request.countryCode }),
  };
  for (let tries = 1; ; tries += 1) {
    const askedAtMs = Date.now();
    try {
      const answer = await withDeadline(service.initiate(body, key), ANSWER_TIMEOUT_MS, () => new PhoneError("initiate_failed"));
      const clockSkewMs = Date.parse(answer.call.created_at) - (askedAtMs + Date.now()) / 2;
      return { ...answer, clockSkewMs };
    } catch (error) {
      if (error instanceof ServiceRefusal) throw refusedCall(error);
      if (tries >= MAX_TRIES) throw toPhoneError(error, "initiate_failed");
      await pause(RETRY_AFTER_MS);
    }
  }
}

/** What the caller reads when the service does not allow a call: `initiate_failed` with all that the service said. */
export function refusedCall(error: ServiceRefusal): PhoneError {
  return new PhoneError("initiate_failed", {
    message: error.message,
    serviceCode: error.code,
    ...(error.credit === null ? {} : { credit: error.credit }),
    cause: error,
  });
}
