import { reason } from "@farline/texts/reason.ts";
import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { countryCode, dollars, instant, ratePerMinute } from "../values.ts";
import { operationReason } from "./people.ts";

const MAX_TRUNK_CHARS = 64;
const MAX_NAME_CHARS = 80;
const MAX_SKIPPED_CHARS = 6_000;
const MAX_COLUMNS_CHARS = 6_000;
const MAX_WORDS_CHARS = 6_000;

const trunkName = z.string().trim().min(1).max(MAX_TRUNK_CHARS);

/** What a list prices: `sale` is what customers pay, `trunk` what calls over one trunk cost. Nothing is assumed. */
export const listKind = z.enum(["sale", "trunk"], { error: reason("operator.kind_needed") });
export type ListKind = z.infer<typeof listKind>;

const whatItPrices = { kind: listKind, trunk: trunkName.optional() };

/** Exactly a trunk's list names a trunk. */
function assertTrunk(list: { readonly kind: ListKind; readonly trunk?: string | undefined }, context: z.RefinementCtx): void {
  const isTrunk = list.kind === "trunk";
  if (isTrunk === (list.trunk !== undefined)) return;
  const message = reason(isTrunk ? "operator.trunk_needed" : "operator.trunk_not_sold");
  context.addIssue({ code: "custom", path: ["trunk"], message });
}

export const deckState = z.enum([
  /** Stored, and never activated. */
  "stored",
  /** Its activation waits for a second operator. */
  "proposed",
  "scheduled",
  "active",
  "past",
]);
export type DeckState = z.infer<typeof deckState>;

const deckActivation = z.object({
  effective_at: instant,
  state: z.enum(["scheduled", "active", "past"]),
  operator: z.string(),
  reason: z.string(),
});

const deck = z.object({
  id: z.uuid(),
  name: z.string(),
  /** The file's name. */
  source: z.string(),
  kind: listKind,
  /** The trunk whose costs it contains; null for a deck that calls are sold by. */
  trunk: z.string().nullable(),
  prices: z.number().int(),
  stored_at: instant,
  state: deckState,
  /** The latest first; cancelled ones are left out. */
  activations: z.array(deckActivation),
  /** The proposal to activate it that waits for a second operator. */
  proposal: z.uuid().nullable(),
  /** Of an active deck: the deck that a roll-back activates again, and when it was active first. Null if there is none. */
  goes_back_to: z.object({ id: z.uuid(), name: z.string(), effective_at: instant }).nullable(),
});
export type DeckResponse = z.infer<typeof deck>;

/** The newest decks, and how many there are. */
const decksResponse = z.object({ decks: z.array(deck), total: z.number().int() });
export type DecksResponse = z.infer<typeof decksResponse>;

/** A roll-back, as it was shown. */
export const stepBackOrder = z
  .object({
    ...whatItPrices,
    /** The active deck, and the earlier one that is active again. */
    from: z.uuid(),
    to: z.uuid(),
    reason: operationReason,
  })
  .superRefine(assertTrunk);

export const activated = z.object({
  deck: z.object({ id: z.uuid(), name: z.string(), kind: listKind, trunk: z.string().nullable() }),
  effective_at: instant,
  /** The deck that an earlier activation activates after it. */
  next: z.object({ name: z.string(), effective_at: instant }).nullable(),
});
export type ActivatedResponse = z.infer<typeof activated>;

const proposal = z.object({ id: z.uuid(), why: z.string() });

/** One of the two is null: the deck has its time, or its activation waits for a second operator. */
export const activationResponse = z.object({ activated: activated.nullable(), proposal: proposal.nullable() });

const minutePrice = z.object({ cost: ratePerMinute, sale: ratePerMinute });

/** The price of a prefix before and after; null if the deck has none. */
const priceChange = z.object({
  prefix: z.string(),
  description: z.string(),
  before: minutePrice.nullable(),
  after: minutePrice.nullable(),
});
export type PriceChangeResponse = z.infer<typeof priceChange>;

const lineText = z.object({ line: z.number().int(), text: z.string() });

const money = z.object({ cost: dollars, sale: dollars });

/** The calls of the last 30 days to a country, at both decks' prices; null if they have none. */
const countryMoney = z.object({
  country_code: countryCode,
  country_name: z.string(),
  calls: z.number().int(),
  minutes: z.number().int(),
  before: money.nullable(),
  after: money.nullable(),
});

/** Why a call stands among the examples. */
export const exampleChoice = z.enum(["most_called", "most_numbers", "cheapest", "most_expensive"]);

/** A call of a round length, to compare with the carrier's paper. */
const exampleCall = z.object({
  /** Why it was chosen: most called, or most numbers; cheapest; most expensive. */
  chosen: exampleChoice,
  prefix: z.string(),
  description: z.string(),
  seconds: z.number().int(),
  /** What the carrier takes for it. */
  cost: dollars,
  /** What the customer pays; null if calls to it are not sold. */
  sale: dollars.nullable(),
  /** The same as a sentence. */
  text: z.string(),
});
export type ExampleCallResponse = z.infer<typeof exampleCall>;

/** How the list is understood: what an operator compares with the carrier's paper before it is stored. */
const understood = z.object({
  kind: listKind,
  trunk: z.string().nullable(),
  /** Sentences: what it prices, in which currency and unit, in which increments, and from when. */
  lines: z.array(z.string()),
  examples: z.array(exampleCall),
});

/** What an operator can say that a column of a list means. */
export const columnMeaning = z.enum([
  "prefix",
  "calling-code",
  "area-code",
  "description",
  "country",
  "iso",
  "type",
  "price",
  "first-price",
  "next-price",
  "price-per-call",
  "increments",
  "first-interval",
  "next-interval",
  "effective",
  "currency",
  "unit",
  "origins",
  "forbidden",
  "active",
  "change",
  "status",
  "exact-match",
  "direction",
  "ignore",
]);
export type ColumnMeaning = z.infer<typeof columnMeaning>;

