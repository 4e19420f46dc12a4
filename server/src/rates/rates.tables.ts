/** Tables of this subject, as Kysely sees them. */
export interface RateTables {
  deck: DeckTable;
  deck_activation: DeckActivationTable;
  deck_block: DeckBlockTable;
  deck_rate: DeckRateTable;
}

/** A set of rates. Written once, never changed. */
export interface DeckTable {
  id: string;
  name: string;
  source: string;
  created_at: Date;
  /** SHA-256 of all prices of an imported deck, else null. */
  checksum: string | null;
  /** Whose costs it tells; null for a deck that calls are sold by. */
  trunk: string | null;
}

/** From when a deck is in force. The latest one that has passed counts; it only ever changes by being cancelled before. */
export interface DeckActivationTable {
  id: string;
  deck_id: string;
  effective_at: Date;
  operator: string;
  reason: string;
  created_at: Date;
  /** When it was called off; null: it counts. */
  cancelled_at: Date | null;
}

/** Numbers that a deck does not sell, although a shorter prefix of it has a price. */
export interface DeckBlockTable {
  deck_id: string;
  prefix: string;
  /** Of the numbering plan. */
  country_code: string;
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
