import type { OperatorDependencies } from "../billing/billing.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LivePublisher } from "../live/live.ts";
import type { Clock } from "../platform/clock.ts";
import type { DatabaseHandle } from "../platform/database/database.ts";
import type { Config } from "../platform/settings/config.ts";
import type { Logger } from "pino";

/** Dependencies of exports and of requests to erase. */
export interface PersonalDataDependencies {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly log: Logger;
  readonly config: Pick<Config, "limitsScale" | "secretKeys">;
  readonly ledger: Ledger;
  readonly live: LivePublisher;
}

/** Dependencies of the jobs, which also tell the payment provider. */
export interface ErasureDependencies extends PersonalDataDependencies {
  readonly stripe: OperatorDependencies["stripe"];
}
