import { signInResponse } from "./accounts.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { language } from "./languages.ts";
import { z } from "zod";

/** Answer of `GET /api/auth/google/redirect` and `POST /api/account/google/link`: the redirect URL. */
const googleRedirectResponse = z.object({ url: z.url() });

/**
 * `POST /api/auth/google/callback` (signInResponse) and `POST /api/account/google/callback` (204): the query parameters of the
 * page. Only the code is required; state and iss are checked if present.
 */
const googleCallbackRequest = z.object({
  code: z.string().min(1).max(2_048).optional(),
  state: z.string().min(1).max(200).optional(),
  iss: z.string().min(1).max(200).optional(),
  /** Why there is no code, for example `access_denied`. */
  error: z.string().min(1).max(200).optional(),
});
export type GoogleCallbackRequest = z.infer<typeof googleCallbackRequest>;

/** Also the language of a new customer's mails; defaults to the browser's preferred language. */
const googleSignInRequest = googleCallbackRequest.extend({ language: language.optional() });

export const googleEndpoints = {
  "POST /api/auth/google/callback": {
    access: "visitor",
    body: googleSignInRequest,
    answer: signInResponse,
    refusals: ["google_failed", "google_link_needed"],
  },
  "DELETE /api/account/google": { access: "step-up", refusals: ["not_found", "last_sign_in_method"] },
  "GET /api/auth/google/redirect": { access: "visitor", answer: googleRedirectResponse, refusals: ["google_failed"] },
  "POST /api/account/google/link": { access: "step-up", answer: googleRedirectResponse, refusals: ["conflict"] },
  "POST /api/account/google/callback": {
    access: "customer",
    body: googleCallbackRequest,
    refusals: ["conflict", "google_failed"],
  },
} as const satisfies Endpoints;
