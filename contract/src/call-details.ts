import { reason } from "@farline/texts/reason.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { MAX_NOTE_CHARS, refundReasons, soundRatings } from "./constants.ts";
import { dollars, id, instant } from "./values.ts";

/** Longer calls send several batches; each sample is stored once. */
const MAX_SAMPLES_PER_REPORT = 60;
/** Only the first sample of each interval is kept. */
export const SAMPLE_EVERY_SECONDS = 5;
/** Maximum call length in seconds, with margin for clock drift. */
const MAX_SECOND = 6 * 3600;

/** A call-quality sample measured by the browser. */
const qualitySample = z.object({
  /** Whole seconds since the answer, by the call's own timer. */
  t: z.number().int().min(0).max(MAX_SECOND),
  /** Mean opinion score, 1 to 5. */
  mos: z.number().min(1).max(5),
  /** Null until the remote side reports. */
  rttMs: z.number().min(0).max(60_000).nullable(),
  jitterMs: z.number().min(0).max(60_000),
  lossPct: z.number().min(0).max(100),
});
export type QualitySample = z.infer<typeof qualitySample>;

/**
 * `POST /api/calls/{id}/quality`: samples of an answered call, every 10 s or so, sent in batches during it and up to ten
 * minutes after its end. They are informational only. Answers 200 with the number kept.
 */
const qualityRequest = z.object({ samples: z.array(qualitySample).min(1).max(MAX_SAMPLES_PER_REPORT) });
const qualityResponse = z.object({ kept: z.number().int() });

const soundRating = z.enum(soundRatings);
export type SoundRating = z.infer<typeof soundRating>;

/** `POST /api/calls/{id}/rating`: how the caller heard an answered call. A later answer replaces it; it decides nothing. */
const ratingRequest = z.object({ sound: soundRating });

/** The reason given by the caller. */
export const refundReason = z.enum(refundReasons);
export type RefundReason = z.infer<typeof refundReason>;

/** `POST /api/calls/{id}/refund-request` (201): one for each charged call; a second request answers 409. */
const refundRequestRequest = z.object({
  reason: refundReason,
  note: z
    .string()
    .trim()
    .max(MAX_NOTE_CHARS, reason("note_too_long", { max: MAX_NOTE_CHARS }))
    .default(""),
});

const refundRequest = z.object({
  reason: refundReason,
  note: z.string(),
  /** `open`: an operator will review it. */
  state: z.enum(["open", "refunded", "declined"]),
  /** The refunded amount; 0 unless refunded. */
  amount: dollars,
  /** The operator's note, if any. */
  answer: z.string().nullable(),
  created_at: instant,
  decided_at: instant.nullable(),
});
export type RefundRequest = z.infer<typeof refundRequest>;
export const refundRequestResponse = z.object({ refund_request: refundRequest });
export type RefundRequestResponse = z.infer<typeof refundRequestResponse>;

/** Voice packets that the exchange received from one side. */
const heardAtExchange = z.object({ packets: z.number().int(), mos: z.number().nullable() });

/** A ledger entry for a call. */
const callEntry = z.object({
  id,
  /** `call` is the charge; all other kinds are later credits or debits. */
  kind: z.string(),
  description: z.string(),
  /** Signed: what the entry added to the balance. */
  amount: dollars,
  /** The balance after it. */
  balance_after: dollars,
  created_at: instant,
});
export type CallEntry = z.infer<typeof callEntry>;

/** Answer of `GET /api/calls/{id}/details`: data beyond the call record. */
export const callDetailsResponse = z.object({
  /** The name of the family's owner whose credit pays for this call; null if the caller's own does. */
  paid_by: z.string().nullable(),
  /** The entries of this call in the caller's account, oldest first: its charge and any refunds. None if somebody else pays. */
  entries: z.array(callEntry),
  quality: z.object({
    /** As measured by the browser, thinned evenly to at most 240 samples. */
    samples: z.array(qualitySample),
    /** Packets that reached the exchange from the caller and from the called person; null if not reported. */
    from_caller: heardAtExchange.nullable(),
    from_called: heardAtExchange.nullable(),
    /** The caller's own judgement; null without one. */
    rating: soundRating.nullable(),
  }),
  /** Whether a refund can be requested now. */
  may_ask_refund: z.boolean(),
  refund_request: refundRequest.nullable(),
});
export type CallDetailsResponse = z.infer<typeof callDetailsResponse>;

export const callDetailsEndpoints = {
  "GET /api/calls/:id/details": { access: "customer", answer: callDetailsResponse, refusals: ["not_found"] },
  "POST /api/calls/:id/quality": { access: "customer", body: qualityRequest, answer: qualityResponse, refusals: ["not_found"] },
  "POST /api/calls/:id/rating": {
    access: "customer",
    body: ratingRequest,
    answer: ratingRequest,
    refusals: ["conflict", "not_found"],
  },
  "POST /api/calls/:id/refund-request": {
    access: "customer",
    body: refundRequestRequest,
    status: 201,
    answer: refundRequestResponse,
    refusals: ["conflict", "not_found"],
  },
} as const satisfies Endpoints;
