import { z } from "zod";

/** Faults on demand, for tests: what the real world does to webhooks and answers. In memory; a restart is calm. */
export interface Chaos {
  /** Every event from now on is never delivered. It can still be listed. */
  lose: boolean;
  /** Every event from now on is delivered twice. */
  duplicate: boolean;
  /** Every event from now on is delivered this much later. */
  delayMs: number;
  /** So many of the next creating requests are answered with 500 and do nothing. */
  failNextCreate: number;
  /** So many of the next creating requests are done, but the connection is cut instead of an answer. */
  dropNextAnswer: number;
}

const count = z.union([z.number().int().min(0).max(100), z.boolean().transform(Number)]);

export const chaosChange = z
  .strictObject({
    lose: z.boolean(),
    duplicate: z.boolean(),
    delayMs: z.number().int().min(0).max(600_000),
    failNextCreate: count,
    dropNextAnswer: count,
  })
  .partial();

export function calm(): Chaos {
  return { lose: false, duplicate: false, delayMs: 0, failNextCreate: 0, dropNextAnswer: 0 };
}
