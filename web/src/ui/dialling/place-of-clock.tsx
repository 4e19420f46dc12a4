import { countryByCode } from "@farline/domain/countries/countries.ts";
import { hasSeveralClocks } from "@farline/domain/countries/time-zones.ts";
import { useTranslation } from "react-i18next";
import { countryName } from "../../text/i18n.ts";

/** Names the place of a clock: its city in countries that have several, else the country. Its texts must be loaded. */
export function usePlace(): (countryCode: string, timeZone: string) => string {
  const { t, i18n } = useTranslation("places");
  return (countryCode, timeZone) =>
    hasSeveralClocks(countryCode) && i18n.exists(`places:${timeZone}`)
      ? t(timeZone as "America/New_York")
      : countryName(countryCode, countryByCode(countryCode)?.name ?? countryCode);
}

interface PlaceTimeProps {
  readonly countryCode: string;
  readonly timeZone: string;
  readonly time: string;
  readonly night: boolean;
}

/** The time at a number in a country with several clocks, with the city of the one that is shown: "19:42 in Perth". */
export default function PlaceTime({ countryCode, timeZone, time, night }: PlaceTimeProps) {
  const { t } = useTranslation("dialer-parts");
  const city = usePlace()(countryCode, timeZone);
  return <span>{night ? t("there.nightInCity", { time, city }) : t("there.city", { time, city })}</span>;
}
