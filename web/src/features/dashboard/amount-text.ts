import type { Usage } from "@farline/contract/call-history.ts";
import { formatMinutes, formatSum } from "../../text/format.ts";
import { type Measure, minutesOf } from "./usage.ts";

/** The amount of a chart's bar. */
export function amountText(measure: Measure): (usage: Usage) => string {
  return (usage) => (measure === "spend" ? formatSum(usage.spend) : formatMinutes(minutesOf(usage)));
}
