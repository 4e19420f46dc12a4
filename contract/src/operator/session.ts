import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { instant } from "../values.ts";
import { operatorRights, operatorRoles, type OperatorRight } from "./rights.ts";

export const operatorRole = z.enum(operatorRoles);
const operatorRight = z.enum(Object.keys(operatorRights) as [OperatorRight, ...OperatorRight[]]);

/** Answer of `GET /api/operator/session` and of each sign-in: who is signed in, and what they may do. */
export const operatorSessionResponse = z.object({
  operator: z.object({ id: z.uuid(), email: z.string(), name: z.string(), role: operatorRole }),
  rights: z.array(operatorRight),
  /** The sign-in ends then, however busy. */
  expires_at: instant,
});
export type OperatorSessionResponse = z.infer<typeof operatorSessionResponse>;

export const operatorSessionEndpoints = {
  "GET /api/operator/session": { access: "operator", right: "own-access", answer: operatorSessionResponse },
  "POST /api/operator/sign-out": { access: "operator", right: "own-access" },
} as const satisfies Endpoints;
