/** Kysely types of the tables of families. */
export interface FamilyTables {
  family_member: FamilyMemberTable;
  family_invitation: {
    customer_id: string;
    id: string;
    email: string | null;
    daily_cap_micros: bigint | null;
    monthly_cap_micros: bigint | null;
    countries: string[] | null;
    time_zone: string;
    created_at: Date;
    expires_at: Date;
  };
}

interface FamilyMemberTable {
  customer_id: string;
  owner_id: string;
  joined_at: Date;
  owner_pays: boolean;
  shows_numbers: boolean;
  daily_cap_micros: bigint | null;
  monthly_cap_micros: bigint | null;
  countries: string[] | null;
  time_zone: string;
}
