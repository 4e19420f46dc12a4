import { useTranslation } from "react-i18next";

const MINUTE_SECONDS = 60;

/** How a call's duration is charged, in plain words: "in steps of 6 seconds, at least 30 seconds". */
export function useIncrementText(): (firstSeconds: number, nextSeconds: number) => string {
  const { t } = useTranslation("common");
  return (first, next) => {
    if (first === MINUTE_SECONDS && next === MINUTE_SECONDS) return t("increments.byMinute");
    const steps = next === 1 ? t("increments.bySecond") : t("increments.steps", { count: next });
    return first === next ? steps : t("increments.atLeast", { steps, count: first });
  };
}
