import { countryByCode } from "@farline/domain/countries/countries.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { useQuery } from "@tanstack/react-query";
import { IconUserPlus } from "@tabler/icons-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { formatBalance, formatRatePerMinute } from "../../text/format.ts";
import { countryName } from "../../text/i18n.ts";
import { balanceQuery, configQuery } from "../../service/queries.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Skeleton } from "../../ui/waiting/skeleton.tsx";
import { latestCallsQuery, mobileRate, ratesQuery, useCreditToConfirm } from "./dialer-queries.ts";
import * as styles from "./dialer-parts.module.css";
import * as destinationsStyles from "../../ui/destinations.module.css";

/** Whether this customer's first call costs nothing, if need be once the address is confirmed. */
export function useFreeFirstCall(): boolean {
  const { data: config } = useQuery(configQuery);
  const { data: balance } = useQuery(balanceQuery);
  const { data: latest } = useQuery(latestCallsQuery);
  const toConfirm = useCreditToConfirm() !== null;
  const isGranted = config?.first_call !== null && fromDecimalString(balance?.available ?? "0") > 0n;
  return config !== undefined && latest?.length === 0 && (toConfirm || isGranted);
}

/** Takes the place of the people for a customer who has neither contacts nor calls. */
export function NewCaller() {
  const { t } = useTranslation(["dialer-parts", "dialer"]);
  const isFree = useFreeFirstCall();
  return (
    <div className={classNames(styles.start, "on-credit")}>
      {isFree && <p className={styles.startFree}>{t("start.free")}</p>}
      <p className={styles.startWho}>{t(isFree ? "start.who" : "start.empty")}</p>
      <p>{t(isFree ? "start.how" : "start.howPaid")}</p>
      <ButtonLink size="sm" to="/contacts?add=">
        <Icon of={IconUserPlus} />
        <span>{t("start.add")}</span>
      </ButtonLink>
    </div>
  );
}

const POPULAR = ["US", "IN", "GB", "CA", "AE", "AU"] as const;
const TIPS = ["country", "zero", "headphones", "page"] as const;

/** Whose credit pays, in a family; six countries with their mobile rates, of which a press selects one, and the quick tips. */
export function MoreHelp({ onChoose }: { readonly onChoose: (countryCode: string) => void }) {
  const { t } = useTranslation("dialer-parts");
  const id = useId();
  const { data: rates, isPending } = useQuery(ratesQuery);
  const { data: balance } = useQuery(balanceQuery);
  return (
    <>
      {balance?.family && (
        <p className="spread">
          <span>{t("start.family", { owner: balance.family.owner_name })}</span>
          <strong className="fig">{formatBalance(balance.family.left ?? balance.balance, balance.currency)}</strong>
        </p>
      )}
      <section aria-labelledby={id}>
        <h2 className={styles.helpHeading} id={id}>
          {t("popular.title")}
        </h2>
        <ul className={classNames(destinationsStyles.dests, destinationsStyles.dests3)}>
          {POPULAR.map((code) => {
            const rate = mobileRate(rates, code);
            if (rate === null && !isPending) return null;
            return (
              <li key={code}>
                <button className={destinationsStyles.dest} type="button" disabled={rate === null} onClick={() => onChoose(code)}>
                  <Flag code={code} />
                  <b>{countryName(code, countryByCode(code)?.name ?? code)}</b>
                  <small>{rate === null ? <Skeleton width="5rem" /> : formatRatePerMinute(rate.our_rate_per_minute)}</small>
                </button>
              </li>
            );
          })}
        </ul>
      </section>
      <section className={styles.tips} aria-labelledby={`${id}-tips`}>
        <h2 className={styles.helpHeading} id={`${id}-tips`}>
          {t("tips.title")}
        </h2>
        <ol>
          {TIPS.map((tip) => (
            <li key={tip}>{t(`tips.${tip}`)}</li>
          ))}
        </ol>
      </section>
    </>
  );
}
