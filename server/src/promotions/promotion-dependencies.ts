import type { Logger } from "pino";
import type { Ledger } from "../ledger/ledger.ts";
import type { LivePublisher } from "../live/live.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/settings/config.ts";
import type { DatabaseHandle } from "../platform/database/database.ts";

/** Dependencies of the jobs that decide grants. */
export interface GrantDependencies {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ledger: Pick<Ledger, "credit" | "reverse" | "lockAccounts">;
  readonly live: LivePublisher;
  readonly config: Pick<Config, "promotions" | "limitsScale">;
}

/** Dependencies of promotions. */
export interface PromotionDependencies extends GrantDependencies {
  readonly config: GrantDependencies["config"] & Pick<Config, "publicUrl">;
}
