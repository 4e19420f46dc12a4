import type { Customer } from "../accounts/accounts.ts";

/** The fields of the requesting customer that billing needs. */
export interface Payer {
  readonly id: string;
  readonly email: string;
  readonly status: Customer["status"];
  readonly emailVerified: boolean;
  readonly createdAt: Date;
}
