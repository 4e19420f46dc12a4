import type { FamilyLimits, FamilyMember } from "@farline/contract/family/family.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { useTranslation } from "react-i18next";
import { countryName } from "../../../text/country-name.ts";
import { formatMoney, formatSum } from "../../../text/format.ts";
import * as styles from "../account.module.css";

/** A member's limits. */
export function LimitLines({ limits }: { readonly limits: FamilyLimits }) {
  const { t, i18n } = useTranslation("account");
  const amount = (dollars: string | null) => (dollars === null ? t("family.noLimit") : formatMoney(dollars));
  const { countries } = limits;
  const names = countries?.map((code) => countryName(code, countryByCode(code)?.name ?? code)) ?? null;
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t("family.dailyCap")}</dt>
        <dd>{amount(limits.daily_cap)}</dd>
      </div>
      <div>
        <dt>{t("family.monthlyCap")}</dt>
        <dd>{amount(limits.monthly_cap)}</dd>
      </div>
      <div>
        <dt>{t("family.countries")}</dt>
        <dd>{names === null ? t("limits.allCountries") : new Intl.ListFormat(i18n.language).format(names)}</dd>
      </div>
    </dl>
  );
}

/** What a member's calls cost the owner, and what the next one may cost. */
export function SpentLines({ member }: { readonly member: FamilyMember }) {
  const { t } = useTranslation("account");
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t("family.today")}</dt>
        <dd>{formatSum(member.spent_today)}</dd>
      </div>
      <div>
        <dt>{t("family.thisMonth")}</dt>
        <dd>{formatSum(member.spent_this_month)}</dd>
      </div>
      <div>
        <dt>{t("family.left")}</dt>
        <dd>{formatSum(member.left)}</dd>
      </div>
    </dl>
  );
}
