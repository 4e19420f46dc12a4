import { MAX_NUMBER_TEXT_LENGTH } from "@farline/domain/numbers/number-text.ts";
import { reason } from "@farline/texts/reason.ts";
import { numberRefusals } from "./api/error-codes.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { MAX_TYPED_CODE_LENGTH, readCallCode } from "@farline/domain/typed/typed-codes.ts";
import { z } from "zod";
import { countryCode, instant } from "./values.ts";

/** The caller id where none is set: a number reserved for fiction. */
export const DEFAULT_CALLER_NUMBER = "+12025550143";

const e164 = z.string().regex(/^\+[1-9]\d{6,14}$/);

/** A number of the customer's own, verified by a call that read out a code. */
const callerNumber = z.object({
  number: e164,
  proven_at: instant,
  /** The voice provider now refuses it: calls do not show it until it is verified again. */
  needs_proof: z.boolean(),
});
export type CallerNumber = z.infer<typeof callerNumber>;

/** Answer of every route below `/api/calls/caller-id`. */
const callerIdResponse = z.object({
  caller_id: z.object({
    /** The number shown unless the customer chose one of their own. */
    service_number: e164,
    /** The number that called people see now. */
    shown: e164,
    numbers: z.array(callerNumber),
    /** Maximum numbers per account. */
    max_numbers: z.number().int(),
    /** The number called most recently, while its code can be entered. */
    check: z.object({ number: e164, attempts_left: z.number().int(), expires_at: instant }).nullable(),
  }),
});
export type CallerIdResponse = z.infer<typeof callerIdResponse>;

/** `POST /api/calls/caller-id/checks`: calls a number, in any format, and reads a code to the person who answers. */
const callerCheckRequest = z.object({
  phone_number: z
    .string({ error: reason("number_needed") })
    .min(1, reason("number_needed"))
    .max(MAX_NUMBER_TEXT_LENGTH, reason("number_invalid")),
  country_code: countryCode.optional(),
});
export type CallerCheckRequest = z.infer<typeof callerCheckRequest>;

/** `POST /api/calls/caller-id/checks/confirm`: the code heard in the call. Later calls show the number. */
const callerCodeRequest = z.object({
  number: e164,
  /** As typed. */
  code: z
    .string()
    .max(MAX_TYPED_CODE_LENGTH, reason("digits_needed"))
    .transform((typed, context) => {
      const code = readCallCode(typed);
      if (code === null) context.addIssue(reason("digits_needed"));
      return code ?? z.NEVER;
    }),
});
export type CallerCodeRequest = z.infer<typeof callerCodeRequest>;

/** `PUT /api/calls/caller-id`: the number that calls show; null for the service's own. */
const callerChoiceRequest = z.object({ number: e164.nullable() });

export const callerIdEndpoints = {
  "GET /api/calls/caller-id": { access: "customer", answer: callerIdResponse },
  "PUT /api/calls/caller-id": {
    access: "customer",
    body: callerChoiceRequest,
    answer: callerIdResponse,
    refusals: ["not_found"],
  },
  "POST /api/calls/caller-id/checks": {
    access: "customer",
    body: callerCheckRequest,
    status: 201,
    answer: callerIdResponse,
    refusals: [
      ...numberRefusals,
      "account_closing",
      "account_frozen",
      "caller_number_blocked",
      "caller_number_known",
      "caller_number_not_open",
      "caller_number_refused",
      "caller_numbers_off",
      "destination_paused",
      "too_many_caller_numbers",
      "voice_provider_down",
    ],
  },
  "POST /api/calls/caller-id/checks/confirm": {
    access: "customer",
    body: callerCodeRequest,
    answer: callerIdResponse,
    refusals: ["call_code_expired", "call_code_wrong", "caller_number_taken", "voice_provider_down"],
  },
  "DELETE /api/calls/caller-id/numbers/:number": { access: "customer", answer: callerIdResponse, refusals: ["not_found"] },
} as const satisfies Endpoints;
