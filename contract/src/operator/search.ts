import { z } from "zod";
import { cursor, dollars, instant } from "../values.ts";
import type { Endpoints } from "../api/endpoint.ts";
import { operatorCallResponse } from "./calls.ts";
import { operatorCustomerResponse, timelineResponse } from "./customers.ts";
import { liveCallsResponse, livePartQuery, operatorHint } from "./live-calls.ts";

/** What the search box can find. */
const searchHitType = z.enum([
  "customer",
  "call",
  "payment",
  "refund",
  "withdrawal",
  "dispute",
  "fraud_warning",
  "receipt",
  "case",
  "mail",
  "approval",
  "operation",
  "posting",
  "deck",
  "card",
  "caller_number",
  "session",
  "block",
  "gift",
  "credit_request",
  "contact",
  "reminder",
  "number_check",
  "saving_of_a_card",
  "address_change",
  "copy_of_data",
  "passkey",
  "invitation",
  "sign-in_event",
  "echo_test",
  "test_credit",
  "hold",
  "promotion",
  "breaker",
  "reconciliation",
  "operator",
]);

const searchHit = z.object({
  type: searchHitType,
  id: z.string(),
  /** Null for what belongs to no customer, such as a deck. */
  customer_id: z.uuid().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  at: instant.nullable(),
  amount: dollars.nullable(),
  /** The called number, the receipt's number or a name, as fits the type; empty without one. */
  text: z.string(),
  /** Kind, state and the like, by their codes (`search-words.ts`). */
  codes: z.array(z.string()),
});

export type SearchHit = z.infer<typeof searchHit>;

export type SearchHitType = SearchHit["type"];

/** `GET /api/operator/search`: newest first. */
export const searchResponse = z.object({
  /** How the text was understood. */
  understood: z.enum(["id", "email", "domain", "name", "network", "number", "card", "receipt", "case", "provider_id", "leg"]),
  hits: z.array(searchHit),
  /** Whether there are more hits than are shown. */
  more: z.boolean(),
  /** Without a hit for an id of the payment provider: what it is, and where to look. */
  note: z.string().nullable(),
});

export type SearchResponse = z.infer<typeof searchResponse>;

const MAX_SEARCH_CHARS = 300;

/** What operators look up. */
export const operatorLookupEndpoints = {
  /** A search is posted, so that no address or number gets into a URL, a history or a log. */
  "POST /api/operator/search": {
    access: "operator",
    right: "read-customers",
    body: z.object({ text: z.string().max(MAX_SEARCH_CHARS) }),
    answer: searchResponse,
  },
  "GET /api/operator/customers/:id": {
    access: "operator",
    right: "read-customers",
    answer: operatorCustomerResponse,
    refusals: ["not_found"],
  },
  "GET /api/operator/customers/:id/timeline": {
    access: "operator",
    right: "read-customers",
    query: z.object({ cursor: cursor.optional(), limit: z.coerce.number().int().min(1).max(200).default(50) }),
    answer: timelineResponse,
    refusals: ["not_found"],
  },
  "GET /api/operator/calls/live": {
    access: "operator",
    right: "read-customers",
    query: livePartQuery,
    answer: liveCallsResponse,
    refusals: ["not_found"],
  },
  "GET /api/operator/events": { access: "operator", right: "read-customers", events: operatorHint },
  "GET /api/operator/calls/:id": {
    access: "operator",
    right: "read-customers",
    answer: operatorCallResponse,
    refusals: ["not_found"],
  },
} as const satisfies Endpoints;
