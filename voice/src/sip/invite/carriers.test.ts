import { describe, it } from "vitest";
import { CarrierCall } from "../../../test/scenarios/carrier-call.ts";
import { carrierScenarios, everySecond, IS_FULL } from "../../../test/scenarios/carrier-scenarios.ts";
import { carrierScript } from "../../../test/scenarios/carrier-script.ts";
import { SOUND } from "../../../test/scenarios/scenario.ts";

/** The sound is connected by then, because no media process has to do it. */
const CONNECTED_MS = 200;

describe.concurrent.for([
  ["udp", carrierScenarios],
  ["tcp", IS_FULL ? carrierScenarios : everySecond(carrierScenarios, 1)],
] as const)(
  "a call over %s is reported to the service, and its sound connected, by carrier scenario:",
  ([transport, scenarios]) => {
    it.for(scenarios)("$name", async (scenario, { expect, onTestFinished }) => {
      const { steps, reported, sound = SOUND, trunk, hangUp } = scenario;
      const call = await CarrierCall.start(carrierScript(steps, CONNECTED_MS), { ...trunk, transport });
      onTestFinished(() => call.end());
      if (hangUp !== undefined) await call.hangUpWhen(hangUp);
      expect(await call.reported).toBe(reported);
      await call.carrierDone;
      if (reported.startsWith("answered")) expect(call.sound).toBe(sound);
    });
  },
);
