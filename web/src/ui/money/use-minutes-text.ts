import { useTranslation } from "react-i18next";

/** Whole minutes in words, for public pages: "47 min". `formatMinutes` uses the app's language. */
export function useMinutesText(): (minutes: number) => string {
  const { t } = useTranslation("common");
  return (minutes) => t("duration.minutes", { count: minutes, formatted: String(minutes) });
}
