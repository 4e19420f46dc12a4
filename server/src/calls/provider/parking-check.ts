import { APIError } from "telnyx";
import type { CallDependencies } from "../call-dependencies.ts";

/** How long a positive result is cached. The setting at the provider may change. */
const GOOD_FOR_MS = 5 * 60_000;

/** Whether the provider parks browsers' legs, as it must. */
export interface ParkingCheck {
  isOn(): Promise<boolean>;
}

/**
 * Parking makes voice tokens harmless: a leg waits until the service gives it a destination. Without it, browsers could dial
 * any number, so no tokens may be issued.
 */
export function createParkingCheck(deps: Pick<CallDependencies, "telnyx" | "config" | "log" | "clock">): ParkingCheck {
  let goodUntilMs = 0;
  let asking: Promise<boolean> | null = null;
  const ask = async (): Promise<boolean> => {
    try {
      const { data } = await deps.telnyx.credentialConnections.retrieve(deps.config.telnyx.connectionId);
      const on = data?.outbound?.call_parking_enabled === true;
      if (on) goodUntilMs = deps.clock.now().getTime() + GOOD_FOR_MS;
      else deps.log.error("the voice connection does not park calls: no tokens are issued until call parking is switched on");
      return on;
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      deps.log.error({ err: error }, "the voice connection could not be checked");
      return false;
    } finally {
      asking = null;
    }
  };
  return {
    async isOn() {
      if (deps.clock.now().getTime() < goodUntilMs) return true;
      asking ??= ask();
      return asking;
    },
  };
}
