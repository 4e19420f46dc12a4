import type { Authenticate } from "../accounts/accounts.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/settings/config.ts";
import type { DatabaseHandle } from "../platform/database/database.ts";
import type { Rates } from "../rates/rates.ts";

/** Dependencies of the contacts. */
export interface ContactDependencies {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly config: Pick<Config, "limitsScale">;
  readonly authenticate: Authenticate;
  readonly rates: Pick<Rates, "quote">;
}
