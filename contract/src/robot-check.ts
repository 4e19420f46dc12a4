import { z } from "zod";
import { instant } from "./values.ts";

/** How many small proofs answer one challenge, and how many leading zero bits each has. */
export const PROOFS = 16;
export const PROOF_BITS = 13;

const MOST_COUNTER = 2 ** 32 - 1;

/**
 * What a `challenge_required` answer asks to be solved: a proof of work, which costs a person's device about a second and
 * whoever sends thousands of requests a lot. Let `seed` be SHA-256 of `token` (ASCII). For each i from 0 to `proofs` - 1
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

/** An answered challenge: good once, before it expires, and for the kind of request that it was given for. */
export const robotProof = z.object({
  token: z.string().max(200),
  counters: z.array(z.number().int().min(0).max(MOST_COUNTER)).length(PROOFS),
});
export type RobotProof = z.infer<typeof robotProof>;
