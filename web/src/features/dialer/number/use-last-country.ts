import { countryByCode } from "@farline/domain/countries/countries.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { keepLastCountry, readLastCountry } from "../../../browser/own-storage.ts";
import { userQuery } from "../../../service/queries.ts";

/** Preselected when nothing is known about the caller (specification §2). */
const DEFAULT_COUNTRY = "US";

/** The country of the number field, initially the last one that this customer chose in this browser. */
export function useLastCountry(): [countryCode: string, choose: (countryCode: string) => void] {
  const { data: user } = useQuery(userQuery);
  const customerId = user?.id ?? null;
  const remembered = useMemo(() => readLastCountry(customerId), [customerId]);
  const [chosen, setChosen] = useState<string | null>(null);
  const before = countryByCode(remembered ?? "")?.selectable === true ? remembered : null;
  const choose = (countryCode: string): void => {
    setChosen(countryCode);
    keepLastCountry(customerId, countryCode);
  };
  return [chosen ?? before ?? DEFAULT_COUNTRY, choose];
}
