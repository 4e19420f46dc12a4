import type { DestinationQuality, QualityReport } from "@farline/contract/quality.ts";
import { publishQuality } from "@farline/domain/calls/published-quality.ts";
import { DAY_MS, settleWithin } from "@farline/domain/durations.ts";
import type { Context } from "../../context.ts";
import { replaceCalledPrefixes } from "../../rates/rates.ts";
import {
  countCalledPrefixes,
  type DestinationMeasured,
  findQualityReport,
  measureDestinations,
  replaceQualityReport,
  type StoredReport,
} from "./quality-report.store.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { listSender } from "../../platform/http/list-sender.ts";

/** How long a report stays in memory: a new one is made once a day. */
const KEPT_MS = 60_000;
/** A slow database delays no page for longer than this: it gets the report in memory. */
const MAX_WAIT_MS = 1_000;

/**
 * Makes the day's report of the quality of calls by destination and counts the called prefixes, unless it was done. Both cover complete
 * days and are made once, so that nobody can compare them before and after a call.
 */
export async function makeQualityReport(ctx: Pick<Context, "handle" | "clock" | "transaction">): Promise<void> {
  const now = ctx.clock.now();
  const until = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const last_day = new Date(until.getTime() - DAY_MS).toISOString().slice(0, 10);
  const latest = await findQualityReport(ctx.handle.db);
  if (latest !== undefined && latest.last_day >= last_day) return;
  const destinations = publishDestinations(await measureDestinations(ctx.handle.db, until));
  await ctx.transaction(async (tx) => {
    await replaceQualityReport(tx, { last_day, made_at: now, destinations });
    await replaceCalledPrefixes(tx, await countCalledPrefixes(tx, until), now);
  });
}

/** The shortest span that has enough calls counts, for each country. */
function publishDestinations(measured: readonly DestinationMeasured[]): DestinationQuality[] {
  const published = new Map<string, DestinationQuality>();
  for (const one of measured) {
    const figures = publishQuality(one);
    if (figures === null || published.has(one.countryCode)) continue;
    published.set(one.countryCode, {
      country_code: one.countryCode,
      days: one.days,
      calls_at_least: figures.callsAtLeast,
      answered_percent: figures.answeredPercent,
      delay_median_seconds: figures.medianDelaySeconds,
      delay_p95_seconds: figures.p95DelaySeconds,
      mos_median: figures.medianMos,
    });
  }
  return [...published.values()];
}

const NO_REPORT: QualityReport = { last_day: null, made_at: null, destinations: [] };

/** The latest report, from memory for a minute, and for as long as the database is away. */
export class PublishedQuality {
  readonly #ctx: Pick<Context, "read" | "clock" | "log">;
  readonly #find: typeof findQualityReport;
  #report = NO_REPORT;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(ctx: Pick<Context, "read" | "clock" | "log">, find = findQualityReport) {
    this.#ctx = ctx;
    this.#find = find;
  }

  /** Concurrent calls share one read. */
  async latest(): Promise<QualityReport> {
    if (this.#ctx.clock.now().getTime() - this.#readAt >= KEPT_MS) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null;
      });
      await settleWithin(this.#reading, MAX_WAIT_MS, () => undefined);
    }
    return this.#report;
  }

  async #read(): Promise<void> {
    try {
      const stored = await this.#ctx.read((db) => this.#find(db));
      this.#report = stored === undefined ? NO_REPORT : publicReport(stored);
    } catch (error) {
      this.#ctx.log.warn({ err: error }, "could not read the report on the quality of calls");
    }
    this.#readAt = this.#ctx.clock.now().getTime();
  }
}

function publicReport({ last_day, made_at, destinations }: StoredReport): QualityReport {
  return { last_day, made_at: made_at.toISOString(), destinations: [...destinations] };
}

/** `GET /api/quality`, public. */
export function qualityRoutes(app: App, quality: Pick<PublishedQuality, "latest">): void {
  const send = listSender();
  serve(app, "GET /api/quality", async (request, reply) => {
    const report = await quality.latest();
    return send(request, reply, { version: report.made_at ?? "none", content: () => report });
  });
}
