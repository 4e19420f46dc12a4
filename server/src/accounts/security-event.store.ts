import { uuidv7 } from "uuidv7";
import type { Tx } from "../platform/database.ts";

/** What can happen to the ways into an account. */
export type SecurityEventKind =
  | "google_linked"
  | "google_unlinked"
  /** An account whose address nobody had proved went to the owner of the address; what could open it before is gone. */
  | "google_took_unverified"
  | "google_refused"
  | "two_factor_on"
  | "two_factor_off"
  | "recovery_codes_new"
  | "recovery_code_used"
  | "second_factor_failed"
  | "passkey_added"
  | "passkey_removed"
  | "account_frozen"
  | "account_unfrozen";

export interface SecurityEvent {
  readonly customerId: string;
  readonly kind: SecurityEventKind;
  readonly detail?: string;
  /** As `deviceName` and `shortNetwork` give them; null when it was not done from a browser. */
  readonly from: { readonly device: string; readonly network: string } | null;
  readonly at: Date;
}

const DETAIL_LENGTH = 300;

/** Writes down what happened, in the transaction that makes it happen. */
export async function insertSecurityEvent(tx: Tx, event: SecurityEvent): Promise<void> {
  await tx
    .insertInto("security_event")
    .values({
      id: uuidv7(),
      customer_id: event.customerId,
      kind: event.kind,
      detail: event.detail?.slice(0, DETAIL_LENGTH) ?? null,
      device: event.from?.device ?? null,
      network: event.from?.network ?? null,
      happened_at: event.at,
    })
    .execute();
}

export async function deleteSecurityEvents(db: Tx, before: Date): Promise<void> {
  await db.deleteFrom("security_event").where("happened_at", "<", before).execute();
}
