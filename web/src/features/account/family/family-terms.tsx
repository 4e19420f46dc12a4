import type { FamilyChoices, FamilyLimits, FamilyMember } from "@farline/contract/family/family.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import * as styles from "../account.module.css";
import { useServiceForm } from "../../../service/use-service-form.ts";
import { formatMoney, formatSum } from "../../../text/format.ts";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { Field } from "../../../ui/forms/field.tsx";
import { Form } from "../../../ui/forms/form.tsx";
import { dollarsRule, MoneyField } from "../../../ui/forms/form-fields.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { ValueList } from "../../../ui/value-list.tsx";
import { CountryChoiceFields, typedLimit, useCountryChoice } from "../limit-fields.tsx";
import type { TypedLimits } from "./family-queries.ts";
import { readerTimeZone } from "../../../browser/reader-locale.ts";
import { countryName } from "../../../text/i18n.ts";

interface ChoiceFieldsProps {
  readonly owner: string;
  readonly choices: FamilyChoices;
  readonly onChange: (choices: FamilyChoices) => void;
}

/** Whose credit pays for the member's calls, and whether the owner sees the numbers. */
export function ChoiceFields({ owner, choices, onChange }: ChoiceFieldsProps) {
  const { t } = useTranslation("account");
  const name = useId();
  return (
    <>
      <fieldset className={styles.countries}>
        <legend>{t("family.whoPays")}</legend>
        {[true, false].map((pays) => (
          <label key={String(pays)} className={styles.choice}>
            <input
              type="radio"
              name={name}
              checked={choices.owner_pays === pays}
              onChange={() => onChange({ ...choices, owner_pays: pays })}
            />
            <span>{pays ? t("family.ownerPays", { owner }) : t("family.ownPays")}</span>
          </label>
        ))}
      </fieldset>
      <p className="muted small">{t("family.oneCredit")}</p>
      <label className={styles.choice}>
        <input
          type="checkbox"
          checked={choices.shows_numbers}
          onChange={(event) => onChange({ ...choices, shows_numbers: event.target.checked })}
        />
        <span>{t("family.showNumbers", { owner })}</span>
      </label>
      <p className="muted small">{t("family.ownerSees", { owner })}</p>
    </>
  );
}

export const NO_LIMITS: FamilyLimits = { daily_cap: null, monthly_cap: null, countries: null, time_zone: "UTC" };

interface LimitFormProps {
  readonly limits: FamilyLimits;
  /** Whether the form also asks for the address of somebody to invite; empty for a link. */
  readonly asksAddress?: boolean;
  readonly action: string;
  readonly failure: string;
  readonly onSend: (limits: TypedLimits, email: string | null) => Promise<void>;
}

/** What a member may spend a day and in a month, and which countries they may call. */
export function LimitForm({ limits, asksAddress = false, action, failure, onSend }: LimitFormProps) {
  const { t } = useTranslation("account");
  const choice = useCountryChoice(limits.countries);
  const form = useServiceForm({
    empty: { email: "", daily_cap: limits.daily_cap ?? "", monthly_cap: limits.monthly_cap ?? "" },
    send: async ({ email, daily_cap, monthly_cap }) => {
      if (!choice.check()) return;
      await onSend(
        {
          daily_cap: typedLimit(daily_cap),
          monthly_cap: typedLimit(monthly_cap),
          countries: choice.countries,
          time_zone: readerTimeZone(),
        },
        email.trim() || null,
      );
    },
    fallback: failure,
  });
  const rule = dollarsRule(t("limits.unreadable"));
  return (
    <Form className={classNames(styles.form, styles.limits)} noValidate onSubmit={form.submit}>
      {form.failure !== null && <Banner kind="error">{form.failure}</Banner>}
      {asksAddress && (
        <Field
          label={t("family.email")}
          hint={t("family.emailHint")}
          type="email"
          autoComplete="off"
          dir="ltr"
          {...form.field("email", {})}
        />
      )}
      <MoneyField label={t("family.dailyCap")} hint={t("limits.empty")} {...form.field("daily_cap", rule)} />
      <MoneyField label={t("family.monthlyCap")} hint={t("limits.empty")} {...form.field("monthly_cap", rule)} />
      <CountryChoiceFields choice={choice} legend={t("family.countries")} />
      <Button pair="action" type="submit" busy={form.busy}>
        {action}
      </Button>
    </Form>
  );
}

/** A member's limits. */
export function LimitLines({ limits }: { readonly limits: FamilyLimits }) {
  const { t, i18n } = useTranslation("account");
  const amount = (dollars: string | null) => (dollars === null ? t("family.noLimit") : formatMoney(dollars));
  const { countries } = limits;
  const names = countries?.map((code) => countryName(code, countryByCode(code)?.name ?? code)) ?? null;
  return (
    <ValueList
      className={styles.facts}
      of={[
        { name: t("family.dailyCap"), value: amount(limits.daily_cap) },
        { name: t("family.monthlyCap"), value: amount(limits.monthly_cap) },
        {
          name: t("family.countries"),
          value: names === null ? t("limits.allCountries") : new Intl.ListFormat(i18n.language).format(names),
        },
      ]}
    />
  );
}

/** What a member's calls cost the owner, and what the next one may cost. */
export function SpentLines({ member }: { readonly member: FamilyMember }) {
  const { t } = useTranslation("account");
  return (
    <ValueList
      className={styles.facts}
      of={[
        { name: t("family.today"), value: formatSum(member.spent_today) },
        { name: t("family.thisMonth"), value: formatSum(member.spent_this_month) },
        { name: t("family.left"), value: formatSum(member.left) },
      ]}
    />
  );
}
