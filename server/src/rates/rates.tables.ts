/** Tables of this subject, as Kysely sees them. */
export interface RateTables {
  deck: DeckTable;
  deck_rate: DeckRateTable;
}

/** A set of rates with a date. Written once, never changed. */
export interface DeckTable {
  id: string;
  name: string;
  source: string;
  effective_at: Date;
  created_at: Date;
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
