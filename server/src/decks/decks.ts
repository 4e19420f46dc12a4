import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { PriceHistoryResponse } from "@farline/contract/operator/prices.ts";
import type { FastifyReply } from "fastify";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import { actingAs, type Context, type ServiceContext } from "../context.ts";
import { operatorOf, type Outcome, resultOf, runOperation, type Verb } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { type EndpointRequest, serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { type Activated, planActivation, planCancelling } from "./activate-deck.ts";
import { columnMap, type ImportOrder, type ReadingOrder } from "./import-deck.ts";
import { type Increments, readIncrements } from "./file/deck-values.ts";
import { listDecks } from "./list-decks.ts";
import { presentActivated, presentProposal } from "./report/present-report.ts";
import { planStepBack } from "./roll-back-deck.ts";
import { runInProcess } from "./upload/run-in-process.ts";
import { MAX_DECK_BYTES } from "./file/read-deck-file.ts";
import { type PriceRange, readPriceHistory } from "../rates/rates.ts";
import { explainNumber } from "./explain-number.ts";

/** Compressed. A million rows take about 10 MB. */
const MAX_UPLOAD_BYTES = 64 * 1024 * 1024;

const IMPORT = "POST /api/operator/decks/import";

/** Activates a deck. The service compares a million rows in another process. */
const activate: Verb<"activate-deck", Activated> = {
  plan: planActivation,
  respond: ({ proposal, result }) =>
    proposal === null
      ? { activated: presentActivated(result), proposal: null }
      : { activated: null, proposal: presentProposal(proposal) },
  inService: (ctx, operator, order) => refreshed(ctx, runInProcess(ctx, "activate", { operator, order })),
};

/** Calls off a deck's activations that have not come. */
const cancel: Verb<"cancel-deck", readonly Date[]> = {
  plan: planCancelling,
  respond: ({ result }) => ({ cancelled: (result ?? []).map((one) => one.toISOString()) }),
  inService: (ctx, operator, order) => refreshed(ctx, runOperation(actingAs(ctx, operator), "cancel-deck", cancel, order)),
};

const rollBack: Verb<"roll-back-deck", Activated> = {
  plan: planStepBack,
  respond: (outcome) => presentActivated(resultOf(outcome)),
  inService: (ctx, operator, order) => refreshed(ctx, runOperation(actingAs(ctx, operator), "roll-back-deck", rollBack, order)),
};

export const deckVerbs = { "activate-deck": activate, "cancel-deck": cancel, "roll-back-deck": rollBack };

export { columnMap, importDeck } from "./import-deck.ts";

export { readDeckStarts, type DeckStarts } from "./list-decks.ts";

/** The service sells by the change at once. */
async function refreshed<Result>(ctx: ServiceContext, running: Promise<Outcome<Result>>): Promise<Outcome<Result>> {
  const outcome = await running;
  await ctx.rates.refresh();
  return outcome;
}

/** `/api/operator/decks`: carriers' price lists. */
export function deckRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "GET /api/operator/decks", () => listDecks(ctx));
  uploadRoutes(app, ctx);
}

