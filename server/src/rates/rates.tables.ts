/** Kysely types of the rates' tables. */
export interface RateTables {
  called_prefix: CalledPrefixTable;
  deck: DeckTable;
  deck_activation: DeckActivationTable;
  deck_block: DeckBlockTable;
  deck_country_price: DeckCountryPriceTable;
  deck_rate: DeckRateTable;
}

/** A set of rates. Immutable. */
interface DeckTable {
  id: string;
  name: string;
  source: string;
  created_at: Date;
  /** SHA-256 of an imported deck's prices; null for other decks. */
  checksum: string | null;
  /** The trunk whose costs the deck contains; null for a deck that calls are sold by. */
  trunk: string | null;
  /** The number of its rows in deck_rate. */
  prices: number;
}

/** Activates a deck from a time; the latest past activation counts. Immutable, but can be cancelled before its time. */
interface DeckActivationTable {
  id: string;
  deck_id: string;
  effective_at: Date;
  operator: string;
  reason: string;
  created_at: Date;
  /** When it was cancelled; null if it was not. */
  cancelled_at: Date | null;
  /** Whether a second operator confirmed it. */
  confirmed: boolean;
  /** Of a roll-back: the ordinary activation that counts again; null for others. */
  returns_to: string | null;
}

/** Numbers that a deck does not sell, although a shorter prefix has a price. */
interface DeckBlockTable {
  deck_id: string;
  prefix: string;
  /** From the numbering plan. */
  country_code: string;
}

/** The range of a deck's prices in deck_rate by country and type. */
interface DeckCountryPriceTable {
  deck_id: string;
  country_code: string;
  number_type: string;
  prefixes: number;
  lowest_cost_micros: bigint;
  highest_cost_micros: bigint;
  lowest_price_micros: bigint;
  highest_price_micros: bigint;
}

/** Counted calls by prefix, without customers. */
export interface CalledPrefixTable {
  country_code: string;
  number_type: string;
  prefix: string;
  calls: number;
  made_at: Date;
}

export interface DeckRateTable {
  deck_id: string;
  prefix: string;
  description: string;
  country_code: string;
  number_type: string;
  rate_per_minute_micros: bigint;
  first_interval_seconds: number;
  next_interval_seconds: number;
  cost_per_minute_micros: bigint;
  cost_first_interval_seconds: number;
  cost_next_interval_seconds: number;
}
