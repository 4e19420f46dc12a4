import { messageResponse, linkRequest } from "./account-access.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { emailField } from "./accounts.ts";
import { language } from "./languages.ts";

/**
 * `POST /api/newsletter`. The answer (messageResponse) is the same for every address; an address joins the list only when the
 * link in the mail is used. `POST /api/newsletter/confirm` and `/unsubscribe` take a linkRequest.
 */
const newsletterRequest = z.object({ email: emailField, language: language.optional() });

export const newsletterEndpoints = {
  "POST /api/newsletter": { access: "visitor", body: newsletterRequest, status: 202, answer: messageResponse },
  "POST /api/newsletter/confirm": { access: "visitor", body: linkRequest, answer: messageResponse, refusals: ["link_expired"] },
  "POST /api/newsletter/unsubscribe": {
    access: "visitor",
    body: linkRequest,
    answer: messageResponse,
    refusals: ["link_expired"],
  },
  /** A mail program that does not know RFC 8058 opens the address, which must change nothing (its section 3.2). */
  "GET /api/newsletter/one-click": { access: "visitor", query: linkRequest, status: 302 },
  /** One-click unsubscription by a mail program (RFC 8058): the body is `List-Unsubscribe=One-Click`. */
  "POST /api/newsletter/one-click": {
    access: "visitor",
    query: linkRequest,
    raw: { type: "application/x-www-form-urlencoded" },
    answer: messageResponse,
    refusals: ["link_expired"],
  },
} as const satisfies Endpoints;
