import { fileURLToPath } from "node:url";
import type { PageRenderer, PageRequest } from "@farline/contract/public-pages.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import type { DeckRow } from "@farline/domain/rates/deck-rows.ts";
import pino from "pino";
import { loadPageRenderer, publicPages } from "../../src/pages/pages.ts";
import { siteFacts } from "../../src/pages/public-pages.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { createApp, type App } from "../../src/platform/http/http.ts";
import { priceListOf } from "../price-list-of.ts";
import { EXAMPLE_SELLER, noRates, testConfig, testContext } from "../test-context.ts";

const RENDERER = fileURLToPath(new URL("../../../web/renderer/dist/server-entry.js", import.meta.url));
const log = pino({ level: "silent" });
/** What the pages of these tests share. */
export const site = siteFacts(testConfig({ sellerNotice: EXAMPLE_SELLER }));
const quality = { latest: async () => ({ last_day: null, made_at: null, destinations: [] }) };
export const GOOD = { database: "ok", rates: "ok", voice: "ok", payments: "ok" } as const;

/** The pages as `npm run build` made them. */
export const built = await loadBuilt();

async function loadBuilt(): Promise<PageRenderer> {
  const renderer = await loadPageRenderer(RENDERER);
  if (renderer === null) throw new Error("The pages are not built: run npm run build.");
  return renderer;
}

export function row(
  prefix: string,
  [countryCode, numberType]: readonly [string, string],
  rate: string,
  intervals = [1, 1],
): DeckRow {
  const [firstIntervalSeconds = 1, nextIntervalSeconds = 1] = intervals;
  const description = `${countryCode} ${numberType}`;
  return {
    prefix,
    description,
    countryCode,
    numberType,
    ratePerMinuteMicros: fromDecimalString(rate),
    firstIntervalSeconds,
    nextIntervalSeconds,
  };
}

export const rows = [
  row("233", ["GH", "landline"], "0.3020"),
  row("23324", ["GH", "mobile"], "0.3200", [30, 6]),
  row("23325", ["GH", "mobile"], "0.3200", [30, 6]),
  row("2338", ["GH", "toll_free"], "0.0800"),
  row("91", ["IN", "mobile"], "0.0210"),
  row("1", ["US", "fixed_or_mobile"], "0.0100"),
];

export function deckOf(id: string, of: readonly DeckRow[] = rows) {
  return { id, edition: id, effectiveAt: new Date("2026-01-01T00:00:00Z"), priceList: priceListOf(of) };
}

interface Setting {
  closed?: boolean;
  deck?: ReturnType<typeof deckOf> | null;
  spoken?: PageRenderer["spokenLanguages"];
  parts?: Record<keyof typeof GOOD, "ok" | "down">;
}

/** Serves the public pages in English, from this deck. `seen` collects what was rendered. */
export async function withPages(
  setting: Setting,
  run: (app: App, seen: PageRequest[], change: (deck: ReturnType<typeof deckOf>) => void) => Promise<void>,
): Promise<void> {
  let deck = setting.deck === undefined ? deckOf("one") : setting.deck;
  const seen: PageRequest[] = [];
  const renderer: PageRenderer = {
    spokenLanguages: setting.spoken ?? ["en"],
    renderPage(request) {
      seen.push(request);
      return built.renderPage({ ...request, reader: { ...request.reader, language: "en" } });
    },
  };
  const app = createApp({ log, trustedProxies: 0 });
  const ctx = testContext({
    handle: openDatabase("postgres://127.0.0.1:9/unused", 1, log),
    clock: systemClock,
    rates: { ...noRates, published: () => deck },
    config: { sellerNotice: EXAMPLE_SELLER, limitsScale: 1 },
  });
  publicPages(app, ctx, {
    renderer,
    states: async () => setting.parts ?? GOOD,
    intake: { closed: setting.closed ?? false },
    quality,
  });
  try {
    await run(app, seen, (next) => (deck = next));
  } finally {
    await app.close();
  }
}
