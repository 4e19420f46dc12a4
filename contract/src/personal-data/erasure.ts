import type { Endpoints } from "../api/endpoint.ts";
import { z } from "zod";
import { erasureObstacles, keptGroups } from "../constants.ts";
import { dollars, instant, shownDollars } from "../values.ts";

/** Why an account cannot be erased yet. `credit`: credit came in that the customer did not give up. */
export const erasureObstacle = z.enum(erasureObstacles);

/**
 * Answer of `GET /api/account/erasure`, of `POST /api/account/erasure` (202, after a recent sign-in), which closes the account
 * and signs out all devices, and of `DELETE /api/account/erasure`, which keeps the account.
 */
export const erasureResponse = z.object({
  erasure: z.object({
    /** When the account is erased at the earliest; null unless it was asked for. */
    at: instant.nullable(),
    /** The erasure has begun and cannot be called off. */
    begun: z.boolean(),
    /** What stands in the way: of the request, or of the erasure once its time has come. */
    obstacle: erasureObstacle.nullable(),
    /** Credit that can be withdrawn first. */
    withdrawable: dollars,
    /** Credit that cannot be withdrawn: bonus, and what is too old to go back to a card. It is lost. */
    forfeited: dollars,
    /** What stays afterwards. */
    kept: z.array(z.enum(keptGroups)),
  }),
});
export type ErasureResponse = z.infer<typeof erasureResponse>;

/** `POST /api/account/erasure`: repeats the amount of `forfeited` that the customer saw and agreed to lose. */
export const erasureRequest = z.object({ forfeited: shownDollars });

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
