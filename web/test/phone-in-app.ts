import type { CallService } from "../src/phone/call/call-service.ts";
import type { Phone } from "../src/phone/phone.ts";
import { type Bench, createBench } from "./scripted-line.ts";
import { type ScriptedService } from "./scripted-service.ts";

/**
 * For tests: replaces `phone/create-phone.ts` by a phone whose line, microphone and loudspeaker the test drives, while its requests
 * go to the app's fake service. Use it with `vi.mock`.
 */

let bench: Bench | undefined;

export function createPhone(service: CallService): Phone {
  bench = createBench(undefined, { service: service as ScriptedService });
  return bench.phone;
}

/** The scripted line, microphone and loudspeaker of the app's phone. */
export function phoneEdges(): Bench {
  if (bench === undefined) throw new Error("The app has made no phone: is create-phone.ts mocked, and the dialer open?");
  return bench;
}
