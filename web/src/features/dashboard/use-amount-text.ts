import type { Usage } from "@farline/contract/call-history.ts";
import { useTranslation } from "react-i18next";
import { formatCount, formatSum } from "../../text/format.ts";
import { type Measure, minutesOf } from "./usage.ts";

/** The amount of a chart's bar. */
export function useAmountText(measure: Measure): (usage: Usage) => string {
  const { t } = useTranslation("dashboard");
  return (usage) =>
    measure === "spend" ? formatSum(usage.spend) : t("usage.minutesValue", { formatted: formatCount(minutesOf(usage)) });
}
