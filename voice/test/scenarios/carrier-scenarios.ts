import { answerScenarios } from "./answers.ts";
import { conversationScenarios } from "./conversations.ts";
import { refusalScenarios } from "./refusals.ts";
import { ringingScenarios } from "./ringing.ts";
import type { CarrierScenario } from "./scenario.ts";

/** The number dialled in every scenario. */
export const SCENARIO_NUMBER = "+447400123456";

/** Whether `npm run test:full` runs. */
export const IS_FULL = process.env["FULL"] === "1";

/** Carrier behaviours, each with the reported end. The slow ones only in the full run. */
export const carrierScenarios: readonly CarrierScenario[] = [
  ...refusalScenarios,
  ...ringingScenarios,
  ...answerScenarios,
  ...conversationScenarios,
].filter(({ isSlow }) => IS_FULL || isSlow !== true);

/** Half of the scenarios, beginning with the first or the second. */
export function everySecond<Scenario>(scenarios: readonly Scenario[], first: 0 | 1): readonly Scenario[] {
  return scenarios.filter((_, index) => index % 2 === first);
}
