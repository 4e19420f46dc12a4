import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actingAs, type OperatorContext, type ServiceContext } from "../context.ts";
import { operatorOf, type Verb } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { serve, type EndpointRequest } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { cancelDeck, planActivation, type Activated } from "./activate-deck.ts";
import { columnMap, type ImportOrder } from "./import-deck.ts";
import { readIncrements, type Increments } from "./file/deck-values.ts";
import { listDecks } from "./list-decks.ts";
import { presentActivated, presentProposal } from "./report/present-report.ts";
import { rollBackDeck } from "./roll-back-deck.ts";
import { receiveFile } from "./upload/receive-file.ts";
import { runInProcess } from "./upload/run-in-process.ts";

const IMPORT = "POST /api/operator/decks/import";

/** Puts a deck in force. The service compares a million rows in another process. */
const activate: Verb<"activate-deck", Activated> = {
  plan: planActivation,
  respond: ({ proposal, result }) =>
    proposal === null
      ? { activated: presentActivated(result), proposal: null }
      : { activated: null, proposal: presentProposal(proposal) },
  inService: async (ctx, operator, order) => {
    const outcome = await runInProcess(ctx, "activate", { operator, order });
    await ctx.rates.refresh();
    return outcome;
  },
};

export const deckVerbs = { "activate-deck": activate };

/** `/api/operator/decks`: carriers' price lists. */
export function deckRoutes(app: App, ctx: ServiceContext): void {
  const as = (request: Parameters<typeof operatorOf>[0]): OperatorContext => actingAs(ctx, operatorOf(request));
  serve(app, "GET /api/operator/decks", () => listDecks(ctx));
  importRoute(app, ctx);

  serve(app, "POST /api/operator/decks/roll-back", async (request) => {
    const { trunk = null, from, to, reason } = request.body;
    const activated = await rollBackDeck(as(request), { trunk, from, to, reason });
    await ctx.rates.refresh();
    return presentActivated(activated);
  });

  serve(app, "POST /api/operator/decks/:id/cancel", async (request) => {
    const times = await cancelDeck(as(request), { deck: request.params.id, reason: request.body.reason });
    await ctx.rates.refresh();
    return { cancelled: times.map((one) => one.toISOString()) };
  });
}

/** One import at a time, because a list of a million rows needs a processor and much memory. */
function importRoute(app: App, ctx: ServiceContext): void {
  let isBusy = false;
  serve(app, IMPORT, async (request, reply) => {
    if (isBusy) throw new AppError("conflict", { reason: "operator.import_running" });
    isBusy = true;
    const folder = await mkdtemp(join(tmpdir(), "farline-deck-"));
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    try {
      const path = join(folder, "list.csv");
      const order = orderOf(request.query, path);
      await receiveFile(request.body, path);
      const report = await runInProcess(ctx, "import", { operator: operatorOf(request), order, signal: gone.signal });
      if (report.activated !== null) await ctx.rates.refresh();
      return report;
    } finally {
      isBusy = false;
      await rm(folder, { recursive: true });
    }
  });
}

function orderOf(query: EndpointRequest<typeof IMPORT>["query"], path: string): ImportOrder {
  const { preview, file, name, trunk, effective, increments, dates, skip, skip_words, columns, reason } = query;
  if (preview !== undefined && reason === undefined)
    throw new AppError("validation_failed", { reason: "operator.reason_needed", field: "reason" });
  return {
    path,
    source: file,
    name: name ?? null,
    trunk: trunk ?? null,
    newTrunk: query.new_trunk ?? null,
    kindSure: query.kind_sure,
    effective: effective === undefined || effective === "now" ? (effective ?? null) : new Date(effective),
    increments: incrementsOf(increments),
    dates: dates ?? null,
    skipLines: new Set(skip?.split(",").map(Number)),
    skipWords: new Set(skip_words),
    columns: columnMap(columns ?? []),
    newColumns: query.new_columns,
    complete: query.complete,
    preview: preview ?? null,
    reason: reason ?? "",
  };
}

function incrementsOf(text: string | undefined): Increments | null {
  if (text === undefined) return null;
  const read = readIncrements(text);
  if (typeof read !== "string") return read;
  throw new AppError("validation_failed", { reason: "operator.increments_form", field: "increments" });
}
