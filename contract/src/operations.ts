import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { runbookNames } from "./operator/constants.ts";

const partState = z.enum(["ok", "down"]);
/** A sentence for operators, and the page of `docs/runbooks` that says what to do about it. */
export const trouble = z.object({ text: z.string(), runbook: z.enum(runbookNames) });
export type TroubleResponse = z.infer<typeof trouble>;

export const readyResponse = z.object({
  status: z.literal("ready"),
  parts: z.object({ database: partState, rates: partState, voice: partState, payments: partState }),
  warnings: z.array(trouble),
});
export const healthResponse = z.object({ status: z.literal("ok") });
export const receivedResponse = z.object({ received: z.literal(true) });

export const operationsEndpoints = {
  "GET /api/health": { access: "visitor", answer: healthResponse },
  "GET /api/ready": { access: "visitor", answer: readyResponse },
  "POST /api/webhooks/stripe": {
    access: "provider",
    raw: { type: "application/json", signature: "stripe-signature" },
    answer: receivedResponse,
  },
  "POST /api/webhooks/telnyx": {
    access: "provider",
    raw: { type: "application/json", signature: "telnyx-signature-ed25519" },
    answer: receivedResponse,
    refusals: ["voice_provider_down"],
  },
  "GET /api/openapi.json": { access: "visitor", answer: z.record(z.string(), z.unknown()) },
} as const satisfies Endpoints;
