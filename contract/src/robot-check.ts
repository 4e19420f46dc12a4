import { z } from "zod";
import { instant } from "./values.ts";

/** Number of small proofs per challenge, and leading zero bits of each. */
export const PROOFS = 16;
export const PROOF_BITS = 13;

const MAX_COUNTER = 2 ** 32 - 1;

/**
 * The challenge of a `challenge_required` answer: a proof of work, which takes a person's device about a second and is
 * expensive for senders of thousands of requests. Let `seed` be SHA-256 of `token` (ASCII). For each i from 0 to `proofs` - 1
 * find a counter c below 2^32 so that SHA-256 of seed, i as one byte and c as four bytes (big-endian) begins with `bits`
 * zero bits. Send the request again with `proof`: the token and the counters in order.
 */
export const robotChallenge = z.object({
  token: z.string(),
  proofs: z.number().int(),
  bits: z.number().int(),
  expires_at: instant,
});
export type RobotChallenge = z.infer<typeof robotChallenge>;

/** A solved challenge: valid once, before it expires, for the kind of request that it was issued for. */
export const robotProof = z.object({
  token: z.string().max(200),
  counters: z.array(z.number().int().min(0).max(MAX_COUNTER)).length(PROOFS),
});
export type RobotProof = z.infer<typeof robotProof>;
