import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/settings/config.ts";
import type { DatabaseHandle } from "../platform/database/database.ts";
import { insertBreaker, listBreakers, readCarrierSpend, readHourlyCosts } from "./breaker.store.ts";
import { decidePauses, decideSpend, harmlessHour, startOfDay, type NewBreaker } from "./decide-breakers.ts";

export interface RiskDependencies {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly log: Logger;
  readonly config: Pick<Config, "limitsScale">;
}

/** Checks what calls cost us and stops expensive destinations. Each finding is recorded once and reported to operators. */
export async function watchCosts({ handle, clock, log, config }: RiskDependencies): Promise<void> {
  const scale = config.limitsScale;
  if (scale === 0) return;
  const now = clock.now();
  const day = startOfDay(now);
  const known = await listBreakers(handle.db, day);
  const today = known.filter((one) => one.opened_at >= day);
  const made: NewBreaker[] = [
    ...decideSpend(await readCarrierSpend(handle.db, day, now), today, { now, scale }),
    ...decidePauses(await readHourlyCosts(handle.db, now, harmlessHour(scale)), known, { now, scale }),
  ];
  for (const breaker of made) {
    await insertBreaker(handle.db, { ...breaker, openedAt: now });
    const { kind: rule, subject, inputs, until } = breaker;
    if (rule === "spend_note") log.warn({ rule, subject, inputs }, "the carriers' share of the day's limit is used");
    else log.error({ rule, subject, inputs, until }, "calls are stopped; see the command breakers");
  }
}
