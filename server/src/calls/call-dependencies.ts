import type { Telnyx } from "telnyx";
import type { Logger } from "pino";
import type { Authenticate } from "../accounts/accounts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Live } from "../live/live.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/settings/config.ts";
import type { DatabaseHandle } from "../platform/database/database.ts";
import type { Rates } from "../rates/rates.ts";

/** Dependencies of calls. */
export interface CallDependencies {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly log: Logger;
  readonly config: Pick<Config, "telnyx" | "limitsScale" | "mode" | "publicUrl">;
  readonly authenticate: Authenticate;
  readonly ledger: Ledger;
  readonly rates: Pick<Rates, "quote" | "trunkCosts">;
  readonly telnyx: Telnyx;
  readonly live: Pick<Live, "publish" | "onPublished">;
}
