/** Kysely types of the restores. */
export interface RestoreTables {
  restore: {
    id: string;
    began_at: Date;
    known_until: Date;
    receipts_above: number | null;
    opened_at: Date | null;
  };
}
