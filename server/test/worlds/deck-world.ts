import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listDecks } from "../../src/decks/list-decks.ts";
import type { DeckReport, ImportOrder } from "../../src/decks/import-deck.ts";
import type { Activated } from "../../src/decks/activate-deck.ts";
import { importDeck } from "../../src/decks/decks.ts";
import type { Config } from "../../src/platform/settings/config.ts";
import { ManualClock } from "../manual-clock.ts";
import { createRates } from "../../src/rates/rates.ts";
import { confirm, operate, propose } from "../operate.ts";
import { asOperator, defaultSettings, testContext } from "../test-context.ts";
import { testDatabase, type TestDatabase } from "../test-database.ts";
import type { Rates } from "../../src/context.ts";

export const DECK_TIME = new Date("2026-11-01T12:00:00Z");
const HEADER = "ISO,Prefix,Destination,Rate,Interval 1,Interval N,Effective,Change";

type Mode = Config["mode"];
/** How a test imports a list: it is looked at and then stored as it was shown, unless the test only looks. */
type Bringing = Partial<Omit<ImportOrder, "preview">> & { readonly dryRun?: boolean };

/** A service, in sandbox mode with the sample deck, and two operators who import price lists. */
const NO_DECK = "00000000-0000-0000-0000-000000000000";

export class DeckWorld {
  readonly clock = new ManualClock(DECK_TIME);
  readonly #folder: string;
  readonly #mode: Mode;
  readonly database: TestDatabase;
  rates!: Rates;
  settings = defaultSettings;

  private constructor(folder: string, database: TestDatabase, mode: Mode) {
    this.#folder = folder;
    this.#mode = mode;
    this.database = database;
  }

  static async start(mode: Mode = "sandbox"): Promise<DeckWorld> {
    const [folder, database] = await Promise.all([mkdtemp(join(tmpdir(), "decks-")), testDatabase()]);
    const world = new DeckWorld(folder, database, mode);
    world.rates = await createRates(testContext({ handle: database.handle, clock: world.clock, config: { mode } }));
    return world;
  }

  async close(): Promise<void> {
    this.rates.close();
    await Promise.all([rm(this.#folder, { recursive: true }), this.database.close()]);
  }

  as(operator: string, mode = this.#mode) {
    const { clock, settings } = this;
    return asOperator(testContext({ handle: this.database.handle, clock, settings, config: { mode } }), operator);
  }

  /** Imports a list as Grace. */
  bring(rows: readonly string[], order: Bringing = {}): Promise<DeckReport> {
    return this.bringFile([HEADER, ...rows], order);
  }

  /** The same with another header. */
  async bringFile(lines: readonly string[], order: Bringing = {}): Promise<DeckReport> {
    const { dryRun = false, ...given } = order;
    const read = { ...this.order(), newTrunk: given.trunk ?? null, ...given };
    await writeFile(read.path, lines.join("\n"));
    const seen = await importDeck(this.as("grace"), read);
    return dryRun || seen.refusals.length > 0 ? seen : importDeck(this.as("grace"), { ...read, preview: seen.preview });
  }

  /** Takes the step back that the list of decks offers now. */
  async rollBack(trunk: string | null, mode = this.#mode): Promise<Activated> {
    const ctx = this.as("grace", mode);
    const active = (await listDecks(ctx)).decks.find((deck) => deck.state === "active" && deck.trunk === trunk);
    const [from, to] = [active?.id ?? NO_DECK, active?.goes_back_to?.id ?? NO_DECK];
    const which = trunk === null ? { kind: "sale" as const } : { kind: "trunk" as const, trunk };
    return operate(ctx, "roll-back-deck", { ...which, from, to, reason: "A mistake" });
  }

  /** An order to look at the list that was brought last, as what customers pay. */
  order(): ImportOrder {
    return {
      path: join(this.#folder, "carrier.csv"),
      source: "carrier.csv",
      reason: "New prices",
      trunk: null,
      newTrunk: null,
      kindSure: false,
      name: null,
      effective: null,
      increments: null,
      dates: null,
      skipLines: new Set<number>(),
      skipWords: new Set<string>(),
      columns: new Map(),
      newColumns: false,
      complete: true,
      preview: null,
    };
  }

  /** The same, and Ada confirms its prices if a second operator must. */
  async putInForce(rows: readonly string[], order: Bringing = {}): Promise<DeckReport> {
    const report = await this.bring(rows, { effective: "now", ...order });
    return report.proposal === null ? report : { ...report, activated: await this.confirm(), proposal: null };
  }

  /** Grace activates a deck, and Ada confirms it if a second operator must. */
  async activate(deck: string, at: Date | null): Promise<Activated> {
    const order = { deck, at: at?.toISOString() ?? null, reason: "New prices" };
    const { result } = await propose(this.as("grace"), "activate-deck", order);
    return result ?? this.confirm();
  }

  /** Confirms the newest proposal to activate a deck. */
  async confirm(operator = "ada"): Promise<Activated> {
    return confirm(this.as(operator));
  }

  /** Our price per minute by the active deck. */
  async price(number: string): Promise<bigint | null> {
    await this.rates.refresh();
    return this.rates.quote(number, "visitor")?.ratePerMinuteMicros ?? null;
  }
}
