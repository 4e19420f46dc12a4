import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { EventLog } from "../journal/event-log.ts";
import type { Nodes } from "../nodes/nodes.ts";
import type { WebhookEvent } from "./webhook-events.ts";
import { forwardToOwner } from "./forward-command.ts";
import { notFound } from "./telnyx-error.ts";

/** The node whose events follow, and the place in its log; the first node and its first event if absent. */
const cursor = z
  .string()
  .regex(/^[a-z0-9-]{1,20}~[\dT:-]{0,30}$/)
  .transform((text) => text.split("~") as [node: string, place: string]);
const queryOf = z.object({
  "filter[occurred_at][gte]": z.iso.datetime().optional(),
  "page[after]": cursor.optional(),
});

/**
 * `GET /v2/call_events`: the calls' events of the last day, by pages. Each node gives its own, one node after the other. The provider leaves
 * open what `metadata` holds; here it is the event as posted.
 */
export function callEventRoutes(app: FastifyInstance, { nodes, eventLog }: { nodes: Nodes; eventLog: EventLog | null }): void {
  const nodeOf = (query: unknown) => queryOf.parse(query)["page[after]"]?.[0] ?? nodes.names[0] ?? nodes.name;
  const preHandler = forwardToOwner(nodes, ({ query }) => nodes.ownerNamed(nodeOf(query)));
  app.get("/v2/call_events", { config: { access: "exchange-key" }, preHandler }, async (request) => {
    if (eventLog === null) throw notFound("This exchange keeps no events.");
    const { "filter[occurred_at][gte]": since, "page[after]": after } = queryOf.parse(request.query);
    const page = await eventLog.page(after?.[1] ?? null, since === undefined ? new Date(0) : new Date(since));
    const next = page.after === null ? nodeAfter(nodes) : `${nodes.name}~${page.after}`;
    return { data: page.events.map(eventRecord), meta: { cursors: { after: next, before: null } } };
  });
}

/** The cursor of the next node's first event; null if this one is the last. */
function nodeAfter({ name, names }: Nodes): string | null {
  const next = names[names.indexOf(name) + 1];
  return next === undefined ? null : `${next}~`;
}

function eventRecord(event: WebhookEvent): Record<string, unknown> {
  return {
    record_type: "call_event",
    type: "webhook",
    name: event.event_type,
    event_timestamp: event.occurred_at,
    call_leg_id: event.payload["call_leg_id"],
    call_session_id: event.payload["call_session_id"],
    metadata: event,
  };
}
