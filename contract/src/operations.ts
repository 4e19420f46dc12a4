import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { runbookNames } from "./operator/constants.ts";
import { instant } from "./values.ts";

const partState = z.enum(["ok", "down"]);
/** What the service consists of and depends on. */
export const partNames = [
  "database",
  "rates",
  "intake",
  "voice",
  "payments",
  "mails",
  "google",
  "webhooks",
  "postings",
  "calls",
] as const;
export type PartName = (typeof partNames)[number];

/** How a part does, judged by its latest real uses. */
const partUse = z.object({
  part: z.enum(partNames),
  state: partState,
  /** Of the latest uses, at most 20, those that worked and those that failed for the part's own reasons. */
  worked: z.int(),
  failed: z.int(),
  /** Of the latest use; null if there was none lately. */
  last_at: instant.nullable(),
});
export type PartUse = z.infer<typeof partUse>;
export const partUses = z.array(partUse);

/** What is wrong, since when, how much of it, and what to do. Ready, metrics, alerts, overview and doctor show the same list. */
export const trouble = z.object({
  /** Metric and word, such as `farline_part_up payments`: the labels of `farline_warning`. */
  id: z.string(),
  /** Whether it wakes somebody up or waits for the next working hour. */
  level: z.enum(["page", "ticket"]),
  since: instant,
  /** The metric's value. */
  size: z.number(),
  /** A sentence for operators. */
  text: z.string(),
  /** What is known beside it, in one or two sentences. */
  detail: z.string().nullable(),
  /** The page of `docs/runbooks` that says what to do; `runbooks` has its first step and the console's page where one acts. */
  runbook: z.enum(runbookNames),
});
export type TroubleResponse = z.infer<typeof trouble>;

export const readyResponse = z.object({
  /** `closed`: pages are served, but calls, payments and changes are refused until a restore is finished. */
  status: z.enum(["ready", "closed"]),
  parts: z.partialRecord(z.enum(partNames), partState),
  warnings: z.array(trouble),
});
export type ReadyResponse = z.infer<typeof readyResponse>;
const healthResponse = z.object({ status: z.literal("ok") });
const receivedResponse = z.object({ received: z.literal(true) });

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
