import { reason } from "@farline/texts/reason.ts";
import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { checkoutRefusals, checkoutResponse } from "../billing.ts";
import { robotProof } from "../robot-check.ts";
import { dollars, id, instant, typedDollars } from "../values.ts";

/** A link by which a customer asks others for credit. */
export const creditRequest = z.object({ id, url: z.url(), created_at: instant, expires_at: instant });
export type CreditRequestResponse = z.infer<typeof creditRequest>;

/** `POST /api/credit-requests/open`: the person behind a link. */
export const openCreditRequestRequest = z.object({ token: z.string().max(200) });

/** `POST /api/billing/gifts`: dollars as for a top-up. */
export const giftRequest = z.object({
  token: z.string().max(200),
  amount: typedDollars,
  /** One line without links; "" for none. */
  greeting: z.string().max(1_000, reason("gift_greeting")).default(""),
  proof: robotProof.optional(),
});

/** Credit bought by one customer for another. */
export const gift = z.object({
  id,
  direction: z.enum(["sent", "received"]),
  /** First name of the other person. */
  name: z.string(),
  amount: dollars,
  greeting: z.string(),
  /** `ordered`: not paid yet. `kept`: paid, but the credit stayed with the payer. */
  state: z.enum(["ordered", "given", "kept"]),
  created_at: instant,
});
export type Gift = z.infer<typeof gift>;

export const giftEndpoints = {
  "GET /api/credit-requests": { access: "customer", answer: z.object({ requests: z.array(creditRequest) }) },
  "POST /api/credit-requests": { access: "customer", answer: creditRequest, refusals: ["conflict"] },
  "DELETE /api/credit-requests/:id": { access: "customer", refusals: ["not_found"] },
  "POST /api/credit-requests/open": {
    access: "customer",
    body: openCreditRequestRequest,
    answer: z.object({ name: z.string() }),
    refusals: ["link_expired"],
  },
  "GET /api/billing/gifts": { access: "customer", answer: z.object({ gifts: z.array(gift) }) },
  "POST /api/billing/gifts": {
    access: "customer",
    body: giftRequest,
    answer: checkoutResponse,
    refusals: [...checkoutRefusals, "link_expired", "amount_invalid"],
  },
} as const satisfies Endpoints;
