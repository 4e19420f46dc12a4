import { describe, it } from "vitest";
import { CarrierCall } from "../../../test/carrier-call.ts";
import { carrierScenarios } from "../../../test/carrier-scenarios.ts";
import { carrierScript } from "../../../test/carrier-script.ts";

describe.concurrent.for(["udp", "tcp"] as const)(
  "a call over %s is reported to the service by carrier scenario:",
  (transport) => {
    it.for(carrierScenarios)("$name", async ({ steps, reported, trunk, hangUp }, { expect, onTestFinished }) => {
      const call = await CarrierCall.start(carrierScript(steps), { ...trunk, transport });
      onTestFinished(() => call.end());
      if (hangUp !== undefined) await call.hangUpWhen(hangUp);
      expect(await call.reported).toBe(reported);
      await call.carrierDone;
    });
  },
);
