/** Kysely types of the settings' table. */
export interface SettingTables {
  /** The value of a setting from a time on. Immutable. */
  setting: {
    id: string;
    name: string;
    /** Micro-dollars, percent or a count. */
    value: bigint;
    valid_from: Date;
    operator: string;
    reason: string;
    created_at: Date;
  };
}
