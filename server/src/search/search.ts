import type { SearchHit, SearchResponse } from "@farline/contract/operator/search.ts";
import { loggable, maskNumber } from "@farline/domain/mask-personal.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { actingAs, type OperatorContext, type Context } from "../context.ts";
import { MOVES_NOTHING, recordOperation, operatorOf } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { listRoutes } from "./lists.ts";
import { classifySearch, type SearchTerm } from "./classify-search.ts";
import { resolveProviderId } from "./resolve-provider-id.ts";
import { findRows, type FoundRow } from "./search.store.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";

const MAX_HITS = 20;
/** Of an address's start, for the record: enough to recognise the search, too little to identify the person. */
const RECORDED_CHARACTERS = 2;

/**
 * Finds whatever a text names: a customer by address, calls by number, payments by card, and anything by its id. Each search is recorded
 * with the operator, because it shows personal data.
 * @throws AppError validation_failed if the text cannot be searched for
 */
export async function searchEverything(ctx: OperatorContext, text: string): Promise<SearchResponse> {
  const term = classifySearch(text);
  if (term === "national_number") throw new AppError("validation_failed", { reason: "operator.number_form" });
  if (term === "unclear") throw new AppError("validation_failed", { reason: "operator.search_unclear" });
  const { resolved, note } = await resolve(ctx, term);
  return ctx.transaction(async (tx) => {
    const rows = await findRows(tx, resolved, MAX_HITS + 1);
    const customers = new Set(rows.map((row) => row.customer_id));
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "search",
      customerId: customers.size === 1 ? (rows[0]?.customer_id ?? null) : null,
      subject: null,
      reason: "Search",
      detail: { kind: term.kind, text: maskTerm(term, text), found: rows.length },
    });
    const hits = rows.slice(0, MAX_HITS).map(presentHit);
    const found = { hits: hits.toSorted(newestFirst), more: rows.length > MAX_HITS };
    return { understood: term.kind, ...found, note: hits.length === 0 ? note : null };
  });
}

/** Asks the payment provider about an id of its own that is not stored here. */
async function resolve(ctx: OperatorContext, term: SearchTerm): Promise<{ resolved: SearchTerm; note: string | null }> {
  if (term.kind !== "provider_id") return { resolved: term, note: null };
  if ((await findRows(ctx.handle.db, term, 1)).length > 0) return { resolved: term, note: null };
  const { ids, note } = await resolveProviderId(ctx, term.id);
  return { resolved: { ...term, behind: ids }, note };
}

function presentHit(row: FoundRow): SearchHit {
  const { type, id, customer_id, name, email, at, amount_micros: micros, text, codes } = row;
  return {
    type,
    id,
    customer_id,
    name,
    email,
    at: at?.toISOString() ?? null,
    amount: micros === null ? null : toDecimalString(micros),
    text,
    codes,
  };
}

function newestFirst(one: SearchHit, other: SearchHit): number {
  return (other.at ?? "").localeCompare(one.at ?? "");
}

function maskTerm(term: SearchTerm, text: string): string {
  switch (term.kind) {
    case "number":
      return maskNumber(term.start);
    case "name":
      return term.words.map((word) => `${word.slice(0, RECORDED_CHARACTERS)}…`).join(" ");
    case "email":
      return term.start.includes("@") ? loggable(term.start) : `${term.start.slice(0, RECORDED_CHARACTERS)}…`;
    case "domain":
      return term.domain;
    case "network":
      return term.network;
    default:
      return text.trim();
  }
}

/** `/api/operator/search` and `/api/operator/lists`. */
export function searchRoutes(app: App, ctx: Context): void {
  listRoutes(app, ctx);
  serve(app, "POST /api/operator/search", (request) => searchEverything(actingAs(ctx, operatorOf(request)), request.body.text));
}
