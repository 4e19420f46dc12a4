import type { Customer } from "../accounts/accounts.ts";
import type { Logger } from "pino";
import type Stripe from "stripe";
import type { Ledger } from "../ledger/ledger.ts";
import type { LiveListener, LivePublisher } from "../live/live.ts";
import type { Clock } from "../platform/clock.ts";
import type { BudgetConfig } from "../promotions/promotions.ts";
import type { Config } from "../platform/settings/config.ts";
import type { DatabaseHandle } from "../platform/database/database.ts";

/** The requesting customer, as billing sees them. */
export interface Payer {
  readonly id: string;
  readonly email: string;
  readonly status: Customer["status"];
  readonly emailVerified: boolean;
  readonly createdAt: Date;
}

/** Dependencies of jobs and operator commands. */
export interface OperatorDependencies {
  readonly handle: DatabaseHandle;
  readonly stripe: Stripe;
  readonly config: Pick<Config, "publicUrl" | "mode" | "stripe"> & BudgetConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ledger: Ledger;
  readonly live: LivePublisher;
}

/** Dependencies of billing. */
export interface BillingDependencies extends OperatorDependencies {
  readonly config: OperatorDependencies["config"] & Pick<Config, "seller" | "secretKeys">;
  /** Subscribes to what other subjects publish. */
  readonly onPublished: LiveListener["onPublished"];
}
