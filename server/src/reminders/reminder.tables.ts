/** Kysely types of the reminders. */
export interface ReminderTables {
  reminder: {
    id: string;
    customer_id: string;
    contact_id: string;
    time_zone: string;
    country_code: string;
    /** On the clock there: "18:00:00". */
    local_time: string;
    weekly: boolean;
    next_at: Date;
    created_at: Date;
  };
}