/** One file at a time, because a list of a million rows needs a processor and much memory. */
function uploadRoutes(app: App, ctx: ServiceContext): void {
  let isBusy = false;
  const withFile = async <Result>(
    { body }: { readonly body: AsyncIterable<Uint8Array> },
    reply: FastifyReply,
    use: (path: string, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    if (isBusy) throw new AppError("conflict", { reason: "operator.import_running" });
    isBusy = true;
    const folder = await mkdtemp(join(tmpdir(), "farline-deck-"));
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    try {
      const path = join(folder, "list.csv");
      await receiveFile(body, path);
      return await use(path, gone.signal);
    } finally {
      isBusy = false;
      await rm(folder, { recursive: true });
    }
  };

  serve(app, IMPORT, (request, reply) =>
    withFile(request, reply, async (path, signal) => {
      const order = orderOf(request.query, path);
      const report = await runInProcess(ctx, "import", { operator: operatorOf(request), order, signal });
      if (report.activated !== null) await ctx.rates.refresh();
      return report;
    }),
  );

  serve(app, "POST /api/operator/decks/bad-rows", async (request, reply) => {
    const rows = await withFile(request, reply, async (path, signal) => {
      const order = { ...readingOf(request.query, path), to: `${path}.bad-rows` };
      await runInProcess(ctx, "badRows", { operator: operatorOf(request), order, signal });
      // Open, it can be read after its folder is gone.
      return open(order.to);
    });
    return reply
      .type("text/csv; charset=utf-8")
      .header("content-disposition", 'attachment; filename="bad-rows.csv"')
      .send(rows.createReadStream());
  });
}

function orderOf(query: EndpointRequest<typeof IMPORT>["query"], path: string): ImportOrder {
  const { preview, file, name, reason } = query;
  if (preview !== undefined && reason === undefined)
    throw new AppError("validation_failed", { reason: "operator.reason_needed", field: "reason" });
  return {
    ...readingOf(query, path),
    source: file,
    name: name ?? null,
    newTrunk: query.new_trunk ?? null,
    kindSure: query.kind_sure,
    newColumns: query.new_columns,
    complete: query.complete,
    preview: preview ?? null,
    reason: reason ?? "",
  };
}

function readingOf(query: EndpointRequest<"POST /api/operator/decks/bad-rows">["query"], path: string): ReadingOrder {
  const { trunk, effective, increments, dates, skip, skip_words, columns } = query;
  return {
    path,
    trunk: trunk ?? null,
    effective: effective === undefined || effective === "now" ? (effective ?? null) : new Date(effective),
    increments: incrementsOf(increments),
    dates: dates ?? null,
    skipLines: new Set(skip?.split(",").map(Number)),
    skipWords: new Set(skip_words),
    columns: columnMap(columns ?? []),
  };
}

function incrementsOf(text: string | undefined): Increments | null {
  if (text === undefined) return null;
  const read = readIncrements(text);
  if (typeof read !== "string") return read;
  throw new AppError("validation_failed", { reason: "operator.increments_form", field: "increments" });
}

/**
 * Stores an uploaded file, compressed with gzip, as it arrives; only a few blocks of it are in memory.
 * @throws AppError body_too_large; validation_failed if it is not compressed or incomplete
 */
async function receiveFile(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  try {
    await pipeline(body, atMost(MAX_UPLOAD_BYTES), createGunzip(), atMost(MAX_DECK_BYTES), createWriteStream(path));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("validation_failed", { reason: "operator.file_incomplete", cause: error });
  }
}

function atMost(maxBytes: number) {
  return async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new AppError("body_too_large");
      yield chunk;
    }
  };
}

/** `/api/operator/prices`: what a number costs and why, and what a country's calls have cost. */
export function priceRoutes(app: App, ctx: Context): void {
  serve(app, "POST /api/operator/prices/explain", (request) => explainNumber(ctx, request.body));
  serve(app, "GET /api/operator/prices/history", (request) => presentHistory(ctx, request.query.country));
}

/** A country's prices as the command prints them and the console shows them. */
export async function presentHistory(ctx: Context, country: string): Promise<PriceHistoryResponse> {
  const periods = await readPriceHistory(ctx, country);
  const now = ctx.clock.now();
  return {
    country_code: country,
    country_name: englishNameOf(country),
    periods: periods.map(({ deckId, name, from, until, prices }) => ({
      deck_id: deckId,
      name,
      from: from.toISOString(),
      until: until?.toISOString() ?? null,
      state: from > now ? ("scheduled" as const) : until === null || until > now ? ("active" as const) : ("past" as const),
      prices: prices.map(({ numberType, prefixes, cost, price }) => ({
        number_type: numberType,
        prefixes,
        cost: presentRange(cost),
        price: presentRange(price),
      })),
    })),
  };
}

function presentRange({ lowest, highest }: PriceRange): { lowest: string; highest: string } {
  return { lowest: rateToDecimalString(lowest), highest: rateToDecimalString(highest) };
}
