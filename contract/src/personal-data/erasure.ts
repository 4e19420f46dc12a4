import type { Endpoints } from "../api/endpoint.ts";
import { z } from "zod";
import { erasureObstacles, keptGroups } from "../constants.ts";
import { dollars, instant, shownDollars } from "../values.ts";

/** Why an account cannot be erased yet. `credit`: credit arrived that the customer has not forfeited. */
const erasureObstacle = z.enum(erasureObstacles);

/**
 * Answer of `GET /api/account/erasure`, of `POST /api/account/erasure` (202, after a recent sign-in), which closes the account
 * and signs out all devices, and of `DELETE /api/account/erasure`, which keeps the account.
 */
const erasureResponse = z.object({
  erasure: z.object({
    /** Earliest time of erasure; null unless requested. */
    at: instant.nullable(),
    /** The erasure has begun and cannot be cancelled. */
    begun: z.boolean(),
    /** What blocks the request, or the erasure once it is due. */
    obstacle: erasureObstacle.nullable(),
    /** Credit that can be withdrawn first. */
    withdrawable: dollars,
    /** Credit that cannot be withdrawn and is lost: bonus, and payments too old to refund to a card. */
    forfeited: dollars,
    /** Groups of data kept afterwards. */
    kept: z.array(z.enum(keptGroups)),
  }),
});
export type ErasureResponse = z.infer<typeof erasureResponse>;

/** `POST /api/account/erasure`: `forfeited` repeats the amount that the customer saw and agreed to lose. */
const erasureRequest = z.object({ forfeited: shownDollars });

export const erasureEndpoints = {
  "GET /api/account/erasure": { access: "customer", answer: erasureResponse },
  "POST /api/account/erasure": {
    access: "step-up",
    body: erasureRequest,
    status: 202,
    answer: erasureResponse,
    refusals: ["conflict", "erasure_blocked"],
  },
  "DELETE /api/account/erasure": { access: "customer", answer: erasureResponse, refusals: ["conflict"] },
} as const satisfies Endpoints;
