import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { callStatus } from "./calls.ts";
import { id } from "./values.ts";

/**
 * `GET /api/events` (server-sent events, bearer token in the header): hints that data shown by a page has
 * changed. A hint carries no data: the page refetches its data. Every connection begins with `ready`,
 * so a lost connection loses no changes. A page ignores unknown types.
 */
export const liveHint = z.discriminatedUnion("type", [
  /** The connection is open, or hints may have been missed: refetch all data. */
  z.object({ type: z.literal("ready") }),
  /** A call began, changed its state, was extended or ended. */
  z.object({ type: z.literal("call"), id, status: callStatus.optional() }),
  /** The credit set aside for a running call is nearly used up. */
  z.object({ type: z.literal("call_warning"), id, seconds_left: z.union([z.literal(60), z.literal(15)]) }),
  /** Balance, held credit or debt changed, or who belongs to the customer's family and what they may spend. */
  z.object({ type: z.literal("balance") }),
  /** A ledger entry was added. */
  z.object({ type: z.literal("transactions") }),
  /** A payment changed its state. */
  z.object({ type: z.literal("payment"), id }),
  /** The profile or the account's status changed, for example by a freeze. */
  z.object({ type: z.literal("account") }),
  /** The address book changed. */
  z.object({ type: z.literal("contacts") }),
  /** The number that calls show, or the list of own numbers, changed. */
  z.object({ type: z.literal("caller_id") }),
  /** A question to the people who run the service was asked, answered or closed. */
  z.object({ type: z.literal("cases") }),
  /** The caller's own limits changed. */
  z.object({ type: z.literal("guard_rails") }),
]);
export type LiveHint = z.infer<typeof liveHint>;

export const eventEndpoints = {
  "GET /api/events": { access: "customer", events: liveHint },
} as const satisfies Endpoints;
