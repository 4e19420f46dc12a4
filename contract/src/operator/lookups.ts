import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { cursor } from "../values.ts";
import { operatorCallResponse } from "./calls.ts";
import { operatorCustomerResponse, storyResponse } from "./customers.ts";
import { liveCallsResponse, liveQuery, operatorHint } from "./live-calls.ts";
import { searchResponse } from "./search.ts";

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
  "GET /api/operator/customers/:id/story": {
    access: "operator",
    right: "read-customers",
    query: z.object({ cursor: cursor.optional(), limit: z.coerce.number().int().min(1).max(200).default(50) }),
    answer: storyResponse,
    refusals: ["not_found"],
  },
  "GET /api/operator/calls/live": {
    access: "operator",
    right: "read-customers",
    query: liveQuery,
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
