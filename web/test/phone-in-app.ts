import type { CallService } from "../src/phone/call/call-service.ts";
import type { Phone } from "../src/phone/phone.ts";
import { type Bench, createBench } from "./scripted-line.ts";
import { type ScriptedService } from "./scripted-service.ts";

/**
 * For tests: in place of `phone/create-phone.ts`, a phone whose line, microphone and loudspeaker are driven by hand, while what
 * it asks of the service goes to the app's own service. Use it with `vi.mock`.
 */

let bench: Bench | undefined;

export function createPhone(service: CallService): Phone {
  bench = createBench(undefined, { service: service as ScriptedService });
  return bench.phone;
}

/** The edges of the app's phone. */
export function phoneEdges(): Bench {
  if (bench === undefined) throw new Error("The app has made no phone: is create-phone.ts mocked, and the dialer open?");
  return bench;
}
