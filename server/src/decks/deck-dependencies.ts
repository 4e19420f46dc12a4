import type { Config } from "../platform/settings/config.ts";
import type { Clock } from "../platform/clock.ts";
import type { DatabaseHandle } from "../platform/database/database.ts";

/** What decks need of the service. */
export interface DeckDependencies {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly config: Pick<Config, "mode">;
}

export interface DeckOrder {
  readonly operator: string;
  readonly reason: string;
}
