import type { PageReader, PageRenderer, PublicPage, SiteFacts } from "@farline/contract/public-pages.ts";
import { dialerPath, qualitySorts } from "@farline/contract/constants.ts";
import type { QualityReport } from "@farline/contract/quality.ts";
import { countrySlug } from "@farline/domain/countries/country-slug.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { knownDoor, takeKnown } from "../accounts/accounts.ts";
import type { ServiceContext, Rates } from "../context.ts";
import { offersOf } from "../promotions/promotions.ts";
import type { Config } from "../platform/settings/config.ts";
import type { App } from "../platform/http/http.ts";
import type { Intake } from "../restore/restore.ts";
import { memoryNetworkLimit, type NetworkLimit } from "../platform/http/network-limit.ts";
import { PageCache, sendPage } from "./page-cache.ts";
import { pageReader } from "./page-reader.ts";
import { robots, sitemap } from "./site-files.ts";
import { PriceHistories } from "./published-history.ts";
import { comparedCountry, countriesBySlug, countryPrices, publicRates } from "./published-rates.ts";
import { publicStates, type PartStates } from "./readiness.ts";

const READING = {
  "/help": "help",
  "/contact": "contact",
  "/terms": "terms",
  "/privacy": "privacy",
  "/emergency-calls": "emergency",
} as const;
const NO_DECK = "none";
/** More than the list of countries has in any language. */
const MAX_COMMON_LISTS = 20;
/** Cached searches and late pages. */
const MAX_RARE_PAGES = 200;
/** Invalid parameters fall back to all countries and the first page. */
const search = z.string().trim().max(60).catch("");
const listQuery = z
  .object({ q: search, page: z.coerce.number().int().min(1).max(999).catch(1) })
  .transform(({ q, page }) => ({ search: q, number: page }));
const slug = z.string().max(80).transform(countrySlug).catch("");
const compareQuery = z.object({ a: slug, b: slug });
const qualityQuery = z.object({ q: search, sort: z.enum(qualitySorts).catch("country") });

interface PageSources {
  /** Null before the web app is built, whose routes then respond instead. */
  readonly renderer: PageRenderer | null;
  readonly states: () => Promise<PartStates>;
  readonly intake: Pick<Intake, "closed">;
  /** How calls to each country go. */
  readonly quality: { latest(): Promise<QualityReport> };
}

/**
 * The public site: complete pages with the current rates, cached by URL, reader and deck. Also `/sitemap.xml` and
 * `/robots.txt`.
 */
export function publicPages(app: App, ctx: ServiceContext, { renderer, states, intake, quality }: PageSources): void {
  const { rates } = ctx;
  if (renderer === null) return;
  const site = siteFacts(ctx.config);
  const pages = new RenderedPages(ctx, { renderer, site, intake });
  const histories = new PriceHistories(ctx);

  // Redirect signed-in users to the app, which asks for a new sign-in if the session is over.
  app.get("/", { config: { access: "visitor" } }, (request, reply) => {
    if (pages.reader(request).signedIn) return reply.header("cache-control", "no-store").redirect(dialerPath, 302);
    return pages.send(request, reply, { path: "/", page: () => ({ name: "landing", rates: shownRates(rates) }) });
  });
  app.get("/rates", { config: { access: "visitor" } }, (request, reply) => {
    if (pages.reader(request).signedIn) return reply.header("vary", "cookie").callNotFound();
    const { search, number } = listQuery.parse(request.query);
    const path = number === 1 ? "/rates" : `/rates?page=${number}`;
    return pages.send(request, reply, {
      path,
      page: () => ({ name: "rates", rates: shownRates(rates), search, number }),
      ...(search === "" && number <= MAX_COMMON_LISTS ? {} : { rare: `${number} ${search}` }),
    });
  });
  app.get("/about", { config: { access: "visitor" } }, (request, reply) =>
    pages.send(request, reply, { path: "/about", page: () => ({ name: "about", rates: shownRates(rates) }) }),
  );
  for (const [path, name] of Object.entries(READING))
    app.get(path, { config: { access: "visitor" } }, (request, reply) =>
      pages.send(request, reply, { path, page: () => ({ name }) }),
    );

  comparisonRoute(app, ctx, pages);

  app.get("/rates/:slug", { config: { access: "visitor" } }, async (request, reply) => {
    const { slug } = request.params as { slug: string };
    const deck = rates.published();
    const plain = countrySlug(slug);
    const summary = deck === null ? undefined : countriesBySlug(deck).get(plain);
    if (plain === "") return reply.redirect("/rates", 301);
    if (deck === null || summary === undefined)
      return pages.send(request, reply.status(404), { path: "/404", page: () => ({ name: "not-found" }) });
    if (plain !== slug) return reply.redirect(`/rates/${plain}`, 301);
    const history = await histories.of(summary.country_code, deck.id);
    return pages.send(request, reply, {
      path: `/rates/${plain}`,
      page: () => ({ name: "country", country: countryPrices(deck, summary, history) }),
      edition: history === null ? "without history" : "",
    });
  });

  app.get("/quality", { config: { access: "visitor" } }, async (request, reply) => {
    const report = await quality.latest();
    const { q, sort } = qualityQuery.parse(request.query);
    return pages.send(request, reply, {
      path: "/quality",
      page: () => ({ name: "quality", report, countries: shownRates(rates)?.countries ?? [], search: q, sort }),
      edition: `${report.made_at} ${sort} `,
      ...(q === "" ? {} : { rare: q }),
    });
  });

  app.get("/status", { config: { access: "visitor" } }, async (request, reply) => {
    const parts = publicStates(await states());
    return pages.send(request, reply, {
      path: "/status",
      page: () => ({ name: "status", parts }),
      edition: JSON.stringify(parts),
    });
  });

  app.get("/robots.txt", { config: { access: "visitor" } }, async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send(robots(site.origin)),
  );
  app.get("/sitemap.xml", { config: { access: "visitor" } }, async (_request, reply) =>
    reply.type("application/xml; charset=utf-8").send(sitemap(site.origin, rates.published())),
  );
}