/** Why a file is not stored. */
export const importRefusal = z.enum([
  "kind_doubtful",
  "unknown_trunk",
  "preview_differs",
  "bad_rows",
  "unknown_lines",
  "doubtful_columns",
  "moved_columns",
  "nothing_applies",
  "known_prices",
  "incomplete",
]);
export type ImportRefusal = z.infer<typeof importRefusal>;

/** What a file would change, and what was stored: the report of the command and of the console. */
const deckReport = z.object({
  understood,
  /** Names this reading of this file: it is stored only by sending this back. */
  preview: z.string(),
  /** Sentences: what was read, what would change. */
  summary: z.array(z.string()),
  warnings: z.array(z.string()),
  /** The same as numbers. */
  counts: z.object({
    rows: z.number().int(),
    prefixes: z.number().int(),
    bad: z.number().int(),
    added: z.number().int(),
    raised: z.number().int(),
    lowered: z.number().int(),
    other_increments: z.number().int(),
    unchanged: z.number().int(),
    gone: z.number().int(),
  }),
  /** The name of the active deck that it is compared with. */
  compared_with: z.string().nullable(),
  columns: z.array(
    z.object({
      header: z.string(),
      /** Null for a column that is not read. */
      meaning: columnMeaning.nullable(),
      /** Whether an operator said so. */
      is_given: z.boolean(),
    }),
  ),
  /** Columns that are not read but may affect what calls cost. */
  doubtful_columns: z.array(z.string()),
  bad_rows: z.array(
    z.object({
      problem: z.string(),
      text: z.string(),
      count: z.number().int(),
      rows: z.array(lineText),
      /** The words that make them bad, the commonest first. Rows with the same word can be left out together. */
      words: z.array(z.object({ word: z.string(), count: z.number().int(), text: z.string() })),
    }),
  ),
  /** Notices and totals among the prices. */
  notices: z.object({ total: z.number().int(), rows: z.array(lineText) }),
  /** What the calls of the last 30 days would cost and bring in: sentences, and the countries where that changes. */
  money: z.object({ lines: z.array(z.string()), total: z.number().int(), countries: z.array(countryMoney) }),
  /** Prices that change by more than half, the largest change first; `line` says how many of how many. */
  jumps: z.object({ line: z.string().nullable(), total: z.number().int(), changes: z.array(priceChange) }),
  removed_in_use: z.array(priceChange.extend({ calls: z.number().int() })),
  /** Why a second operator must confirm it. */
  concerns: z.array(z.string()),
  /** Why nothing is stored. */
  refusals: z.array(z.object({ kind: importRefusal, text: z.string() })),
  /** The stored deck. */
  deck: z.uuid().nullable(),
  /** Whether the same prices are stored already, and as which deck. */
  same_deck: z.uuid().nullable(),
  activated: activated.nullable(),
  proposal: proposal.nullable(),
});
export type DeckReportResponse = z.infer<typeof deckReport>;

/** A flag of a query. */
const flag = z
  .enum(["true", "false"])
  .transform((text) => text === "true")
  .default(false);

/** How to read the file. The body is the gzipped file. */
const howToRead = {
  ...whatItPrices,
  /** `now` or a time; without it the deck is only stored. */
  effective: z.union([z.literal("now"), instant]).optional(),
  /** For rows without increments: `60/1`. */
  increments: z.string().max(20).optional(),
  dates: z.enum(["dmy", "mdy"]).optional(),
  /** Lines to leave out: `12,99`. */
  skip: z
    .string()
    .max(MAX_SKIPPED_CHARS)
    .regex(/^\d{1,8}(?:,\d{1,8})*$/)
    .optional(),
  /** Words whose bad rows are left out, one a line: `price_form=closed`. */
  skip_words: z
    .string()
    .max(MAX_WORDS_CHARS)
    .transform((text) => text.split("\n"))
    .optional(),
  /** What columns mean, one a line: `Dial Codes=prefix`. */
  columns: z
    .string()
    .max(MAX_COLUMNS_CHARS)
    .transform((text) => text.split("\n"))
    .optional(),
};

/** How to read the file, and what to do with it. */
const importQuery = z
  .object({
    ...howToRead,
    /** A trunk that no deck was stored for yet: its name once more. */
    new_trunk: trunkName.optional(),
    /** The list is of this kind although its words say otherwise. */
    kind_sure: flag,
    /** The `preview` of the report that the operator has seen; without it, the file is only read and compared. */
    preview: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .optional(),
    /** The file's name. */
    file: z.string().trim().min(1).max(MAX_NAME_CHARS),
    name: z.string().trim().min(1).max(MAX_NAME_CHARS).optional(),
    new_columns: flag,
    complete: flag,
    reason: operationReason.optional(),
  })
  .superRefine(assertTrunk);

export const operatorDeckEndpoints = {
  "GET /api/operator/decks": { access: "operator", right: "read-costs", answer: decksResponse },
  "POST /api/operator/decks/import": {
    access: "operator",
    right: "decks",
    query: importQuery,
    raw: { type: "application/gzip" },
    answer: deckReport,
    refusals: ["conflict"],
  },
  /** Every row that cannot be used, for the carrier; the report lists some of them. */
  "POST /api/operator/decks/bad-rows": {
    access: "operator",
    right: "decks",
    query: z.object(howToRead).superRefine(assertTrunk),
    raw: { type: "application/gzip" },
    file: ["text/csv"],
    refusals: ["conflict"],
  },
} as const satisfies Endpoints;
