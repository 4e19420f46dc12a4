import { toDecimalString } from "@farline/domain/money.ts";
import type { TrunkConfig, TrunkState } from "./sip/trunk.ts";

/** Our extension `GET /v2/trunks`: what the service needs to know whether a call can be carried at its price, and whether a carrier refuses us. */
export function trunkRecords(trunks: readonly TrunkConfig[], states: readonly TrunkState[]): Record<string, unknown>[] {
  return trunks.map(({ name, prefixes = [], cost }) => {
    const state = states.find((one) => one.name === name && !one.leaving);
    return {
      record_type: "trunk",
      name,
      prefixes,
      cost:
        cost === undefined
          ? null
          : {
              rate_per_minute: toDecimalString(cost.ratePerMinuteMicros),
              first_interval: cost.firstIntervalSeconds,
              next_interval: cost.nextIntervalSeconds,
            },
      refused_with: state?.refusedWith ?? null,
      failing: state?.failing ?? false,
      down: state?.down ?? false,
    };
  });
}