function shownRates(rates: Rates) {
  const deck = rates.published();
  return deck === null ? null : publicRates(deck);
}

/** Two countries side by side; without scripts, the form is a link. */
function comparisonRoute(app: App, { rates }: ServiceContext, pages: RenderedPages): void {
  app.get("/rates/compare", { config: { access: "visitor" } }, (request, reply) => {
    const { a, b } = compareQuery.parse(request.query);
    return pages.send(request, reply, {
      path: "/rates/compare",
      page: () => comparison(rates, [a, b]),
      ...(a === "" && b === "" ? {} : { rare: `${a} ${b}` }),
    });
  });
}

function comparison(rates: Rates, slugs: readonly [string, string]): Extract<PublicPage, { name: "compare" }> {
  const deck = rates.published();
  if (deck === null) return { name: "compare", countries: [], compared: [], slugs };
  const found = slugs.map((slug) => countriesBySlug(deck).get(slug)).filter((summary) => summary !== undefined);
  const compared = found.map((summary) => comparedCountry(deck, summary));
  return { name: "compare", countries: deck.priceList.summaries, compared, slugs };
}

/** Renders and caches pages. A new deck, a new year in the footer, or intake that closes or opens invalidates all of them. */
class RenderedPages {
  readonly #renderer: PageRenderer;
  readonly #ctx: ServiceContext;
  readonly #site: SiteFacts;
  readonly #renders: NetworkLimit;
  #cache = new PageCache();
  #rare = rarePages();
  readonly #intake: Pick<Intake, "closed">;
  #edition = "";

  constructor(
    ctx: ServiceContext,
    {
      renderer,
      site,
      intake,
    }: { readonly renderer: PageRenderer; readonly site: SiteFacts; readonly intake: Pick<Intake, "closed"> },
  ) {
    this.#intake = intake;
    this.#ctx = ctx;
    this.#renderer = renderer;
    this.#site = site;
    this.#renders = memoryNetworkLimit(ctx, "rare-page");
  }

  /** The reader of the requested page. */
  reader(request: FastifyRequest): PageReader {
    return pageReader(request, this.#renderer.spokenLanguages);
  }

  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    wanted: {
      readonly path: string;
      readonly page: () => PublicPage;
      /** For rarely read pages: part of the cache key. Rendering new ones is limited by address. */
      readonly rare?: string;
      /** Version of the page's content: part of the cache key. */
      readonly edition?: string;
    },
  ): Promise<FastifyReply> {
    const { rates, clock } = this.#ctx;
    const year = clock.now().getUTCFullYear();
    const { closed } = this.#intake;
    const edition = `${rates.published()?.edition ?? NO_DECK} ${year} ${closed}`;
    if (edition !== this.#edition) [this.#cache, this.#rare] = [new PageCache(), rarePages()];
    this.#edition = edition;
    const reader = this.reader(request);
    const { path, rare, edition: of = "" } = wanted;
    const render = () => this.#renderer.renderPage({ page: wanted.page(), path, reader, year, site: this.#site, closed });
    const key = `${reader.language} ${reader.theme} ${reader.textSize} ${reader.signedIn} ${path} ${of}${rare ?? ""}`;
    if (rare === undefined) return sendPage(request, reply, await this.#cache.get(key, render));
    return sendPage(
      request,
      reply,
      await this.#rare.get(key, render, () => takeKnown(this.#renders, request, knownDoor(this.#ctx))),
    );
  }
}

function rarePages(): PageCache {
  return new PageCache({ maxPages: MAX_RARE_PAGES, use: "read by few" });
}

/** The operator's details shown on the public pages. */
export function siteFacts({ publicUrl, sandboxUrl, socialLinks, promotions, sellerNotice }: Config): SiteFacts {
  const { first_call: firstCall } = offersOf(promotions);
  return { origin: publicUrl, sandboxUrl, socialLinks, firstCall, seller: sellerNotice };
}
