import { messageResponse, linkRequest } from "./account-access.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { emailField } from "./accounts.ts";
import { language } from "./languages.ts";

/**
 * `POST /api/newsletter`. The answer (messageResponse) is the same for every address; an address joins the list only when the
 * link in the mail is opened. `POST /api/newsletter/confirm` and `/unsubscribe` take a linkRequest.
 */
export const newsletterRequest = z.object({ email: emailField, language: language.optional() });

export const newsletterEndpoints = {
  "POST /api/newsletter": { access: "visitor", body: newsletterRequest, status: 202, answer: messageResponse },
  "POST /api/newsletter/confirm": { access: "visitor", body: linkRequest, answer: messageResponse, refusals: ["link_expired"] },
  "POST /api/newsletter/unsubscribe": {
    access: "visitor",
    body: linkRequest,
    answer: messageResponse,
    refusals: ["link_expired"],
  },
} as const satisfies Endpoints;
