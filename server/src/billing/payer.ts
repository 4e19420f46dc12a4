import type { Customer } from "../accounts/accounts.ts";

/** The requesting customer, as billing sees them. */
export interface Payer {
  readonly id: string;
  readonly email: string;
  readonly status: Customer["status"];
  readonly emailVerified: boolean;
  readonly createdAt: Date;
}
