/** Tables of this subject, as Kysely sees them. */
export interface CallTables {}
